"""End the suppression of an address as a dead mailbox. Spec: §6 (Suppression), ADR-47."""

from __future__ import annotations

from reviewinvite_core.domain.suppressions import SuppressedBy
from reviewinvite_core.usecases.context import UnitContext


def note_sign_of_life(ctx: UnitContext, address_hash: bytes) -> bool:
    """End the suppression of a dead mailbox, because somebody reads its mail; return whether there was one."""
    return ctx.store.suppressions.remove(address_hash, shop_number=None, by=SuppressedBy.BOUNCE) is not None

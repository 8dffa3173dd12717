"""Addresses without a mailbox: suppressed for a time, until a sign of life. Spec: §6 (Suppression), ADR-47."""

from __future__ import annotations

from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.privacy.stop_waiting import stop_waiting

MOST_AT_ONCE = 500


def suppress_dead_mailbox(ctx: UnitContext, address_hash: bytes) -> None:
    """Suppress an address at all shops for 180 days, with its pending invitations: a mail server has no such mailbox.

    A person's suppression for all shops stays as it is.
    """
    ctx.store.suppressions.add(Suppression.of_dead_mailbox(address_hash, ctx.now))
    stop_waiting(ctx, address_hash, None)


def note_sign_of_life(ctx: UnitContext, address_hash: bytes) -> bool:
    """End the suppression of a dead mailbox, because somebody reads its mail; return whether there was one."""
    return ctx.store.suppressions.remove(address_hash, shop_number=None, by=SuppressedBy.BOUNCE) is not None


@write()
def expire_suppressions(ctx: UnitContext) -> int:
    """Delete suppressions that have expired, at most 500 at once; return how many."""
    return ctx.store.suppressions.sweep(ctx.now, MOST_AT_ONCE)

"""Suppress the pending invitations of an address. Spec: §6 (Suppression)."""

from __future__ import annotations

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.transitions import transition_if_allowed


def stop_waiting(ctx: UnitContext, address_hash: bytes, shop_number: int | None) -> int:
    """Suppress the address's pending invitations at one shop, or at all for `shop_number` None; return how many."""
    waiting = ctx.store.invitations.of_address(address_hash, shop_number=shop_number)
    moved = [(each, transition_if_allowed(ctx, each, State.SUPPRESSED, Reason.OPTED_OUT)) for each in waiting]
    return sum(before.state is not after.state is State.SUPPRESSED for before, after in moved)

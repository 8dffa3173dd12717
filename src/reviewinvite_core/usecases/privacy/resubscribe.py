"""Undo an opt-out by the link in an invitation. Spec: §6 (Links, Suppression), ADR-16."""

from __future__ import annotations

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.suppressions import SuppressedBy
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.sign_of_life import note_sign_of_life
from reviewinvite_core.usecases.invitations.transitions import transition_if_allowed
from reviewinvite_core.usecases.privacy.subscription import Subscription, invitation_of_link, subscription_of


def token_locks(token: str) -> frozenset[int]:
    """Return the lock of the link, the same as for opting out by the link."""
    return frozenset({lock_id(LockKind.LINK, token)})


@write(locks=token_locks)
def resubscribe(ctx: UnitContext, token: str) -> Subscription | None:
    """Remove the customer's own opt-outs of the link's shop and of all shops; return None if the token is not ours.

    Suppressions by an operator stay, and suppressed invitations stay suppressed. Using the link proves that the
    invitation arrived: if uncertain, it becomes sent, and a suppression as a dead mailbox ends.
    """
    found = invitation_of_link(ctx, token)
    if found is None:
        return None
    invitation, shop = found
    for shop_number in (shop.number, None):
        ctx.store.suppressions.remove(invitation.address_hash, shop_number=shop_number, by=SuppressedBy.CUSTOMER)
    note_sign_of_life(ctx, invitation.address_hash)
    transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED)
    return subscription_of(ctx, invitation, shop)

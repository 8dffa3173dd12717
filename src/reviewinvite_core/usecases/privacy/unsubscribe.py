"""Opt out through the link in an invitation. Spec: §6 (Links, Suppression), ADR-16."""

from __future__ import annotations

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy, Suppression
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.sign_of_life import note_sign_of_life
from reviewinvite_core.usecases.invitations.transitions import transition_if_allowed
from reviewinvite_core.usecases.privacy.stop_waiting import stop_waiting
from reviewinvite_core.usecases.privacy.subscription import Subscription, invitation_of_link, subscription_of


def link_locks(token: str, _: Reach) -> frozenset[int]:
    """Return the lock of the link.

    The lock is not shared with orders, because the link does not reveal the address. An order reported at the same
    instant may therefore be scheduled; its invitation is stopped at the fence.
    """
    return frozenset({lock_id(LockKind.LINK, token)})


@write(locks=link_locks)
def unsubscribe(ctx: UnitContext, token: str, reach: Reach) -> Subscription | None:
    """Suppress the address for the link's shop or for all shops; return None if the token is not ours.

    Its pending invitations are suppressed. The link never expires, not even when the address is erased. Using it
    proves that the invitation arrived: if uncertain, it becomes sent, and a suppression as a dead mailbox ends.
    """
    found = invitation_of_link(ctx, token)
    if found is None:
        return None
    invitation, shop = found
    shop_number = None if reach is Reach.EVERY_SHOP else shop.number
    suppression = Suppression(
        address_hash=invitation.address_hash, shop_number=shop_number, by=SuppressedBy.CUSTOMER, suppressed_at=ctx.now
    )
    note_sign_of_life(ctx, invitation.address_hash)
    ctx.store.suppressions.add(suppression)
    stop_waiting(ctx, invitation.address_hash, shop_number)
    transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED)
    return subscription_of(ctx, invitation, shop)

"""Forget a customer's address: at once, or when its time is over. Spec: §1 (what is kept), ADR-16.

The sealed address goes, and on request what the person wrote. What an order is known by, what was opted out of and the
history stay, as keyed hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    Invitation,
)
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.reviews import Act, ReviewState
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.transitions import transition_if_allowed
from reviewinvite_core.usecases.reviews.store import exclusive_locks, save_review

MOST_AT_ONCE = 500


@attrs.frozen(kw_only=True)
class Erasure:
    """How many invitations have lost their address, and those of them that were cancelled, as they are now.

    `reviews` is how many reviews were erased, or (where they were to be kept) lost their writer's name.
    """

    erased: int
    cancelled: Sequence[Invitation]
    reviews: int = 0


@write(locks=exclusive_locks)
def erase_address(ctx: UnitContext, email: str, *, keep_reviews: bool = False) -> Erasure:
    """Forget this address at every shop, whatever the state of its invitations; doing it again changes nothing.

    What has not been handed over is cancelled. What the person wrote is erased and counts no longer, or stays without a
    name where reviews are to be kept.

    Raises: `Invalid` for what is no address.
    """
    hashed = address_hash(ctx.ring.address, EmailAddress.parse(email))
    invitations = ctx.store.invitations.of_address(hashed, shop_number=None)
    reviews = sum(_erase_review(ctx, each, keep=keep_reviews) for each in invitations)
    return attrs.evolve(_erase(ctx, invitations), reviews=reviews)


@write()
def erase_expired(ctx: UnitContext) -> Erasure:
    """Forget the addresses whose time is over, at most 500 at once; what was never sent is cancelled.

    What is being handed over waits until that is settled.
    """
    return _erase(ctx, ctx.store.invitations.to_erase(ctx.now - ctx.policies.retention, MOST_AT_ONCE))


def _erase_review(ctx: UnitContext, invitation: Invitation, *, keep: bool) -> bool:
    """Whether there was something to erase."""
    review = ctx.store.reviews.of_invitation(invitation.shop_number, invitation.invite_id)
    if review is None or review.state is ReviewState.WITHDRAWN or (keep and review.author is None):
        return False
    save_review(ctx, review, review.nameless(ctx.now) if keep else review.emptied(Act.ERASED, ctx.now))
    return True


def _erase(ctx: UnitContext, invitations: Iterable[Invitation]) -> Erasure:
    erased, cancelled = 0, []
    for invitation in invitations:
        after = transition_if_allowed(ctx, invitation, State.CANCELLED, Reason.ERASED)
        forgotten = ctx.store.invitations.forget_address(invitation)
        erased += forgotten
        if invitation.state is not after.state is State.CANCELLED:
            cancelled.append(attrs.evolve(after, sealed_address=None))
    return Erasure(erased=erased, cancelled=cancelled)

"""Erase a customer's address, on request or at the end of its retention. Spec: §1 (what is kept), ADR-16.

The sealed address is removed, and on request also the customer's reviews and the content of notices. Histories and
the keyed hashes of orders, opt-outs and notices remain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.reviews import Act, ReviewState
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.transitions import transition_if_allowed
from reviewinvite_core.usecases.notices import erase_notice
from reviewinvite_core.usecases.reviews.store import exclusive_locks, save_review

MOST_AT_ONCE = 500


@attrs.frozen(kw_only=True)
class Erasure:
    """Result of an erasure: how many invitations, notices and members lost their address; and what was cancelled.

    `reviews` is the number of reviews that were erased, or that lost their author's name if reviews are kept.
    """

    erased: int
    cancelled: Sequence[Invitation]
    reviews: int = 0


@write(locks=exclusive_locks)
def erase_address(ctx: UnitContext, email: str, *, keep_reviews: bool = False) -> Erasure:
    """Erase this address at every shop, whatever the state of its invitations; repeating it changes nothing.

    Invitations that have not been handed over are cancelled. The customer's reviews are erased and no longer count, or
    stay without a name with `keep_reviews`. A member of a shop stays one; a former member is deleted.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash(ctx.ring.address, EmailAddress.parse(email))
    invitations = ctx.store.invitations.of_address(hashed, shop_number=None)
    reviews = sum(_erase_review(ctx, each, keep=keep_reviews) for each in invitations)
    notices = sum(erase_notice(ctx, each) for each in ctx.store.notices.of_address(hashed))
    erasure = _erase(ctx, invitations)
    return attrs.evolve(erasure, erased=erasure.erased + notices + _erase_former_member(ctx, hashed), reviews=reviews)


@write()
def erase_expired(ctx: UnitContext) -> Erasure:
    """Erase addresses past their retention, at most 500 at once; cancel those invitations that still wait.

    Invitations being handed over wait until that is finished.
    """
    return _erase(ctx, ctx.store.invitations.to_erase(ctx.now - ctx.policies.retention, MOST_AT_ONCE))


def _erase_review(ctx: UnitContext, invitation: Invitation, *, keep: bool) -> bool:
    """Erase an invitation's review, or with `keep` its author's name; return whether there was something to erase."""
    review = ctx.store.reviews.of_invitation(invitation.shop_number, invitation.invite_id)
    if review is None or review.state is ReviewState.WITHDRAWN or (keep and review.author is None):
        return False
    save_review(ctx, review, review.nameless(ctx.now) if keep else review.emptied(Act.ERASED, ctx.now))
    return True


def _erase_former_member(ctx: UnitContext, hashed: bytes) -> bool:
    """Delete a person who is a member of no shop any more; return whether there was one."""
    member = ctx.store.members.by_address(hashed)
    if member is None or member.left_at is None:
        return False
    ctx.store.members.remove(member.member_id)
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

"""What a customer does by an invitation's link: open it, write a review, withdraw it. Spec: §3, §6."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import attrs

from reviewinvite_core.domain.frequency import handed_over_at
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation, invitation_lock, may_have_arrived
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose, read_token, unproved_invite_id
from reviewinvite_core.domain.orders import number_for_customers
from reviewinvite_core.domain.provenance import Confirmation
from reviewinvite_core.domain.reviews import (
    MOST_WRITINGS,
    REVIEWS_LOCK,
    WRITINGS,
    Act,
    Review,
    ReviewDraft,
    ReviewState,
)
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.change import note_sign_of_life, transition_if_allowed
from reviewinvite_core.usecases.reviews.change import add_review, save_review

_NEVER_SENT = frozenset({State.REJECTED, State.CANCELLED, State.SUPPRESSED, State.EXPIRED})


class LinkState(StrEnum):
    """What a link can still be used for.

    `OPEN`: no review has been written yet. `CHANGEABLE`: the review can be changed, withdrawn, or written again.
    `EDIT_LIMIT_REACHED`: the review can only be withdrawn. `LOCKED`: the review can no longer change. `EXPIRED`: the
    time to write has passed, or the invitation was cancelled, suppressed or rejected, or has expired.
    """

    OPEN = "open"
    CHANGEABLE = "changeable"
    EDIT_LIMIT_REACHED = "spent"
    LOCKED = "final"
    EXPIRED = "ended"


@attrs.frozen(kw_only=True)
class ReviewLink:
    """A review link's shop, invitation and review, as whoever has the link may see them.

    `ends_at` is when the link's state ends, or began if it is `LOCKED`; None if that is not known, or `EXPIRED`.
    `in_doubt` is whether the invitation is uncertain, or its address is suppressed as a dead mailbox:
    `note_opened_link` resolves both.
    """

    shop: Shop
    order_number: str | None
    language: Language
    state: LinkState
    review: Review | None
    ends_at: datetime | None
    in_doubt: bool


@attrs.frozen
class LinkClosed:
    """The link can no longer be used for this: it is `LOCKED`, `EXPIRED` or `EDIT_LIMIT_REACHED`."""

    link: ReviewLink


def find_by_token(ctx: UnitContext, token: str) -> tuple[Invitation, Shop, Review | None] | None:
    place = read_token(ctx.ring.tokens, Purpose.REVIEW, token)
    invitation = ctx.store.invitations.find(*place) if place else None
    shop = ctx.store.shops.by_number(invitation.shop_number) if invitation else None
    if invitation is None or shop is None:
        return None
    return invitation, shop, ctx.store.reviews.of_invitation(shop.number, invitation.invite_id)


def link_of(ctx: UnitContext, invitation: Invitation, shop: Shop, review: Review | None) -> ReviewLink:
    state, ends_at = _of_review(ctx, review) if review else _of_invitation(ctx, invitation)
    return ReviewLink(
        shop=shop,
        order_number=number_for_customers(invitation.order_number),
        language=review.language if review else invitation.language,
        state=state,
        review=review,
        ends_at=ends_at,
        in_doubt=invitation.state is State.UNCERTAIN
        or ctx.store.suppressions.is_dead(invitation.address_hash, ctx.now),
    )


def _of_review(ctx: UnitContext, review: Review) -> tuple[LinkState, datetime]:
    """Return the state of a link with a review, and its end; the period for changes depends on the review only."""
    until = review.changeable_until
    if ctx.now >= until:
        return LinkState.LOCKED, until
    return (LinkState.EDIT_LIMIT_REACHED if _is_edit_limit_reached(ctx, review) else LinkState.CHANGEABLE), until


def _is_edit_limit_reached(ctx: UnitContext, review: Review) -> bool:
    """Return whether the review was written as often as allowed; the history is read only if that is possible."""
    if review.revision < MOST_WRITINGS:
        return False
    return sum(each.act in WRITINGS for each in ctx.store.reviews.history(review)) >= MOST_WRITINGS


def _of_invitation(ctx: UnitContext, invitation: Invitation) -> tuple[LinkState, datetime | None]:
    if invitation.state in _NEVER_SENT:
        return LinkState.EXPIRED, None
    if invitation.state not in (State.SENT, State.UNCERTAIN):
        return LinkState.OPEN, None
    until = handed_over_at(invitation, ctx.store.invitations.history(invitation)) + ctx.policies.review_link
    return (LinkState.OPEN, until) if ctx.now < until else (LinkState.EXPIRED, None)


def note_locks(token: str) -> frozenset[int]:
    """Return the lock for recording that a link was opened: that of the link's invitation."""
    named = unproved_invite_id(token)
    return frozenset({invitation_lock(named)} if named else ())


def write_locks(token: str, *_: object) -> frozenset[int]:
    """Return the locks for writing: those of the invitation and of all reviews (ADR-27)."""
    return note_locks(token) | {REVIEWS_LOCK}


@read
def show_review_link(ctx: UnitContext, token: str) -> ReviewLink | None:
    """Return what the link's page shows, or None for an unknown token. Changes nothing."""
    found = find_by_token(ctx, token)
    return link_of(ctx, *found) if found else None


@write(locks=note_locks)
def note_opened_link(ctx: UnitContext, token: str) -> bool:
    """Record that the invitation arrived, and end a suppression of its address as a dead mailbox.

    Return whether either changed anything.
    """
    found = find_by_token(ctx, token)
    if found is None:
        return False
    invitation, _, _ = found
    was_dead = note_sign_of_life(ctx, invitation.address_hash)
    return transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED) is not invitation or was_dead


@write(locks=write_locks)
def write_review(ctx: UnitContext, token: str, draft: ReviewDraft) -> ReviewLink | LinkClosed | None:
    """Write or change the review of the link's order; return None for an unknown token.

    There is one review however often this is called; repeating a call changes nothing. A hidden review stays hidden. An
    invitation that waits for another attempt is not sent again if an earlier one may have delivered it.
    """
    found = find_by_token(ctx, token)
    if found is None:
        return None
    invitation, shop, review = found
    link = link_of(ctx, invitation, shop, review)
    stands = review is not None and review.state is not ReviewState.WITHDRAWN and review.says(draft)
    if link.state in (LinkState.LOCKED, LinkState.EXPIRED) or (
        link.state is LinkState.EDIT_LIMIT_REACHED and not stands
    ):
        return LinkClosed(link)
    if review is None:
        written = _new(ctx, invitation, draft)
        add_review(ctx, written)
    elif stands:
        written = review
    else:
        written = save_review(ctx, review, review.rewritten(draft, ctx.now))
    note_sign_of_life(ctx, invitation.address_hash)
    return link_of(ctx, _arrived(ctx, invitation), shop, written)


def _arrived(ctx: UnitContext, invitation: Invitation) -> Invitation:
    """Return the invitation, moved to sent if an earlier attempt may have delivered the link; otherwise unchanged."""
    now = transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED)
    if now.can_move(State.SENT, Reason.REVIEWED) and may_have_arrived(ctx.store.invitations.history(now)):
        now = transition_if_allowed(ctx, now, State.SENT, Reason.REVIEWED)
    return now


def _new(ctx: UnitContext, invitation: Invitation, draft: ReviewDraft) -> Review:
    return Review(
        review_id=uuid7(ctx.now, ctx.entropy.draw(10)),
        shop_number=invitation.shop_number,
        invite_id=invitation.invite_id,
        rating=draft.rating,
        text=draft.text,
        author=draft.author,
        language=draft.language or invitation.language,
        written_at=ctx.now,
        changed_at=ctx.now,
        source=invitation.provenance.source,
        confirmed=_is_confirmed(ctx, invitation),
    )


def _is_confirmed(ctx: UnitContext, invitation: Invitation) -> bool:
    """Return whether the order is confirmed; from now on, nothing confirms it any more (ADR-65).

    If it was confirmed since the invitation was read, that came first.
    """
    if invitation.provenance.confirmation is not Confirmation.MISSING:
        return invitation.provenance.confirmed
    return not ctx.store.invitations.settle(invitation, Confirmation.TOO_LATE)


@write(locks=write_locks)
def withdraw_review(ctx: UnitContext, token: str) -> ReviewLink | LinkClosed | None:
    """Withdraw a review and erase its content; return None for an unknown token.

    If there is no review, or it is already withdrawn, this changes nothing.
    """
    found = find_by_token(ctx, token)
    if found is None:
        return None
    invitation, shop, review = found
    link = link_of(ctx, invitation, shop, review)
    if link.state in (LinkState.LOCKED, LinkState.EXPIRED):
        return LinkClosed(link)
    if review and review.state is not ReviewState.WITHDRAWN:
        review = save_review(ctx, review, review.emptied(Act.WITHDRAWN, ctx.now))
    note_sign_of_life(ctx, invitation.address_hash)
    return link_of(ctx, transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED), shop, review)

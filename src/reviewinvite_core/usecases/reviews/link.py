"""The review link of an invitation, and what it can still be used for. Spec: §6 (Links), ADR-34."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import attrs

from reviewinvite_core.domain.frequency import handed_over_at
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Invitation, invitation_lock
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose, read_token, unproved_invite_id
from reviewinvite_core.domain.orders import number_for_customers
from reviewinvite_core.domain.policy import MOST_WRITINGS
from reviewinvite_core.domain.reviews import REVIEWS_LOCK, WRITINGS, Review
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext

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

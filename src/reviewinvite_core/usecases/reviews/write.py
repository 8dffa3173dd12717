"""A customer writes a review by an invitation's link, changes it, or withdraws it.

Spec: §3, §6 (Links), ADR-27, ADR-34.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import attrs

from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.invitations import Invitation, Reason, State, invitation_lock
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose, read_token, unproved_invite_id
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
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.transitions import transition_if_allowed
from reviewinvite_core.usecases.reviews.store import add_review, save_review

_NEVER_SENT = frozenset({State.REJECTED, State.CANCELLED, State.SUPPRESSED, State.EXPIRED})


class LinkState(StrEnum):
    """What a link can still be used for.

    `open`: nothing is written yet. `changeable`: what was written can be changed and withdrawn, or written again.
    `spent`: it was written so often that it can be withdrawn, and no more. `final`: it stays as it is. `ended`: nothing
    was written, and the time for it is over.
    """

    OPEN = "open"
    CHANGEABLE = "changeable"
    SPENT = "spent"
    FINAL = "final"
    ENDED = "ended"


@attrs.frozen(kw_only=True)
class ReviewLink:
    """What a link is about.

    `ends_at` is when its state ends, or has begun where it is `final`; None where that is not known, or `ended`.
    `in_doubt` tells that the invitation was not known to have arrived: `note_opened_link` settles that.
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
    """The link can no longer be used for this: it is `final`, `ended`, or `spent`."""

    link: ReviewLink


def note_locks(token: str) -> frozenset[int]:
    """What noting that a link was opened must have to itself (`ports.Locking`): its invitation."""
    named = unproved_invite_id(token)
    return frozenset({invitation_lock(named)} if named else ())


def write_locks(token: str, *_: object) -> frozenset[int]:
    """What writing must have to itself (`ports.Locking`): its invitation, and the reviews (ADR-27)."""
    return note_locks(token) | {REVIEWS_LOCK}


def show_review_link(ctx: UnitContext, token: str) -> ReviewLink | None:
    """What the link's page has to say; None where the token is none of ours. Changes nothing."""
    found = _read(ctx, token)
    return _link(ctx, *found) if found else None


def note_opened_link(ctx: UnitContext, token: str) -> bool:
    """Note that the invitation has arrived, where that was in doubt; whether it was."""
    found = _read(ctx, token)
    if found is None:
        return False
    invitation, _, _ = found
    return transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED) is not invitation


def write_review(ctx: UnitContext, token: str, draft: ReviewDraft) -> ReviewLink | LinkClosed | None:
    """Write the review of the link's order, or change it; None where the token is none of ours.

    However often it is asked, there is one review; the same once more changes nothing. What was hidden stays so.
    """
    found = _read(ctx, token)
    if found is None:
        return None
    invitation, shop, review = found
    link = _link(ctx, invitation, shop, review)
    stands = review is not None and review.state is not ReviewState.WITHDRAWN and review.says(draft)
    if link.state in (LinkState.FINAL, LinkState.ENDED) or (link.state is LinkState.SPENT and not stands):
        return LinkClosed(link)
    if review is None:
        written = _new(ctx, invitation, draft)
        add_review(ctx, written)
    elif stands:
        written = review
    else:
        written = save_review(ctx, review, review.written_anew(draft, ctx.now))
    return _link(ctx, transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED), shop, written)


def withdraw_review(ctx: UnitContext, token: str) -> ReviewLink | LinkClosed | None:
    """Take back what was written: nothing of it is kept; None where the token is none of ours.

    Where nothing is written, or not any more, this changes nothing.
    """
    found = _read(ctx, token)
    if found is None:
        return None
    invitation, shop, review = found
    link = _link(ctx, invitation, shop, review)
    if link.state in (LinkState.FINAL, LinkState.ENDED):
        return LinkClosed(link)
    if review and review.state is not ReviewState.WITHDRAWN:
        review = save_review(ctx, review, review.emptied(Act.WITHDRAWN, ctx.now))
    return _link(ctx, transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED), shop, review)


def _read(ctx: UnitContext, token: str) -> tuple[Invitation, Shop, Review | None] | None:
    place = read_token(ctx.ring.tokens, Purpose.REVIEW, token)
    invitation = ctx.store.invitations.find(*place) if place else None
    shop = ctx.store.shops.by_number(invitation.shop_number) if invitation else None
    if invitation is None or shop is None:
        return None
    return invitation, shop, ctx.store.reviews.of_invitation(shop.number, invitation.invite_id)


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
    )


def _link(ctx: UnitContext, invitation: Invitation, shop: Shop, review: Review | None) -> ReviewLink:
    state, ends_at = _of_review(ctx, review) if review else _of_invitation(ctx, invitation)
    return ReviewLink(
        shop=shop,
        order_number=invitation.order_number,
        language=review.language if review else invitation.language,
        state=state,
        review=review,
        ends_at=ends_at,
        in_doubt=invitation.state is State.UNCERTAIN,
    )


def _of_review(ctx: UnitContext, review: Review) -> tuple[LinkState, datetime]:
    """What was written can be changed for its own time, also where the link is older."""
    until = review.changeable_until
    if ctx.now >= until:
        return LinkState.FINAL, until
    return (LinkState.SPENT if _is_spent(ctx, review) else LinkState.CHANGEABLE), until


def _is_spent(ctx: UnitContext, review: Review) -> bool:
    """Whether it was written as often as may be. Its history is asked only where that may be long enough."""
    if review.revision < MOST_WRITINGS:
        return False
    return sum(each.act in WRITINGS for each in ctx.store.reviews.history(review)) >= MOST_WRITINGS


def _of_invitation(ctx: UnitContext, invitation: Invitation) -> tuple[LinkState, datetime | None]:
    if invitation.state in _NEVER_SENT:
        return LinkState.ENDED, None
    if invitation.state not in (State.SENT, State.UNCERTAIN):
        return LinkState.OPEN, None
    until = _sent_at(ctx, invitation) + ctx.policies.review_link
    return (LinkState.OPEN, until) if ctx.now < until else (LinkState.ENDED, None)


def _sent_at(ctx: UnitContext, invitation: Invitation) -> datetime:
    """When it was last handed over; where an older copy of the database does not know that, since when it is in doubt.

    Not its last change: to open a link late would lengthen its time.
    """
    times = {each.state: each.at for each in ctx.store.invitations.history(invitation)}
    return times.get(State.HANDING_OVER) or times.get(State.UNCERTAIN) or invitation.changed_at

"""Moderate reviews and reply to them. Spec: §3, §4.8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR, Actor, Credential
from reviewinvite_core.domain.errors import Invalid, StorageUnavailable
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.refusals import ChangedMeanwhile, ReviewStateConflict, ReviewUnknown
from reviewinvite_core.domain.reviews import REVIEWS_LOCK, Act, HideReason, NewReply, Review, ReviewState
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.ports import GLOBAL_LOCK, Store
from reviewinvite_core.usecases.activity import record, who_acts
from reviewinvite_core.usecases.admission import CHANGE, NotAdmitted, admit, credential_locks
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.read import ReviewRecord, as_shop_sees_it, locate, record_of, with_history


def review_locks(*_: object) -> frozenset[int]:
    """Return the lock for changing reviews: that of all reviews (ADR-27)."""
    return frozenset({REVIEWS_LOCK})


def exclusive_locks(*_: object, **__: object) -> frozenset[int]:
    """Return the locks for operators' changes, which run one at a time."""
    return GLOBAL_LOCK | {REVIEWS_LOCK}


def add_review(ctx: UnitContext, review: Review) -> None:
    """Store a new review.

    Raises: `StorageUnavailable` as `save_review` does.
    """
    if not ctx.store.reviews.add(review):
        raise StorageUnavailable("a review was written meanwhile")


def save_review(ctx: UnitContext, before: Review, after: Review) -> Review:
    """Store the review and return it.

    Raises: `StorageUnavailable` if the review was changed meanwhile, which cannot happen to a unit that holds
    `REVIEWS_LOCK`.
    """
    if not ctx.store.reviews.change(before, after):
        raise StorageUnavailable("the review was changed meanwhile")
    return after


@write(locks=review_locks)
def hide_review(
    ctx: UnitContext, review_id: str, reason: HideReason
) -> ReviewRecord | ReviewUnknown | ReviewStateConflict:
    """Hide a review for this reason, so that it does not count in scores; repeating this changes nothing."""
    found = locate(ctx, review_id)
    if found is None:
        return ReviewUnknown(review_id)
    review, shop = found
    if review.state is ReviewState.HIDDEN and review.hidden_for is reason:
        return with_history(ctx, review, shop)
    if not review.can_move(ReviewState.HIDDEN, Act.HIDDEN):
        return ReviewStateConflict(review.state)
    hidden = save_review(ctx, review, review.hidden(reason, ctx.now))
    record(ctx, shop, who_acts(ctx, OPERATOR), Action.REVIEW_HIDDEN, review.review_id)
    return with_history(ctx, hidden, shop)


@write(locks=review_locks)
def show_review_again(ctx: UnitContext, review_id: str) -> ReviewRecord | ReviewUnknown | ReviewStateConflict:
    """Publish a hidden review again; a published one is not changed."""
    found = locate(ctx, review_id)
    if found is None:
        return ReviewUnknown(review_id)
    review, shop = found
    if review.state is ReviewState.PUBLISHED:
        return with_history(ctx, review, shop)
    if not review.can_move(ReviewState.PUBLISHED, Act.SHOWN_AGAIN):
        return ReviewStateConflict(review.state)
    shown = save_review(ctx, review, review.shown_again(ctx.now))
    record(ctx, shop, who_acts(ctx, OPERATOR), Action.REVIEW_SHOWN, review.review_id)
    return with_history(ctx, shown, shop)


Replied: TypeAlias = ReviewRecord | ReviewUnknown | ReviewStateConflict | ChangedMeanwhile | NotAdmitted | Invalid


def reply_locks(actor: Actor | Credential, *_: object) -> frozenset[int]:
    """Return the locks of the key's limit and of all reviews (ADR-27)."""
    return credential_locks(actor) | {REVIEWS_LOCK}


@write(locks=reply_locks)
def reply_to_review(
    ctx: UnitContext, actor: Actor | Credential, review_id: str, reply: NewReply | Invalid, seen: Review | None = None
) -> Replied:
    """Reply to a published review of the actor's shop, unless its reply was changed since it was `seen`.

    An empty text removes the reply, even of a hidden review.

    Repeating this changes nothing. An invalid reply still counts against the limit.
    """
    shop = admit(ctx, actor, CHANGE)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(reply, Invalid):
        return reply
    known = parse_uuid(review_id)
    review = ctx.store.reviews.find(shop.number, known) if known else None
    if review is None:
        return ReviewUnknown(review_id)
    if seen and review.reply != seen.reply:
        return ChangedMeanwhile()
    if (review.reply.text if review.reply else None) != reply.text:
        if not review.can_move(review.state, Act.REPLIED if reply.text else Act.REPLY_REMOVED):
            return ReviewStateConflict(review.state)
        review = save_review(ctx, review, review.replied(reply.text, ctx.now))
        record(ctx, shop, who_acts(ctx, actor), Action.REVIEW_REPLIED, review.review_id)
    return record_of(ctx, as_shop_sees_it(review), shop)


def miscounted(store: Store) -> Sequence[str]:
    """Return, in words, which stored figures differ from a recount; reads every review."""
    return [
        f"the stored figures for the reviews of {shop.site_id} differ from a recount; `reviewinvite db recount` "
        "corrects them"
        for shop in _wrong(store)
    ]


@write(locks=exclusive_locks)
def recount(ctx: UnitContext) -> Sequence[str]:
    """Replace stored figures that differ from a recount; return the site ids of their shops, sorted."""
    wrong = _wrong(ctx.store)
    for shop in wrong:
        ctx.store.reviews.keep_figures(shop.number, ctx.store.reviews.recount(shop.number))
    return [shop.site_id.text for shop in wrong]


def _wrong(store: Store) -> Sequence[Shop]:
    reviews = store.reviews
    return [shop for shop in store.shops.every() if reviews.figures(shop.number) != reviews.recount(shop.number)]

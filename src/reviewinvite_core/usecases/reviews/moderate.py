"""See what customers wrote, and hide what must not stand. Spec: §3, ADR-27."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.errors import ReviewStateConflict, ReviewUnknown, ShopUnknown
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.reviews import Act, HideReason, Review, ReviewChange, ReviewState
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.store import save_review


@attrs.frozen(kw_only=True)
class ReviewRecord:
    """A review, its shop, its order's number, and its history from the writing on (empty where not asked for)."""

    review: Review
    shop: Shop
    order_number: str | None = None
    history: Sequence[ReviewChange] = ()


@attrs.frozen(kw_only=True)
class ReviewQuery:
    """Which reviews to list: of one shop or all, in one state or any, at most `limit`."""

    site_id: str | None = None
    state: ReviewState | None = None
    limit: int = 100


def list_reviews(ctx: UnitContext, query: ReviewQuery) -> Sequence[ReviewRecord] | ShopUnknown:
    """The newest reviews, the newest first."""
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    newest = ctx.store.reviews.newest(shop=shop, state=query.state, limit=query.limit)
    return [record_of(ctx, review, owner) for owner, review in newest]


def show_review(ctx: UnitContext, review_id: str) -> ReviewRecord | ReviewUnknown:
    """One review with its history."""
    found = _locate(ctx, review_id)
    return _with_history(ctx, *found) if found else ReviewUnknown(review_id)


def hide_review(
    ctx: UnitContext, review_id: str, reason: HideReason
) -> ReviewRecord | ReviewUnknown | ReviewStateConflict:
    """Let a review be seen no longer, for this reason; it counts for no score. The same once more changes nothing."""
    found = _locate(ctx, review_id)
    if found is None:
        return ReviewUnknown(review_id)
    review, shop = found
    if review.state is ReviewState.HIDDEN and review.hidden_for is reason:
        return _with_history(ctx, review, shop)
    if not review.can_move(ReviewState.HIDDEN, Act.HIDDEN):
        return ReviewStateConflict(review.state)
    return _with_history(ctx, save_review(ctx, review, review.hidden(reason, ctx.now)), shop)


def show_review_again(ctx: UnitContext, review_id: str) -> ReviewRecord | ReviewUnknown | ReviewStateConflict:
    """Let a hidden review be seen again; one that is published stays as it is."""
    found = _locate(ctx, review_id)
    if found is None:
        return ReviewUnknown(review_id)
    review, shop = found
    if review.state is ReviewState.PUBLISHED:
        return _with_history(ctx, review, shop)
    if not review.can_move(ReviewState.PUBLISHED, Act.SHOWN_AGAIN):
        return ReviewStateConflict(review.state)
    return _with_history(ctx, save_review(ctx, review, review.shown_again(ctx.now)), shop)


def record_of(ctx: UnitContext, review: Review, shop: Shop) -> ReviewRecord:
    """The review with its order's number, without its history."""
    invitation = ctx.store.invitations.find(review.shop_number, review.invite_id)
    return ReviewRecord(review=review, shop=shop, order_number=invitation.order_number if invitation else None)


def _with_history(ctx: UnitContext, review: Review, shop: Shop) -> ReviewRecord:
    return attrs.evolve(record_of(ctx, review, shop), history=ctx.store.reviews.history(review))


def _locate(ctx: UnitContext, text: str) -> tuple[Review, Shop] | None:
    review_id = parse_uuid(text)
    review = ctx.store.reviews.locate(review_id) if review_id else None
    shop = ctx.store.shops.by_number(review.shop_number) if review else None
    return (review, shop) if review and shop else None

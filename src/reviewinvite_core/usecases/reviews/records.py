"""A review with its shop, order number and history, and finding one by id."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.reviews import Review, ReviewChange
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class ReviewRecord:
    """A review, its shop, its order number, and its history (empty unless requested)."""

    review: Review
    shop: Shop
    order_number: str | None = None
    history: Sequence[ReviewChange] = ()


def record_of(ctx: UnitContext, review: Review, shop: Shop) -> ReviewRecord:
    """Return the review with its order number, without its history."""
    invitation = ctx.store.invitations.find(review.shop_number, review.invite_id)
    return ReviewRecord(review=review, shop=shop, order_number=invitation.order_number if invitation else None)


def with_history(ctx: UnitContext, review: Review, shop: Shop) -> ReviewRecord:
    return attrs.evolve(record_of(ctx, review, shop), history=ctx.store.reviews.history(review))


def locate(ctx: UnitContext, text: str) -> tuple[Review, Shop] | None:
    review_id = parse_uuid(text)
    review = ctx.store.reviews.locate(review_id) if review_id else None
    shop = ctx.store.shops.by_number(review.shop_number) if review else None
    return (review, shop) if review and shop else None

"""List reviews."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import attrs

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.reviews import Review, ReviewState
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.browse import to_place
from reviewinvite_core.usecases.reviews.records import ReviewRecord, record_of

MOST_OF_ORDER = 10_000
"""Invitations with one order number that are searched for reviews."""


@attrs.frozen(kw_only=True)
class ReviewQuery:
    """Selects the reviews to list, at most `limit`; None means all shops, states, orders or times of writing.

    `before` is the id of the last review of the previous page.

    Raises: `Invalid` if `before` is not an id.
    """

    site_id: str | None = None
    state: ReviewState | None = None
    order_number: str | None = None
    since: datetime | None = None
    before: str | None = attrs.field(default=None, converter=to_place)
    limit: int = 100


@read
def list_reviews(ctx: UnitContext, query: ReviewQuery) -> Sequence[ReviewRecord] | ShopUnknown:
    """Return the newest reviews, newest first."""
    found = _select(ctx, query, query.limit)
    return found if isinstance(found, ShopUnknown) else [record_of(ctx, review, owner) for owner, review in found]


@read
def count_reviews(ctx: UnitContext, query: ReviewQuery, up_to: int) -> int | ShopUnknown:
    """Return how many reviews the query selects, whatever its limit; stop counting at `up_to`."""
    found = _select(ctx, query, up_to)
    return found if isinstance(found, ShopUnknown) else len(found)


def _select(ctx: UnitContext, query: ReviewQuery, limit: int) -> Sequence[tuple[Shop, Review]] | ShopUnknown:
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    if query.order_number is None:
        newest = ctx.store.reviews.newest(shop=shop, state=query.state, before=query.before, limit=limit)
    else:
        newest = _of_order(ctx, query.order_number, shop, query, limit)
    return [each for each in newest if query.since is None or each[1].written_at >= query.since]


def _of_order(
    ctx: UnitContext, order_number: str, shop: Shop | None, query: ReviewQuery, limit: int
) -> Sequence[tuple[Shop, Review]]:
    """Return the reviews of orders with this number, by their invitations: a review does not have the number."""
    invited = ctx.store.invitations.newest(shop=shop, state=None, order_number=order_number, limit=MOST_OF_ORDER)
    found = [(owner, ctx.store.reviews.of_invitation(owner.number, one.invite_id)) for owner, one in invited]
    chosen = [(owner, review) for owner, review in found if review and query.state in (None, review.state)]
    chosen.sort(key=lambda each: each[1].review_id, reverse=True)
    return [each for each in chosen if query.before is None or each[1].review_id < query.before][:limit]

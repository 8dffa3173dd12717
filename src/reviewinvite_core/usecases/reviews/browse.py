"""Show a shop's reviews: to everybody the published ones, to the shop itself all, by their last change. Spec: §2."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.reviews import Review, ReviewState
from reviewinvite_core.domain.scores import Distribution, Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.moderate import ReviewRecord
from reviewinvite_core.usecases.reviews.scores import scores_for_shops

PAGE = 20


@attrs.frozen(kw_only=True)
class ShopReviews:
    """What a shop's public page shows; `hosts` are its verified ones, sorted.

    Of its published reviews a page of 20, the newest first; `next` is where the next page begins.
    """

    shop: Shop
    hosts: tuple[str, ...]
    all_time: Distribution
    last_12_months: Score
    reviews: Sequence[Review]
    next: Bookmark | None


@attrs.frozen(kw_only=True)
class MerchantReviews:
    """A page of what changed of a shop's reviews, the longest ago first.

    `next` is the place to go on from, now or later; `more` tells whether there is more already.
    """

    reviews: Sequence[ReviewRecord]
    next: Bookmark
    more: bool


def show_shop_reviews(ctx: UnitContext, site_id: str, before: Bookmark | None) -> ShopReviews | ShopUnknown:
    """The shop's public page, its reviews after the place that is marked where one is. Looking at it is no view."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    found = ctx.store.reviews.published(shop.number, before=before, limit=PAGE + 1)
    page = found[:PAGE]
    return ShopReviews(
        shop=shop,
        hosts=tuple(sorted(ctx.store.domains.verified_of([shop.number]).get(shop.number, ()))),
        all_time=ctx.store.reviews.distribution(shop.number),
        last_12_months=scores_for_shops(ctx, [shop])[shop.number],
        reviews=page,
        next=page[-1].bookmark if len(found) > PAGE else None,
    )


def list_merchant_reviews(ctx: UnitContext, caller: Caller, after: Bookmark, limit: int) -> MerchantReviews:
    """What changed of the caller's own shop's reviews after this place, in any state, with the orders' numbers.

    Nothing is left out by who goes on from `next`: changes are stored in the order of their times (ADR-27).
    """
    shop = ctx.store.shops.by_number(caller.shop_number)
    found = ctx.store.reviews.changed(caller.shop_number, after=after, limit=limit + 1) if shop else []
    page = found[:limit]
    return MerchantReviews(
        reviews=[
            ReviewRecord(review=as_shop_sees_it(review), shop=shop, order_number=number)
            for review, number in page
            if shop
        ],
        next=page[-1][0].change_bookmark if page else after,
        more=len(found) > limit,
    )


def as_shop_sees_it(review: Review) -> Review:
    """Of a hidden review neither text nor name: what must not stand is not passed on either."""
    return attrs.evolve(review, text=None, author=None) if review.state is ReviewState.HIDDEN else review

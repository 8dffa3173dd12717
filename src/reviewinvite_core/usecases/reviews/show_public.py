"""Show a shop's published reviews to everybody. Spec: §2."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.invitation_figures import Shares
from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.overview import first_week
from reviewinvite_core.domain.reviews import Review
from reviewinvite_core.domain.scores import Distribution, Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.scores import scores_for_shops

PAGE = 20


@attrs.frozen(kw_only=True)
class ShopReviews:
    """A page of a shop's public reviews; `hosts` are its verified hosts, sorted.

    `shares` are those of the invitations of the last 12 months.
    It has up to 20 published reviews, newest first; `next` is where the next page begins, or None on the last page.
    """

    shop: Shop
    hosts: tuple[str, ...]
    all_time: Distribution
    last_12_months: Score
    shares: Shares
    reviews: Sequence[Review]
    next: Bookmark | None


@read
def show_shop_reviews(ctx: UnitContext, site_id: str, before: Bookmark | None) -> ShopReviews | ShopUnknown:
    """Return the shop's public page, with reviews after the bookmark if given. This counts no view."""
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
        shares=Shares.of(ctx.store.invitation_figures.totals(shop.number, first_week(day_of(ctx.now)))),
        reviews=page,
        next=page[-1].bookmark if len(found) > PAGE else None,
    )

"""List changes of a shop's reviews, for the shop itself. Spec: §2."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.reviews import Review, ReviewState
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.records import ReviewRecord


@attrs.frozen(kw_only=True)
class MerchantReviews:
    """A page of changes of a shop's reviews, oldest first.

    `next` is the cursor to continue from, now or later; `more` is whether there is more already.
    """

    reviews: Sequence[ReviewRecord]
    next: Bookmark
    more: bool


@read
def list_merchant_reviews(ctx: UnitContext, caller: Caller, after: Bookmark, limit: int) -> MerchantReviews:
    """Return the caller's reviews changed after this cursor, in any state, with their order numbers.

    Continuing from `next` misses nothing: changes are stored in the order of their times (ADR-27).
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
    """Return the review without text and name if it is hidden, so that unlawful content is not passed on."""
    return attrs.evolve(review, text=None, author=None) if review.state is ReviewState.HIDDEN else review

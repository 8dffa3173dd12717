"""List reviews."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.reviews import ReviewState
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.records import ReviewRecord, record_of


@attrs.frozen(kw_only=True)
class ReviewQuery:
    """Selects the reviews to list, at most `limit`; None means all shops or all states."""

    site_id: str | None = None
    state: ReviewState | None = None
    limit: int = 100


@read
def list_reviews(ctx: UnitContext, query: ReviewQuery) -> Sequence[ReviewRecord] | ShopUnknown:
    """Return the newest reviews, newest first."""
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    newest = ctx.store.reviews.newest(shop=shop, state=query.state, limit=query.limit)
    return [record_of(ctx, review, owner) for owner, review in newest]

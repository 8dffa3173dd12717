"""Show how many views a shop had today. Spec: §8."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.views import views_of
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class DayOfViews:
    """Number of a shop's views today (UTC), and its limit; `limit` None means no limit."""

    counted: int
    limit: int | None


@read
def show_views(ctx: UnitContext, site_id: str) -> DayOfViews | ShopUnknown:
    """Return a shop's views of today and their limit."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    limit_key, quota = views_of(shop), ctx.policies.views_per_day.of(shop)
    counted = ctx.store.daily_counters.counted([limit_key], day_of(ctx.now)).get(limit_key, 0)
    return DayOfViews(counted=counted, limit=None if quota.off else quota.count)

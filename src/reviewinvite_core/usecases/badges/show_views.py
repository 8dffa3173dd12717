"""Show how many views a shop had today. Spec: §8."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.views import views_of
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import credential_locks, is_charged, shop_of_reader
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class DayOfViews:
    """Number of a shop's views today (UTC), and its limit; `limit` None means no limit."""

    counted: int
    limit: int | None


@write(locks=credential_locks, only_if=is_charged)
def show_views(ctx: UnitContext, acting: Acting) -> DayOfViews | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop's views of today and their limit."""
    shop = shop_of_reader(ctx, acting)
    if not isinstance(shop, Shop):
        return shop
    limit_key, quota = views_of(shop), ctx.policies.views_per_day.of(shop)
    counted = ctx.store.daily_counters.counted([limit_key], day_of(ctx.now)).get(limit_key, 0)
    return DayOfViews(counted=counted, limit=None if quota.off else quota.count)

"""Show how many new orders browsers reported to a shop today. Spec: §8."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.errors import ShopUnknown
from reviewinvite_core.domain.limits import LimitKey, day_of
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.report_from_snippet import SNIPPET_QUOTA


@attrs.frozen(kw_only=True)
class DayOfSnippets:
    """Number of a shop's new orders from browsers today (UTC), and its limit; `limit` None means no limit."""

    counted: int
    limit: int | None


@read
def show_snippets(ctx: UnitContext, site_id: str) -> DayOfSnippets | ShopUnknown:
    """Return a shop's new orders from browsers today, and their limit."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    limit_key, quota = LimitKey(shop.number, SNIPPET_QUOTA), ctx.policies.snippets_per_day
    counted = ctx.store.daily_counters.counted([limit_key], day_of(ctx.now)).get(limit_key, 0)
    return DayOfSnippets(counted=counted, limit=None if quota.off else quota.count)

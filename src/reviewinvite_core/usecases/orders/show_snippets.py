"""Show how many new orders browsers reported to a shop today. Spec: §8."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ShopUnknown
from reviewinvite_core.domain.limits import LimitKey, day_of
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import credential_locks, is_charged, shop_of_reader
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.report_from_snippet import SNIPPET_QUOTA


@attrs.frozen(kw_only=True)
class DayOfSnippets:
    """Number of a shop's new orders from browsers today (UTC), and its limit; `limit` None means no limit."""

    counted: int
    limit: int | None


@write(locks=credential_locks, only_if=is_charged)
def show_snippets(ctx: UnitContext, acting: Acting) -> DayOfSnippets | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop's new orders from browsers today, and their limit."""
    shop = shop_of_reader(ctx, acting)
    if not isinstance(shop, Shop):
        return shop
    limit_key, quota = LimitKey(shop.number, SNIPPET_QUOTA), ctx.policies.snippets_per_day
    counted = ctx.store.daily_counters.counted([limit_key], day_of(ctx.now)).get(limit_key, 0)
    return DayOfSnippets(counted=counted, limit=None if quota.off else quota.count)

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
from reviewinvite_core.usecases.orders.signatures import WRONG_SIGNATURES


@attrs.frozen(kw_only=True)
class DayOfSnippets:
    """Number of a shop's new orders from browsers today (UTC), and its limit; `limit` None means no limit.

    `wrong_signatures` is how many reports came with a wrong signature today.
    """

    counted: int
    limit: int | None
    wrong_signatures: int = 0


@write(locks=credential_locks, only_if=is_charged)
def show_snippets(ctx: UnitContext, acting: Acting) -> DayOfSnippets | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop's new orders from browsers today, and their limit."""
    shop = shop_of_reader(ctx, acting)
    if not isinstance(shop, Shop):
        return shop
    limit_key, quota = LimitKey(shop.number, SNIPPET_QUOTA), ctx.policies.snippets_per_day
    wrong = LimitKey(shop.number, WRONG_SIGNATURES)
    counted = ctx.store.daily_counters.counted([limit_key, wrong], day_of(ctx.now))
    return DayOfSnippets(
        counted=counted.get(limit_key, 0),
        limit=None if quota.off else quota.count,
        wrong_signatures=counted.get(wrong, 0),
    )

"""Count views of badge and verification, within the day's limit and each client's share. Spec: §8, ADR-25, ADR-43."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.errors import LimitReached
from reviewinvite_core.domain.limits import Crossed, DailyQuota, crossings, day_of
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.views import CountMode, views_of
from reviewinvite_core.usecases.context import UnitContext

ViewRequest: TypeAlias = tuple[Shop, CountMode, ClientAddress | None]


@attrs.frozen
class CountedView:
    """An admitted view: the shares of the day that it crossed, and whether to report that one client makes most views.

    It is reported at most once a day in each process: the client may be a proxy that `TRUSTED_PROXIES` does not name.
    A dry run is not `counted`.
    """

    crossed: Crossed = ()
    one_client: bool = False
    counted: bool = True


def count_views(ctx: UnitContext, asked: Sequence[ViewRequest]) -> Sequence[CountedView | LimitReached]:
    """Admit views in order, as far as each shop's limit and each client's share have room.

    With `CountMode.DRY_RUN` the answer is the same, and nothing is counted. No share applies without a client.
    """
    day = day_of(ctx.now)
    limit_keys = {shop.number: views_of(shop) for shop, _, _ in asked}
    before = ctx.store.daily_counters.counted(limit_keys.values(), day)
    counted = {number: before.get(limit_key, 0) for number, limit_key in limit_keys.items()}
    answers: list[CountedView | LimitReached] = []
    for shop, count_mode, client in asked:
        quota = ctx.policies.views_per_day.of(shop)
        share = None if client is None or quota.off else _Share(ctx, day, shop, client)
        refusal = quota.refusal(counted[shop.number], ctx.now) or (share and share.refusal(ctx))
        if refusal is None and count_mode is CountMode.COUNT:
            counted[shop.number] += 1
            one_client = share is not None and share.take(quota) and ctx.client_counts.first_report()
            answers.append(CountedView(crossings(quota, counted[shop.number]), one_client))
        else:
            answers.append(refusal or CountedView(counted=False))
    new = {limit_key: counted[number] - before.get(limit_key, 0) for number, limit_key in limit_keys.items()}
    ctx.store.daily_counters.count({limit_key: more for limit_key, more in new.items() if more}, day)
    return answers


class _Share:
    """One client's share of a shop's views of a day."""

    def __init__(self, ctx: UnitContext, day: date, shop: Shop, client: ClientAddress) -> None:
        self._quota = ctx.policies.views_per_day.share_of(shop)
        self._clients = ctx.client_counts.of(views_of(shop), day)
        self._client = client.customer.hash(ctx.ring.address)

    def refusal(self, ctx: UnitContext) -> LimitReached | None:
        return self._quota.refusal(self._clients.count(self._client), ctx.now)

    def take(self, of_shop: DailyQuota) -> bool:
        """Count a view; return whether the client has made most views, and used half of what it may use."""
        count = self._clients.add(self._client)
        may_use = min(self._quota.count or of_shop.count, of_shop.count)
        return 2 * count > max(self._clients.total, may_use)

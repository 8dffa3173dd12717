"""Count views of badge and verification, within the day's limit. Spec: §8, ADR-25."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from reviewinvite_core.domain.errors import LimitReached
from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.views import CountMode, Crossing, crossings, views_of
from reviewinvite_core.usecases.context import UnitContext

Crossed: TypeAlias = tuple[Crossing, ...]


def count_views(ctx: UnitContext, asked: Sequence[tuple[Shop, CountMode]]) -> Sequence[Crossed | LimitReached]:
    """Admit views in order, within each shop's limit; return the shares that each view crossed, or its refusal.

    Requests with `CountMode.DRY_RUN` are admitted or refused in the same way, but not counted, and cross no share.
    """
    day = day_of(ctx.now)
    limit_keys = {shop.number: views_of(shop) for shop, _ in asked}
    before = ctx.store.daily_counters.counted(limit_keys.values(), day)
    counted = {number: before.get(limit_key, 0) for number, limit_key in limit_keys.items()}
    answers: list[Crossed | LimitReached] = []
    for shop, count_mode in asked:
        quota = ctx.policies.views_per_day.of(shop)
        refusal = quota.refusal(counted[shop.number], ctx.now)
        if refusal is None and count_mode is CountMode.COUNT:
            counted[shop.number] += 1
            answers.append(crossings(quota, counted[shop.number]))
        else:
            answers.append(refusal or ())
    new = {limit_key: counted[number] - before.get(limit_key, 0) for number, limit_key in limit_keys.items()}
    ctx.store.daily_counters.count({limit_key: more for limit_key, more in new.items() if more}, day)
    return answers

"""Count views of badge and verification, as far as the day's limit has room. Spec: §8, ADR-25."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.errors import LimitReached, ShopUnknown
from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.views import CountMode, Crossing, crossings, views_of
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext

Crossed: TypeAlias = tuple[Crossing, ...]


@attrs.frozen(kw_only=True)
class DayOfViews:
    """How many views a shop had today (UTC), and how many it may have; `limit` None stands for no limit."""

    counted: int
    limit: int | None


def count_views(ctx: UnitContext, asked: Sequence[tuple[Shop, CountMode]]) -> Sequence[Crossed | LimitReached]:
    """Admit them in their order, those of one shop while its limit has room; what each crossed, or when to come again.

    Who peeks is told the same, and counts nothing.
    """
    day = day_of(ctx.now)
    subjects = {shop.number: views_of(shop) for shop, _ in asked}
    before = ctx.store.daily_counters.counted(subjects.values(), day)
    counted = {number: before.get(subject, 0) for number, subject in subjects.items()}
    answers: list[Crossed | LimitReached] = []
    for shop, count_mode in asked:
        ceiling = ctx.policies.views_per_day.of(shop)
        refusal = ceiling.refusal(counted[shop.number], ctx.now)
        if refusal is None and count_mode is CountMode.COUNT:
            counted[shop.number] += 1
            answers.append(crossings(ceiling, counted[shop.number]))
        else:
            answers.append(refusal or ())
    new = {subject: counted[number] - before.get(subject, 0) for number, subject in subjects.items()}
    ctx.store.daily_counters.count({subject: more for subject, more in new.items() if more}, day)
    return answers


@read
def show_views(ctx: UnitContext, site_id: str) -> DayOfViews | ShopUnknown:
    """A shop's views of today and their limit."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    subject, ceiling = views_of(shop), ctx.policies.views_per_day.of(shop)
    counted = ctx.store.daily_counters.counted([subject], day_of(ctx.now)).get(subject, 0)
    return DayOfViews(counted=counted, limit=None if ceiling.off else ceiling.count)

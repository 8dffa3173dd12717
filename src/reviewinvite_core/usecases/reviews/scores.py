"""The score of the last 12 months, shown by badges and statements. Spec: §2."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.scores import NO_REVIEWS, Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext


def scores_for_shops(ctx: UnitContext, shops: Collection[Shop]) -> Mapping[int, Score]:
    """Return each shop's score, by shop number."""
    numbers = {shop.number for shop in shops}
    return {**dict.fromkeys(numbers, NO_REVIEWS), **ctx.store.reviews.scores(numbers, day_of(ctx.now))}

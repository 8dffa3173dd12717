"""The daily views of a shop, the notices as they run out, and how long a badge may be cached."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import attrs
import pytest

from reviewinvite_core.domain.limits import Crossing, DailyQuota, crossings
from reviewinvite_core.domain.trust_mark import TrustMark
from reviewinvite_core.domain.views import ViewLimits, max_age, view_lock
from reviewinvite_core.testing.builders import a_shop

LIMITS = ViewLimits(free=DailyQuota(1_000), member=DailyQuota(10_000))


@pytest.mark.parametrize(("mark", "limit"), [("absent", 1_000), ("granted", 10_000), ("revoked", 10_000)])
def test_a_shop_that_has_the_mark_or_had_it_has_more_views(mark: str, limit: int) -> None:
    shop = attrs.evolve(a_shop().numbered(1), trust_mark=TrustMark(mark))
    assert LIMITS.of(shop) == DailyQuota(limit)


@pytest.mark.parametrize("limit", [*range(1, 40), 999, 1_000, 10_000])
def test_of_a_days_views_one_crosses_each_share(limit: int) -> None:
    told = [(nth, each) for nth in range(1, limit + 1) for each in crossings(DailyQuota(limit), nth)]
    assert [each for _, each in told] == [Crossing(50, limit), Crossing(90, limit)]
    for nth, crossing in told:
        assert nth / limit >= crossing.share / 100
        assert (nth - 1) / limit < crossing.share / 100


def test_without_a_limit_there_are_no_shares_of_it() -> None:
    assert not [nth for nth in range(1, 200) if crossings(DailyQuota(0), nth)]


@pytest.mark.parametrize(
    ("at", "seconds"),
    [("00:00:00", 300), ("12:00:00", 300), ("23:54:59", 300), ("23:55:00", 300), ("23:55:01", 299), ("23:59:59", 1)],
)
def test_a_badge_is_kept_for_five_minutes_but_not_past_midnight(at: str, seconds: int) -> None:
    now = datetime.fromisoformat(f"2026-03-02T{at}").replace(tzinfo=UTC)
    assert max_age(now) == timedelta(seconds=seconds)


def test_each_shop_has_a_lock_of_its_own_of_64_bits() -> None:
    locks = {view_lock(name) for name in ("a", "b", "A", "", "\ud800", "winkel-é")}
    assert len(locks) == 6
    assert all(-(2**63) <= lock < 2**63 for lock in locks)

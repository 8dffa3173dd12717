"""Counts of clients: bounded, never too high, and too low by a known part; and the shares that they are held to."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import attrs
import pytest
from hypothesis import given, strategies as st

from reviewinvite_core.domain.client_counts import ClientCounts, FrequentClients
from reviewinvite_core.domain.limits import DailyQuota, LimitKey, fair_share
from reviewinvite_core.domain.policy import MOST_CLIENTS
from reviewinvite_core.domain.trust_mark import TrustMark
from reviewinvite_core.domain.views import ViewLimits
from reviewinvite_core.testing.builders import a_shop

TODAY = date(2026, 3, 2)
VIEWS = LimitKey(1, "views")


def client(number: int) -> bytes:
    return number.to_bytes(16)


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(0, 3 * MOST_CLIENTS)), max_size=2_000))
def test_a_count_is_never_too_high_and_too_low_by_a_known_part(uses: list[int]) -> None:
    clients, true = FrequentClients(), Counter(uses)
    for each in uses:
        clients.add(client(each))
        assert len(clients) <= MOST_CLIENTS
    for each, count in true.items():
        assert count - len(uses) / (MOST_CLIENTS + 1) <= clients.count(client(each)) <= count
    assert clients.total == len(uses)


def test_few_clients_are_counted_exactly() -> None:
    clients = FrequentClients()
    counts = [clients.add(client(number)) for _ in range(3) for number in range(MOST_CLIENTS)]
    assert counts == [1] * MOST_CLIENTS + [2] * MOST_CLIENTS + [3] * MOST_CLIENTS


def test_one_client_is_found_among_many_others() -> None:
    clients = FrequentClients()
    for number in range(60_000):
        clients.add(client(number if number % 4 else 0))
    assert 14_000 < clients.count(client(0)) <= 15_000
    assert len(clients) <= MOST_CLIENTS


def test_a_day_begins_with_none_also_where_the_clock_was_wrong() -> None:
    counts = ClientCounts()
    for day in (TODAY, TODAY + timedelta(days=400), TODAY):
        assert counts.of(VIEWS, day).add(client(1)) == 1
        assert counts.of(VIEWS, day).add(client(1)) == 2
        assert counts.of(LimitKey(2, "views"), day).count(client(1)) == 0
        assert counts.of(LimitKey(1, "snippets"), day).count(client(1)) == 0
        assert [counts.first_report(), counts.first_report()] == [True, False]


@pytest.mark.parametrize(("count", "share"), [(200, 200), (31, 31), (30, 30), (1, 30), (0, 0)])
def test_a_share_is_at_least_one_minutes_limit(count: int, share: int) -> None:
    assert fair_share(count) == DailyQuota(share)


@pytest.mark.parametrize(
    ("free", "percent", "mark", "share"),
    [
        (1_000, 25, "absent", 250),
        (1_000, 25, "granted", 2_500),
        (1_000, 25, "revoked", 2_500),
        (1_000, 100, "absent", 1_000),
        (1_000, 1, "absent", 30),
        (3, 25, "absent", 30),
        (1_000, 0, "absent", 0),
        (0, 25, "absent", 0),
    ],
)
def test_a_client_may_use_a_part_of_its_shops_day(free: int, percent: int, mark: str, share: int) -> None:
    limits = ViewLimits(free=DailyQuota(free), member=DailyQuota(10_000), percent_per_client=percent)
    shop = attrs.evolve(a_shop().numbered(1), trust_mark=TrustMark(mark))
    assert limits.share_of(shop) == DailyQuota(share)

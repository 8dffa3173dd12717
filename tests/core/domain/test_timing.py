"""Delays and instants, right to the millisecond and whatever the clocks on the wall do."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, strategies as st

from reviewinvite_core import accepted
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.system import SystemClock
from reviewinvite_core.bootstrap.compose import build
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.timing import (
    DEFAULT_DELAY,
    Delay,
    backoff,
    cut_to_millisecond,
    from_microseconds,
    iso_milliseconds,
    to_delay,
    to_microseconds,
)
from reviewinvite_core.testing.builders import ManualClock, a_shop, an_order_report

AMSTERDAM = ZoneInfo("Europe/Amsterdam")
DAY_MS = 86_400_000
instants = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds are naive


@pytest.fixture
def amsterdam() -> Iterator[None]:
    """A machine whose local time is Amsterdam's."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Amsterdam"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def exact_milliseconds(days: float) -> int:
    """Days in whole milliseconds, in exact arithmetic; halves to even."""
    return round(Fraction(days) * DAY_MS)


@given(instant=instants, days=st.floats(0, 60) | st.integers(0, 60) | st.sampled_from([0.5, 2.25, 1 / 3, 1e-9]))
@example(instant=datetime(2026, 3, 27, 12, 0, 0, 999_999, tzinfo=UTC), days=5)  # across the start of summer time
@example(instant=datetime(2026, 10, 23, 12, 0, 0, 1, tzinfo=UTC), days=2.5)  # across its end
@example(instant=datetime(2026, 3, 29, 0, 59, 59, 999_000, tzinfo=UTC), days=1 / DAY_MS)
def test_a_delay_is_right_to_the_millisecond(instant: datetime, days: float) -> None:
    due = Delay.from_days(days).after(instant)
    reported = to_microseconds(instant) // 1000
    assert to_microseconds(due) % 1000 == 0
    if days == int(days):
        assert to_microseconds(due) // 1000 == reported + int(days) * DAY_MS
    assert abs(Fraction(to_microseconds(due), 1000) - reported - Fraction(days) * DAY_MS) <= Fraction(501, 1000)


@pytest.mark.parametrize("month", [3, 10])
def test_five_days_across_a_change_of_clocks_are_five_times_24_hours(amsterdam: None, month: int) -> None:
    reported = datetime(2026, month, 24, 18, 30, 0, 123_456, tzinfo=AMSTERDAM).astimezone(UTC)
    assert (datetime(2026, month, 29, 18, 30, tzinfo=AMSTERDAM) - reported).days in (4, 5)
    app = build(Settings(database_url="memory:"), storage=MemoryStorage(), clock=ManualClock(reported))
    app.shops.add(a_shop(delay_days=5))
    caller = accepted(app.shops.act_for("bakkerij-1"))
    answer = accepted(app.orders.report(caller, an_order_report()))
    assert answer.scheduled_for == cut_to_millisecond(reported) + timedelta(hours=120)
    assert answer.scheduled_for.utcoffset() == timedelta(0)
    app.close()


def test_a_report_of_a_given_instant_is_due_at_a_known_one(amsterdam: None) -> None:
    reported = datetime(2026, 3, 28, 1, 15, 30, 120_999, tzinfo=UTC)
    assert iso_milliseconds(Delay.from_days(1.5).after(reported)) == "2026-03-29T13:15:30.120Z"
    assert iso_milliseconds(DEFAULT_DELAY.after(reported)) == "2026-04-02T01:15:30.120Z"


def test_the_machines_clock_gives_utc_whatever_its_zone(amsterdam: None) -> None:
    now = SystemClock().now()
    assert now.utcoffset() == timedelta(0)
    assert abs(now.timestamp() - time.time()) < 60


@pytest.mark.parametrize("days", [0, 0.0, 60, 60.0, 0.25, 1e-12])
def test_delays_from_0_to_60_days_are_accepted(days: float) -> None:
    assert Delay.from_days(days).milliseconds == exact_milliseconds(days)


@pytest.mark.parametrize(
    "days", [-1, -1e-300, math.nextafter(60, 61), 61, 10**400, math.inf, -math.inf, math.nan, float("1e400")]
)
def test_delays_outside_0_to_60_days_are_refused(days: float) -> None:
    with pytest.raises(Invalid) as caught:
        Delay.from_days(days)
    assert caught.value == Invalid(Problem.OUT_OF_RANGE, "delay_days")


@pytest.mark.parametrize("days", [True, False, "5", b"5", None, Decimal(5), Fraction(5), [5], 5j])
def test_only_a_number_is_a_delay(days: Any) -> None:
    with pytest.raises(Invalid) as caught:
        to_delay(days)
    assert caught.value == Invalid(Problem.WRONG_TYPE, "delay_days")


def test_a_delay_is_told_in_days() -> None:
    assert DEFAULT_DELAY.days == 5
    assert Delay.from_days(2.5).days == 2.5
    assert to_delay(Delay(7)) == Delay(7)


@given(instants)
def test_an_instant_survives_being_stored(instant: datetime) -> None:
    assert from_microseconds(to_microseconds(instant)) == instant


@given(instants)
def test_an_instant_is_written_in_utc_cut_to_milliseconds(instant: datetime) -> None:
    written = iso_milliseconds(instant.astimezone(AMSTERDAM))
    assert len(written) == len("2026-03-29T01:00:00.000Z")
    assert datetime.fromisoformat(written) == cut_to_millisecond(instant) <= instant


@given(attempt=st.integers(1, 10_000), jitter=st.floats(0, 1))
def test_pauses_between_tries_grow_from_a_minute_to_four_hours(attempt: int, jitter: float) -> None:
    longest = min(60 * 2 ** min(attempt - 1, 30), 4 * 3600)
    assert longest * 0.75 <= backoff(attempt, jitter).total_seconds() <= longest
    assert backoff(attempt, 0).total_seconds() == longest

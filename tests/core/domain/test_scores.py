"""What a score is made of, and for how long a review counts."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, strategies as st
from tests.twelve_months import counted_until

from reviewinvite_core.domain.scores import NO_REVIEWS, Distribution, Figures, Score, Span, first_counted, spans_since

ONE_DAY = timedelta(days=1)
DISTRIBUTIONS = st.builds(Distribution, st.tuples(*[st.integers(0, 1_000)] * 5))


@given(DISTRIBUTIONS)
def test_the_mean_is_rounded_as_decimals_are_halves_up(distribution: Distribution) -> None:
    ratings = [rating for rating, count in enumerate(distribution.counts, 1) for _ in range(count)]
    score = distribution.score
    assert score == Score(count=len(ratings), total=sum(ratings))
    if ratings:
        mean = (Decimal(sum(ratings)) / len(ratings)).quantize(Decimal("0.01"), ROUND_HALF_UP)
        assert score.mean == str(mean)
    else:
        assert score.mean is None


@pytest.mark.parametrize(("count", "total", "mean"), [(200, 201, "1.01"), (200, 999, "5.00"), (8, 37, "4.63")])
def test_a_half_is_rounded_up(count: int, total: int, mean: str) -> None:
    assert Score(count=count, total=total).mean == mean


def test_a_review_counts_through_the_day_before_the_same_date_a_year_on() -> None:
    """On each day of nine years, leap days before and after: a day counts exactly as long as `counted_until` says."""
    days = [date(2023, 1, 1) + n * ONE_DAY for n in range(9 * 366)]
    for today in days:
        first = first_counted(today)
        assert counted_until(first) > today >= counted_until(first - ONE_DAY)
    assert all(counted_until(day) <= counted_until(day + ONE_DAY) for day in days)


@pytest.mark.parametrize(
    ("today", "first"),
    [
        (date(2026, 11, 20), date(2025, 11, 21)),
        (date(2025, 2, 27), date(2024, 2, 28)),
        (date(2025, 2, 28), date(2024, 3, 1)),
        (date(2024, 2, 28), date(2023, 3, 1)),
        (date(2024, 2, 29), date(2023, 3, 1)),
        (date(2025, 12, 31), date(2025, 1, 1)),
    ],
)
def test_the_twelve_months_are_calendar_days(today: date, first: date) -> None:
    assert first_counted(today) == first


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.dates(date(2000, 1, 1), date(2101, 1, 1)))
def test_days_and_months_together_hold_each_day_from_the_first_on_once(first: date, day: date) -> None:
    held = [since <= span.start(day) < until for span, (since, until) in spans_since(first).items()]
    assert sum(held) == (day >= first)


def test_so_few_rows_make_a_score() -> None:
    for n in range(400):
        today = date(2026, 1, 1) + n * ONE_DAY
        (since, until), (month, _) = spans_since(first_counted(today)).values()
        months = (today.year - month.year) * 12 + today.month - month.month + 1
        assert (until - since).days <= 30
        assert 11 <= months <= 13


@given(st.dictionaries(st.dates(date(2024, 1, 1), date(2027, 12, 31)), DISTRIBUTIONS))
def test_months_are_the_sums_of_their_days(days: dict[date, Distribution]) -> None:
    figures = Figures.of(days)
    assert sum(figures.days.values(), Distribution()) == sum(figures.months.values(), Distribution())
    assert all(figures.days.values())
    assert all(first.day == 1 for first in figures.months)
    for day in figures.days:
        assert Span.MONTH.start(day) in figures.months


def test_no_reviews_have_no_mean() -> None:
    assert (NO_REVIEWS.count, NO_REVIEWS.mean) == (0, None)
    assert not Distribution()
    assert Distribution.of(2) + -Distribution.of(2) == Distribution()

"""What customers think of a shop, in figures: kept by the day and the month, so that a score is a short sum. ADR-27."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from enum import StrEnum

import attrs

LOWEST_RATING, HIGHEST_RATING = 1, 5
RATINGS = tuple(range(LOWEST_RATING, HIGHEST_RATING + 1))


@attrs.frozen(kw_only=True)
class Score:
    """The count of a shop's published reviews, and the sum of their ratings (1 to 5 each)."""

    count: int
    total: int

    @property
    def mean(self) -> str | None:
        """The mean rating with two decimals, halves rounded up; None without reviews.

        >>> Score(count=8, total=37).mean
        '4.63'
        """
        if self.count == 0:
            return None
        hundredths = (200 * self.total + self.count) // (2 * self.count)
        return f"{hundredths // 100}.{hundredths % 100:02d}"


NO_REVIEWS = Score(count=0, total=0)


@attrs.frozen
class Distribution:
    """How many reviews have each rating, those with 1 first.

    >>> Distribution((1, 0, 0, 0, 4)).score
    Score(count=5, total=21)
    """

    counts: tuple[int, ...] = (0,) * len(RATINGS)

    @classmethod
    def of(cls, rating: int, count: int = 1) -> Distribution:
        """So many reviews with this rating, and no other."""
        return cls(tuple(count if each == rating else 0 for each in RATINGS))

    @property
    def score(self) -> Score:
        """Their count, and the sum of their ratings."""
        return Score(
            count=sum(self.counts), total=sum(n * rating for n, rating in zip(self.counts, RATINGS, strict=True))
        )

    def __add__(self, other: Distribution) -> Distribution:
        return Distribution(tuple(map(sum, zip(self.counts, other.counts, strict=True))))

    def __neg__(self) -> Distribution:
        return Distribution(tuple(-count for count in self.counts))

    def __bool__(self) -> bool:
        return any(self.counts)


class Span(StrEnum):
    """How long a time figures are kept for."""

    DAY = "day"
    MONTH = "month"

    def start(self, day: date) -> date:
        """The first day of the span that this one is in."""
        return day if self is Span.DAY else day.replace(day=1)


@attrs.frozen(kw_only=True)
class Figures:
    """A shop's published reviews by the UTC day, and by the month, in which they were first written; none is empty."""

    days: Mapping[date, Distribution]
    months: Mapping[date, Distribution]

    @classmethod
    def of(cls, days: Mapping[date, Distribution]) -> Figures:
        """The figures of which these are the days."""
        months: dict[date, Distribution] = defaultdict(Distribution)
        for day, distribution in days.items():
            months[Span.MONTH.start(day)] += distribution
        return cls(days=_without_empty(days), months=_without_empty(months))


def first_counted(today: date) -> date:
    """The first day whose reviews are of the last 12 months, today.

    >>> first_counted(date(2026, 11, 20))
    datetime.date(2025, 11, 21)
    """
    tomorrow = today + timedelta(days=1)
    try:
        return tomorrow.replace(year=tomorrow.year - 1)
    except ValueError:
        return date(tomorrow.year - 1, 3, 1)


def spans_since(first: date) -> Mapping[Span, tuple[date, date]]:
    """Which days and months make all time from this day on: of each span the first, and the one after the last.

    The days that are left of a month that has begun already, and every month after it.
    """
    month = first if first.day == 1 else (first.replace(day=1) + timedelta(days=32)).replace(day=1)
    return {Span.DAY: (first, month), Span.MONTH: (month, date.max)}


def _without_empty(figures: Mapping[date, Distribution]) -> dict[date, Distribution]:
    return {first: each for first, each in figures.items() if each}

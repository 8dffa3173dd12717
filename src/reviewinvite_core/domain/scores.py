"""Shops' ratings in figures, stored by day and by month so that a score is a short sum. ADR-27."""

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
    """A shop's score: the number of its published reviews, and the sum of their ratings (1 to 5 each).

    `confirmed` of the reviews are of confirmed orders: all, unless said otherwise.
    """

    count: int
    total: int
    confirmed: int = attrs.field(default=attrs.Factory(lambda self: self.count, takes_self=True))

    @property
    def mean(self) -> str | None:
        """Mean rating with two decimals, halves rounded up; None without reviews.

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
    """Number of reviews with each rating, starting at 1; `confirmed` is as in `Score`.

    >>> Distribution((1, 0, 0, 0, 4), confirmed=3).score
    Score(count=5, total=21, confirmed=3)
    """

    counts: tuple[int, ...] = (0,) * len(RATINGS)
    confirmed: int = attrs.field(default=attrs.Factory(lambda self: sum(self.counts), takes_self=True))

    @classmethod
    def of(cls, rating: int, count: int = 1, *, confirmed: bool = True) -> Distribution:
        """Return a distribution of `count` reviews that all have this rating, and are all confirmed or none of them."""
        return cls(tuple(count if each == rating else 0 for each in RATINGS), count if confirmed else 0)

    @property
    def score(self) -> Score:
        """Number of reviews, the sum of their ratings, and how many are confirmed."""
        return Score(
            count=sum(self.counts),
            total=sum(n * rating for n, rating in zip(self.counts, RATINGS, strict=True)),
            confirmed=self.confirmed,
        )

    def __add__(self, other: Distribution) -> Distribution:
        counts = tuple(map(sum, zip(self.counts, other.counts, strict=True)))
        return Distribution(counts, self.confirmed + other.confirmed)

    def __neg__(self) -> Distribution:
        return Distribution(tuple(-count for count in self.counts), -self.confirmed)

    def __bool__(self) -> bool:
        return any(self.counts) or self.confirmed != 0


class Span(StrEnum):
    """Period over which figures are summed."""

    DAY = "day"
    MONTH = "month"

    def start(self, day: date) -> date:
        """Return the first day of the span that contains `day`."""
        return day if self is Span.DAY else day.replace(day=1)


@attrs.frozen(kw_only=True)
class Figures:
    """A shop's published reviews by UTC day and by month of first writing; days and months without any are left out."""

    days: Mapping[date, Distribution]
    months: Mapping[date, Distribution]

    @classmethod
    def of(cls, days: Mapping[date, Distribution]) -> Figures:
        """Return the figures for these days."""
        months: dict[date, Distribution] = defaultdict(Distribution)
        for day, distribution in days.items():
            months[Span.MONTH.start(day)] += distribution
        return cls(days=_without_empty(days), months=_without_empty(months))


def first_counted(today: date) -> date:
    """Return the first day of the 12 months that end today.

    >>> first_counted(date(2026, 11, 20))
    datetime.date(2025, 11, 21)
    """
    tomorrow = today + timedelta(days=1)
    try:
        return tomorrow.replace(year=tomorrow.year - 1)
    except ValueError:
        return date(tomorrow.year - 1, 3, 1)


def spans_since(first: date) -> Mapping[Span, tuple[date, date]]:
    """Return the days and months that together cover all time from `first` on.

    Each span maps to its first day and the day after its last: the days left in a month already begun, then whole
    months.
    """
    month = first if first.day == 1 else (first.replace(day=1) + timedelta(days=32)).replace(day=1)
    return {Span.DAY: (first, month), Span.MONTH: (month, date.max)}


def _without_empty(figures: Mapping[date, Distribution]) -> dict[date, Distribution]:
    return {first: each for first, each in figures.items() if each}

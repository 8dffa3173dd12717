"""How long a review counts, as the specification says it: the other way round than the service reckons. ADR-27."""

from __future__ import annotations

from datetime import date


def counted_until(day: date) -> date:
    """The day from which a review first written on `day` is no longer of the last 12 months: the same date a year on.

    After 29 February it is 28 February.
    """
    try:
        return day.replace(year=day.year + 1)
    except ValueError:
        return date(day.year + 1, 2, 28)

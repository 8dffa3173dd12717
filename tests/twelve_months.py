"""How long a review counts, computed as the specification says it, in the opposite direction of the service. ADR-27."""

from __future__ import annotations

from datetime import date


def counted_until(day: date) -> date:
    """Return the first day on which a review written on `day` is no longer of the last 12 months.

    It is the same date a year later, and 28 February after 29 February.
    """
    try:
        return day.replace(year=day.year + 1)
    except ValueError:
        return date(day.year + 1, 2, 28)

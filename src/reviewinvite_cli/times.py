"""Times for people: in UTC, or with `--local` in this machine's time zone. Times in JSON are always in UTC.

`output` formats a `datetime` when it prints it; the heading of its column comes from `timed`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta

_is_local: ContextVar[bool] = ContextVar("is_local", default=False)


@contextmanager
def local_times(wanted: bool) -> Iterator[None]:
    """Print times in this machine's zone during the block, if wanted."""
    token = _is_local.set(wanted)
    try:
        yield
    finally:
        _is_local.reset(token)


def instant(value: datetime) -> str:
    """Format an instant without its zone, which the heading names: `2026-03-07 09:15:30`."""
    return f"{_in_zone(value):%Y-%m-%d %H:%M:%S}"


def moment(value: datetime) -> str:
    """Format an instant with its zone, for a sentence: `2026-03-07 09:15:30 UTC`."""
    return f"{_in_zone(value):%Y-%m-%d %H:%M:%S %Z}"


def timed(heading: str) -> str:
    """Return the heading of a column of instants: with `UTC`, or the names of this machine's zone, `CET/CEST`."""
    zone = "/".join(dict.fromkeys(time.tzname)) if _is_local.get() else "UTC"
    return f"{heading} ({zone})"


def relative(value: datetime, now: datetime) -> str:
    """Return how far away an instant is, in its largest unit: `in 3 days`, `2 hours ago`, `now`."""
    away = abs(value - now)
    if away < timedelta(minutes=1):
        return "now"
    return f"in {span(away)}" if value > now else f"{span(away)} ago"


def span(duration: timedelta) -> str:
    """Return a duration in its largest unit: `3 days`, `1 hour`, `less than a minute`."""
    for unit, one in (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1))):
        if number := duration // one:
            return f"{number:,} {unit}{'' if number == 1 else 's'}"
    return "less than a minute"


def from_naive(value: datetime) -> datetime:
    """Return an instant that was given without its zone, in the zone in which times are printed."""
    return value.astimezone() if _is_local.get() else value.replace(tzinfo=UTC)


def _in_zone(value: datetime) -> datetime:
    return value.astimezone() if _is_local.get() else value.astimezone(UTC)

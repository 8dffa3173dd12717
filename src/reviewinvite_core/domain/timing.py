"""Instants and delays. Every instant is UTC; a day is 86,400 seconds, whatever daylight saving time does (ADR-9)."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import attrs

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.policy import (
    DEFAULT_DELAY_DAYS,
    FIRST_PAUSE_BEFORE_RETRY,
    LONGEST_DELAY_DAYS,
    LONGEST_PAUSE_BEFORE_RETRY,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_IN_MILLISECONDS = 86_400_000


@attrs.frozen
class Delay:
    """Time from an order's report to its invitation, in whole milliseconds. Spec: §2, §8."""

    milliseconds: int

    @classmethod
    def from_days(cls, days: float) -> Delay:
        """Return a delay of `days`, fractions allowed, rounded to the millisecond.

        Raises: `Invalid` unless it is a finite number from 0 to 60; a boolean is not a number.
        """
        if isinstance(days, bool) or not isinstance(days, int | float):
            raise Invalid(Problem.WRONG_TYPE, "delay_days")
        if not 0 <= days <= LONGEST_DELAY_DAYS:  # also false for NaN
            raise Invalid(Problem.OUT_OF_RANGE, "delay_days")
        return cls(round(days * DAY_IN_MILLISECONDS))

    @property
    def days(self) -> float:
        """The delay in days."""
        return self.milliseconds / DAY_IN_MILLISECONDS

    def after(self, instant: datetime) -> datetime:
        """Return the instant this long after `instant`, which is truncated to the millisecond first."""
        return cut_to_millisecond(instant) + timedelta(milliseconds=self.milliseconds)


def to_delay(value: float | Delay) -> Delay:
    """Return `value` itself, or a delay of that many days.

    Raises: `Invalid`.
    """
    return value if isinstance(value, Delay) else Delay.from_days(value)


DEFAULT_DELAY = Delay.from_days(DEFAULT_DELAY_DAYS)


def cut_to_millisecond(instant: datetime) -> datetime:
    """Truncate `instant` to the millisecond."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def to_microseconds(instant: datetime) -> int:
    """Return microseconds since 1970-01-01T00:00:00Z, the stored form of instants (ADR-9)."""
    since = instant - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def from_microseconds(microseconds: int) -> datetime:
    """Return the UTC instant that is `microseconds` after 1970-01-01T00:00:00Z."""
    return EPOCH + timedelta(microseconds=microseconds)


def iso_milliseconds(instant: datetime) -> str:
    """Format an instant as ISO 8601 in UTC with milliseconds, as the interface does. Spec: §2.

    >>> iso_milliseconds(datetime(2026, 3, 29, 1, 0, tzinfo=UTC))
    '2026-03-29T01:00:00.000Z'
    """
    return instant.astimezone(UTC).isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"


def backoff(attempt: int, jitter: float) -> timedelta:
    """Return how long to wait after attempt number `attempt` (from 1) was refused for now.

    The wait doubles from one minute up to four hours. `jitter` from 0 to 1 removes up to a quarter of it, so that
    attempts are spread out when a mail server comes back.
    """
    longest = min(FIRST_PAUSE_BEFORE_RETRY * 2 ** min(attempt - 1, 16), LONGEST_PAUSE_BEFORE_RETRY)
    return timedelta(seconds=math.ceil(longest.total_seconds() * (1 - jitter / 4)))

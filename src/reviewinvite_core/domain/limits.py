"""Exact limits: they hold for every span of time, not for minutes on a clock. Spec: §8, ADR-5."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import attrs

from reviewinvite_core.domain.errors import LimitReached

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


@attrs.frozen
class LimitKey:
    """What a limit applies to: a shop and the name of a counter within it."""

    shop_number: int
    name: str


@attrs.frozen
class Limit:
    """At most `count` in any span of `window`; 0 switches it off.

    It needs only the time of the `count`-th newest admission: another call is admitted exactly if that is at least a
    whole window ago. So nothing is estimated, and a client that stays below the limit is never refused.
    """

    count: int
    window: timedelta = MINUTE

    @property
    def off(self) -> bool:
        """Whether the limit is switched off."""
        return self.count == 0

    def refusal(self, nth_newest: datetime | None, now: datetime) -> LimitReached | None:
        """Return None if another call is admitted now, else the refusal.

        `nth_newest` is the instant of the `count`-th newest admission, or None if there were fewer.
        """
        if self.off or nth_newest is None or now - nth_newest >= self.window:
            return None
        return LimitReached(asked_at=now, retry_at=nth_newest + self.window)


@attrs.frozen
class DailyQuota:
    """At most `count` in a calendar day, which begins at 00:00 UTC; 0 switches it off."""

    count: int

    @property
    def off(self) -> bool:
        """Whether the quota is switched off."""
        return self.count == 0

    def refusal(self, counted: int, now: datetime) -> LimitReached | None:
        """Return None if another one is admitted today, when `counted` is the count so far; else the refusal."""
        if self.off or counted < self.count:
            return None
        return LimitReached(asked_at=now, retry_at=next_midnight(now))


def day_of(now: datetime) -> date:
    """Return the calendar day in UTC."""
    return now.astimezone(UTC).date()


def next_midnight(now: datetime) -> datetime:
    """Return the first instant of the next calendar day in UTC."""
    return datetime.combine(day_of(now) + DAY, time(), tzinfo=UTC)

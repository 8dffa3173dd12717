"""Exact limits: they hold for every span of time, not for minutes on a clock. Spec: §8, ADR-5."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple, TypeAlias

import attrs

from reviewinvite_core.domain.policy import LEAST_SHARE, REPORTED_SHARES
from reviewinvite_core.domain.refusals import LimitReached, whole_seconds

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


class LimitKey(NamedTuple):
    """What a limit applies to: a shop and the name of a counter within it."""

    shop_number: int
    name: str


@attrs.frozen
class Limit:
    """At most `count` in any span of `window`; 0 switches it off.

    It needs only the time of the `count`-th newest admission: another call is admitted exactly if that is at least a
    whole window ago. So nothing is estimated, and a client that stays below the limit is never refused.
    `name` is that of its setting.
    """

    count: int
    window: timedelta = MINUTE
    name: str = attrs.field(default="", eq=False, repr=False)

    @property
    def off(self) -> bool:
        """Whether the limit is switched off."""
        return self.count == 0

    def has_room(self, counted: int) -> bool:
        """Return whether another one is admitted after `counted` in the window."""
        return self.off or counted < self.count

    def refusal(self, nth_newest: datetime | None, now: datetime) -> LimitReached | None:
        """Return None if another call is admitted now, else the refusal.

        `nth_newest` is when the `count`-th newest was admitted, or None if there were fewer. If that is later than now,
        because the clock was set back, it counts as admitted now: how long ago it really was is unknown (ADR-48).
        """
        if self.off or nth_newest is None or now - nth_newest >= self.window:
            return None
        return LimitReached(asked_at=now, retry_at=min(nth_newest, now) + self.window, limit=self.name)


@attrs.frozen
class Usage:
    """Use of a limit before a call: how many admissions its window holds, and the oldest of these.

    `nth_newest` is when the newest admission but `count` - 1 was, or None if there were fewer than `count`.
    """

    nth_newest: datetime | None = None
    admitted: int = 0
    oldest: datetime | None = None


@attrs.frozen(kw_only=True)
class Remaining:
    """What is left of a limit after a call: `count` more are admitted now, and more than that after `seconds`."""

    counter: str
    limit: Limit
    count: int
    seconds: int

    @classmethod
    def after(cls, counter: str, limit: Limit, usage: Usage, now: datetime) -> Remaining:
        """Return what is left after a call at `now` that was admitted, or refused, with this usage before it."""
        refusal = limit.refusal(usage.nth_newest, now)
        if refusal:
            return cls(counter=counter, limit=limit, count=0, seconds=refusal.retry_after_seconds)
        count = max(0, limit.count - usage.admitted - 1)
        next_at = min(usage.oldest or now, now) + limit.window
        return cls(counter=counter, limit=limit, count=count, seconds=whole_seconds(next_at - now))


@attrs.frozen
class DailyQuota:
    """At most `count` in a calendar day, which begins at 00:00 UTC; 0 switches it off. `name` is its setting's."""

    count: int
    name: str = attrs.field(default="", eq=False, repr=False)

    @property
    def off(self) -> bool:
        """Whether the quota is switched off."""
        return self.count == 0

    def refusal(self, counted: int, now: datetime) -> LimitReached | None:
        """Return None if another one is admitted today, when `counted` is the count so far; else the refusal."""
        if self.off or counted < self.count:
            return None
        return LimitReached(asked_at=now, retry_at=next_midnight(now), limit=self.name)


def fair_share(count: int, name: str = "") -> DailyQuota:
    """Return the quota of one client, with at least one minute's limit; 0 switches it off. ADR-43."""
    return DailyQuota(max(count, LEAST_SHARE) if count else 0, name)


@attrs.frozen
class Crossing:
    """A share (in per cent) of a day's quota, reported by the use that crossed it."""

    share: int
    limit: int


Crossed: TypeAlias = tuple[Crossing, ...]


def crossings(quota: DailyQuota, nth: int) -> Crossed:
    """Return the shares of the quota that the day's `nth` use crosses; one use a day crosses each share.

    >>> [nth for nth in range(1, 1001) if crossings(DailyQuota(1000), nth)]
    [500, 900]
    """
    limit = quota.count
    if quota.off or nth * 100 < REPORTED_SHARES[0] * limit:
        return ()
    return tuple(Crossing(share, limit) for share in REPORTED_SHARES if (nth - 1) * 100 < share * limit <= nth * 100)


def day_of(now: datetime) -> date:
    """Return the calendar day in UTC."""
    return now.astimezone(UTC).date()


def next_midnight(now: datetime) -> datetime:
    """Return the first instant of the next calendar day in UTC."""
    return datetime.combine(day_of(now) + DAY, time(), tzinfo=UTC)

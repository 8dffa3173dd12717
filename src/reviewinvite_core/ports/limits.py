"""Where limits keep what they have counted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from reviewinvite_core.domain.limits import LimitKey


class RateLimitLog(Protocol):
    """What was admitted under a limit, each admission with its instant."""

    def nth_newest(self, limit_keys: Sequence[LimitKey], count: int) -> Mapping[LimitKey, datetime]:
        """When the `count`-th newest was admitted, for each subject that has so many."""

    def admit(self, limit_keys: Sequence[LimitKey], at: datetime, *, replacing_nth: int | None = None) -> None:
        """Record one for each of them, all different; where n is said, in place of its n-th newest, of no use now."""

    def sweep(self, *, before: datetime, after: datetime, limit: int) -> int:
        """Forget up to `limit` admissions before `before` or later than `after` (a clock was set back); how many."""


class DailyCounters(Protocol):
    """What was counted in a calendar day (UTC)."""

    def counted(self, limit_keys: Collection[LimitKey], day: date) -> Mapping[LimitKey, int]:
        """How many were counted for each on this day; those with none are left out."""

    def count(self, counts: Mapping[LimitKey, int], day: date) -> None:
        """Count so many more for each on this day."""

    def sweep(self, before: date, limit: int) -> int:
        """Forget up to `limit` counters of days before this one; how many."""

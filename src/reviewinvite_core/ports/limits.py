"""Storage for the counts behind limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from reviewinvite_core.domain.frequency import Recipient
from reviewinvite_core.domain.limits import LimitKey, Usage


class RateLimitLog(Protocol):
    """Admissions under rate limits, each with its instant."""

    def nth_newest(self, limit_keys: Sequence[LimitKey], count: int) -> Mapping[LimitKey, datetime]:
        """Return the instant of the `count`-th newest admission of each key that has at least that many."""

    def usage(self, limit_keys: Sequence[LimitKey], count: int, *, after: datetime) -> Mapping[LimitKey, Usage]:
        """Return, for each key, its `count`-th newest admission, how many were later than `after`, and the oldest one.

        Takes as many statements as `nth_newest`. More than `count` may be counted as `count`.
        """

    def admit(self, limit_keys: Sequence[LimitKey], at: datetime, *, replacing_nth: int | None = None) -> None:
        """Record one admission for each of these distinct keys.

        With `replacing_nth`, a key's n-th newest admission and older ones are no longer needed.
        """

    def bring_back(self, limit_keys: Sequence[LimitKey], now: datetime) -> None:
        """Date these keys' admissions that are later than `now` to `now`, because the clock was set back."""

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete admissions before this instant, at most `limit` rows; return how many.

        The storage may keep them for a minute longer.
        """

    def bring_back_all(self, now: datetime, *, later_than: datetime, limit: int) -> int:
        """Date admissions later than `later_than` to `now`, at most `limit` rows; return how many.

        `later_than` is at least a minute after `now`. Others of the same minute that are later than `now` may be too.
        """


class DailyCounters(Protocol):
    """Counters by calendar day (UTC)."""

    def counted(self, limit_keys: Collection[LimitKey], day: date) -> Mapping[LimitKey, int]:
        """Return each key's count on this day; keys without any are left out."""

    def count(self, counts: Mapping[LimitKey, int], day: date) -> None:
        """Add these counts on this day."""

    def sweep(self, before: date, limit: int) -> int:
        """Delete up to `limit` counters of days before this one; return the number of deleted counters."""


class SnippetReports(Protocol):
    """Orders that open snippets reported of late, by shop and person: how often, and never which order it was."""

    def counted(
        self, asked: Collection[Recipient], since: datetime, until: datetime
    ) -> Mapping[Recipient, tuple[int, int]]:
        """Return how many reports each of these people had between these instants: at the shop, and at all shops.

        `asked` has pairs of a shop's number and a person's hash; who had none at any shop is left out.
        """

    def count(self, reported: Collection[Recipient], at: datetime) -> None:
        """Add a report of each of these at this instant."""

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete up to `limit` rows of before this instant; return how many."""

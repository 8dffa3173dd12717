"""Storage of shops' activity logs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.activity import Activity


class ActivityLog(Protocol):
    """Who changed what at each shop."""

    def add(self, activity: Activity) -> None:
        """Store a new entry."""

    def newest(self, shop_number: int, *, after: str | None, since: datetime | None, limit: int) -> Sequence[Activity]:
        """Return up to `limit` entries of a shop by descending id, so newest first.

        `after` excludes entries with this id or a higher one, `since` those of earlier milliseconds. Ids increase with
        time, so new entries never appear on a later page.
        """

    def nth_newest_notice(self, shop_number: int, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        """Return the instant of the `nth` newest entry of a shop that `mails_others`, or None if there are fewer.

        Only entries after one instant and up to another count.
        """

    def nth_newest_addition(self, member_id: str, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        """Return the instant of the `nth` newest entry of any shop that `adds` this person, or None.

        Only entries after one instant and up to another count.
        """

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete up to `limit` entries from before this instant; return how many."""

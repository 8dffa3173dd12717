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

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete up to `limit` entries from before this instant; return how many."""

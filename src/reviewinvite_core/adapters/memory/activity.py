"""Shops' activity logs in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.activity import Activity, first_id_at


class MemoryActivityLog:
    """Implements `ports.ActivityLog`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._entries: Table[tuple[int, str], Activity] = Table(undo_log)

    def add(self, activity: Activity) -> None:
        self._entries[activity.shop_number, activity.activity_id] = activity

    def newest(self, shop_number: int, *, after: str | None, since: datetime | None, limit: int) -> Sequence[Activity]:
        first = first_id_at(since) if since else ""
        found = [
            entry
            for entry in self._entries.values()
            if entry.shop_number == shop_number
            and (after is None or entry.activity_id < after)
            and entry.activity_id >= first
        ]
        return sorted(found, key=lambda entry: entry.activity_id, reverse=True)[:limit]

    def nth_newest_notice(self, shop_number: int, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        noticed = (each for each in self._entries.values() if each.shop_number == shop_number and each.mails_others)
        return _nth_newest(noticed, nth, after, until)

    def nth_newest_addition(self, member_id: str, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        return _nth_newest((each for each in self._entries.values() if each.adds(member_id)), nth, after, until)

    def sweep(self, before: datetime, limit: int) -> int:
        old = [place for place, entry in self._entries.items() if entry.at < before][:limit]
        for place in old:
            self._entries.pop(place)
        return len(old)


def _nth_newest(entries: Iterable[Activity], nth: int, after: datetime, until: datetime) -> datetime | None:
    instants = sorted((each.at for each in entries if after < each.at <= until), reverse=True)
    return instants[nth - 1] if len(instants) >= nth else None

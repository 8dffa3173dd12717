"""Admissions under rate limits, daily counters and orders that open snippets reported, in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.frequency import Recipient
from reviewinvite_core.domain.limits import LimitKey, Usage


class MemoryRateLimitLog:
    """Instants of admissions by key, oldest first. Implements `ports.RateLimitLog`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._admitted: Table[LimitKey, tuple[datetime, ...]] = Table(undo_log)

    def nth_newest(self, limit_keys: Sequence[LimitKey], count: int) -> Mapping[LimitKey, datetime]:
        admitted = {limit_key: self._admitted.get(limit_key) or () for limit_key in limit_keys}
        return {limit_key: instants[-count] for limit_key, instants in admitted.items() if len(instants) >= count}

    def usage(self, limit_keys: Sequence[LimitKey], count: int, *, after: datetime) -> Mapping[LimitKey, Usage]:
        nth_newest = self.nth_newest(limit_keys, count)
        used = {}
        for limit_key in limit_keys:
            later = [at for at in self._admitted.get(limit_key) or () if at > after]
            used[limit_key] = Usage(nth_newest.get(limit_key), len(later), later[0] if later else None)
        return used

    def admit(self, limit_keys: Sequence[LimitKey], at: datetime, *, replacing_nth: int | None = None) -> None:
        for limit_key in limit_keys:
            admitted = self._admitted.get(limit_key) or ()
            if replacing_nth:
                index = len(admitted) - replacing_nth
                admitted = admitted[:index] + admitted[index + 1 :]
            self._admitted[limit_key] = (*admitted, at)

    def bring_back(self, limit_keys: Sequence[LimitKey], now: datetime) -> None:
        for limit_key in limit_keys:
            self._admitted[limit_key] = tuple(min(at, now) for at in self._admitted.get(limit_key) or ())

    def sweep(self, before: datetime, limit: int) -> int:
        forgotten = 0
        for limit_key, admitted in self._admitted.items():
            spent = [place for place, at in enumerate(admitted) if at < before][: limit - forgotten]
            if spent:
                forgotten += len(spent)
                self._admitted[limit_key] = tuple(at for place, at in enumerate(admitted) if place not in spent)
        return forgotten

    def bring_back_all(self, now: datetime, *, later_than: datetime, limit: int) -> int:
        brought = 0
        for limit_key, admitted in self._admitted.items():
            ahead = [place for place, at in enumerate(admitted) if at > later_than][: limit - brought]
            if ahead:
                brought += len(ahead)
                self._admitted[limit_key] = tuple(now if place in ahead else at for place, at in enumerate(admitted))
        return brought


class MemoryDailyCounters:
    """Implements `ports.DailyCounters`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._counted: Table[tuple[LimitKey, date], int] = Table(undo_log)

    def counted(self, limit_keys: Collection[LimitKey], day: date) -> Mapping[LimitKey, int]:
        counted = {limit_key: self._counted.get((limit_key, day)) for limit_key in limit_keys}
        return {limit_key: count for limit_key, count in counted.items() if count}

    def count(self, counts: Mapping[LimitKey, int], day: date) -> None:
        for limit_key, more in counts.items():
            self._counted[limit_key, day] = (self._counted.get((limit_key, day)) or 0) + more

    def sweep(self, before: date, limit: int) -> int:
        spent = [key for key, _ in self._counted.items() if key[1] < before][:limit]
        for key in spent:
            self._counted.pop(key)
        return len(spent)


class MemorySnippetReports:
    """Implements `ports.SnippetReports`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._counted: Table[tuple[Recipient, datetime], int] = Table(undo_log)

    def counted(
        self, asked: Collection[Recipient], since: datetime, until: datetime
    ) -> Mapping[Recipient, tuple[int, int]]:
        late = [(each, count) for (each, at), count in self._counted.items() if since < at < until]
        counts = {
            (shop, person): (
                sum(count for each, count in late if each == (shop, person)),
                sum(count for (_, whose), count in late if whose == person),
            )
            for shop, person in asked
        }
        return {each: count for each, count in counts.items() if any(count)}

    def count(self, reported: Collection[Recipient], at: datetime) -> None:
        for each in reported:
            self._counted[each, at] = (self._counted.get((each, at)) or 0) + 1

    def sweep(self, before: datetime, limit: int) -> int:
        spent = [key for key, _ in self._counted.items() if key[1] < before][:limit]
        for key in spent:
            self._counted.pop(key)
        return len(spent)

"""Daily counters in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.limits import LimitKey


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

"""Orders that open snippets reported of late, in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.frequency import Recipient


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

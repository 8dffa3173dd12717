"""What limits count, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.limits import LimitKey


class MemoryRateLimitLog:
    """What limits count: the instants admitted, the oldest first, a subject at a time.

    Implements `ports.RateLimitLog`.
    """

    def __init__(self, undo_log: UndoLog) -> None:
        self._admitted: Table[LimitKey, tuple[datetime, ...]] = Table(undo_log)

    def nth_newest(self, subjects: Sequence[LimitKey], count: int) -> Mapping[LimitKey, datetime]:
        admitted = {subject: self._admitted.get(subject) or () for subject in subjects}
        return {subject: instants[-count] for subject, instants in admitted.items() if len(instants) >= count}

    def admit(self, subjects: Sequence[LimitKey], at: datetime, *, replacing_nth: int | None = None) -> None:
        for subject in subjects:
            admitted = self._admitted.get(subject) or ()
            if replacing_nth:
                index = len(admitted) - replacing_nth
                admitted = admitted[:index] + admitted[index + 1 :]
            self._admitted[subject] = (*admitted, at)

    def sweep(self, *, before: datetime, after: datetime, limit: int) -> int:
        forgotten = 0
        for subject, admitted in self._admitted.items():
            spent = [place for place, at in enumerate(admitted) if not before <= at <= after][: limit - forgotten]
            if spent:
                forgotten += len(spent)
                self._admitted[subject] = tuple(at for place, at in enumerate(admitted) if place not in spent)
        return forgotten

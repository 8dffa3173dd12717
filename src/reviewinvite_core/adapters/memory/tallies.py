"""What limits count, in memory."""

from __future__ import annotations

from datetime import datetime

from reviewinvite_core.adapters.memory.journal import Journal, Table
from reviewinvite_core.domain.limits import Subject


class MemoryTallies:
    """What limits count: the instants admitted, the oldest first, a subject at a time."""

    def __init__(self, journal: Journal) -> None:
        self._admitted: Table[Subject, tuple[datetime, ...]] = Table(journal)

    def nth_newest(self, subject: Subject, count: int) -> datetime | None:
        """See `ports.Tallies`."""
        admitted = self._admitted.get(subject) or ()
        return admitted[-count] if len(admitted) >= count else None

    def admit(self, subject: Subject, at: datetime, *, replacing_nth: int | None) -> None:
        """See `ports.Tallies`."""
        admitted = self._admitted.get(subject) or ()
        if replacing_nth:
            index = len(admitted) - replacing_nth
            admitted = admitted[:index] + admitted[index + 1 :]
        self._admitted[subject] = (*admitted, at)

    def sweep(self, *, before: datetime, after: datetime) -> int:
        """See `ports.Tallies`."""
        forgotten = 0
        for subject, admitted in self._admitted.items():
            kept = tuple(at for at in admitted if before <= at <= after)
            if len(kept) < len(admitted):
                forgotten += len(admitted) - len(kept)
                self._admitted[subject] = kept
        return forgotten

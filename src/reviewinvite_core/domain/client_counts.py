"""How often each client used a shop's day, counted approximately, in this process, in bounded memory. ADR-43."""

from __future__ import annotations

from datetime import date

from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.policy import MOST_CLIENTS


class FrequentClients:
    """Counts the most frequent clients with at most `MOST_CLIENTS` counters (Misra and Gries, 1982).

    A count is never too high. It is too low by at most `total / (MOST_CLIENTS + 1)`, so a client that makes a quarter
    of all uses is found among any number of others. With at most `MOST_CLIENTS` clients every count is exact.
    """

    __slots__ = ("_counts", "total")

    def __init__(self) -> None:
        self.total = 0
        self._counts: dict[bytes, int] = {}

    def count(self, client: bytes) -> int:
        """Return how often the client was added, or somewhat less."""
        return self._counts.get(client, 0)

    def add(self, client: bytes) -> int:
        """Count one more use of the client; return its count."""
        self.total += 1
        counts = self._counts
        count = counts.get(client, 0)
        if count or len(counts) < MOST_CLIENTS:
            counts[client] = count + 1
            return count + 1
        self._counts = {each: count - 1 for each, count in counts.items() if count > 1}
        return 0

    def __len__(self) -> int:
        """Return how many counters are in use."""
        return len(self._counts)


class ClientCounts:
    """The frequent clients of each limit today; a new day begins with none, and so does a new process.

    Clients are known by their keyed hash. The counts of one limit change only under the lock of its shop (ADR-13).
    """

    def __init__(self) -> None:
        self._day: date | None = None
        self._by_limit: dict[LimitKey, FrequentClients] = {}
        self._reported = False

    def of(self, limit_key: LimitKey, day: date) -> FrequentClients:
        """Return the frequent clients of a limit on this day."""
        if day != self._day:  # also after a clock was set back, so that a wrong date does not last
            self._day, self._by_limit, self._reported = day, {}, False
        found = self._by_limit.get(limit_key)
        if found is None:
            found = self._by_limit[limit_key] = FrequentClients()
        return found

    def first_report(self) -> bool:
        """Return True the first time today: a wrong setting concerns all shops, and one line about it is enough."""
        first, self._reported = not self._reported, True
        return first

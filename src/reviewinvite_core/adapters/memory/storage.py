"""Units of work over storage in memory, one at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TypeVar

from reviewinvite_core.adapters.memory.api_keys import MemoryApiKeys
from reviewinvite_core.adapters.memory.daily_counters import MemoryDailyCounters
from reviewinvite_core.adapters.memory.domains import MemoryDomains
from reviewinvite_core.adapters.memory.hosts import MemoryHosts
from reviewinvite_core.adapters.memory.invitations import MemoryInvitations
from reviewinvite_core.adapters.memory.rate_limit_log import MemoryRateLimitLog
from reviewinvite_core.adapters.memory.reviews import MemoryReviews
from reviewinvite_core.adapters.memory.shops import MemoryShops
from reviewinvite_core.adapters.memory.signing_keys import MemorySigningKeys
from reviewinvite_core.adapters.memory.suppressions import MemorySuppressions
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.ports import Condition, Done, Executor, Failed, Outcome, UnitOfWork

T = TypeVar("T")


class _MemoryStore:
    def __init__(self, journal: UndoLog) -> None:
        self.shops = MemoryShops(journal)
        self.api_keys = MemoryApiKeys(journal, self.shops)
        self.rate_limit_log = MemoryRateLimitLog(journal)
        self.invitations = MemoryInvitations(journal, self.shops)
        self.reviews = MemoryReviews(journal, self.shops, self.invitations)
        self.suppressions = MemorySuppressions(journal)
        self.daily_counters = MemoryDailyCounters(journal)
        self.domains = MemoryDomains(journal)
        self.hosts = MemoryHosts(journal)
        self.signing_keys = MemorySigningKeys(journal)
        self._key_ring: Table[str, bytes] = Table(journal)

    def now(self) -> None:
        return None

    def sealed_key_ring(self) -> bytes | None:
        return self._key_ring.get("ring")

    def keep_key_ring(self, sealed: bytes) -> None:
        self._key_ring["ring"] = sealed

    def replace_key_ring(self, before: bytes, after: bytes) -> bool:
        if self._key_ring.get("ring") != before:
            return False
        self._key_ring["ring"] = after
        return True


class MemoryStorage:
    """Storage that lasts as long as the process; one unit of work at a time."""

    units_only_compute = True
    one_host = True
    batches_at_once = 1

    def __init__(self) -> None:
        self._journal = UndoLog()
        self._store = _MemoryStore(self._journal)
        self._one_at_a_time = threading.RLock()

    def run(self, unit: UnitOfWork[T]) -> T:
        """See `ports.Storage`."""
        with self._one_at_a_time:
            try:
                return unit(self._store)
            except BaseException:
                self._journal.roll_back()
                raise
            finally:
                self._journal.forget()

    def run_all(self, units: Sequence[UnitOfWork[object]], *, place: Executor | None = None) -> Sequence[Outcome]:
        """See `ports.Storage`."""

        def run_each() -> Sequence[Outcome]:
            with self._one_at_a_time:
                try:
                    return [self._outcome(unit) for unit in units]
                except BaseException:
                    self._journal.roll_back()
                    raise
                finally:
                    self._journal.forget()

        return place.run(run_each) if place else run_each()

    def _outcome(self, unit: UnitOfWork[object]) -> Outcome:
        begun = self._journal.mark()
        try:
            return Done(unit(self._store))
        except Exception as error:
            self._journal.roll_back(begun)
            return Failed(error)

    def read(self, unit: UnitOfWork[T]) -> T:
        """See `ports.Storage`."""
        with self._one_at_a_time:
            try:
                return unit(self._store)
            finally:
                self._journal.roll_back()

    def problems(self) -> Sequence[str]:
        """See `ports.Storage`."""
        return []

    def compact(self) -> None:
        """See `ports.Storage`. What was deleted is gone."""

    def forget_old_ring(self) -> None:
        """See `ports.Storage`. What was replaced is gone."""

    def condition(self) -> Condition:
        """See `ports.Storage`."""
        return Condition(engine="memory")

    def close(self) -> None:
        """See `ports.Storage`."""

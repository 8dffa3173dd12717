"""Storage in memory: units of work run one at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TypeVar

from reviewinvite_core.adapters.memory.delivery import MemoryHosts, MemoryNotices, MemoryRelay
from reviewinvite_core.adapters.memory.invitations import MemoryInvitations, MemorySuppressions
from reviewinvite_core.adapters.memory.limits import MemoryDailyCounters, MemoryRateLimitLog, MemorySnippetReports
from reviewinvite_core.adapters.memory.members import MemoryMembers, MemorySessions, MemorySignInLinks
from reviewinvite_core.adapters.memory.reviews import MemoryReviews
from reviewinvite_core.adapters.memory.shops import (
    MemoryActivityLog,
    MemoryApiKeys,
    MemoryDomains,
    MemoryShops,
    MemorySigningKeys,
)
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.adapters.memory.workers import MemoryWorkers
from reviewinvite_core.forks import ProcessGuard
from reviewinvite_core.ports import Condition, Done, Executor, Failed, Outcome, Store, UnitOfWork

T = TypeVar("T")


class _MemoryStore(Store):
    def __init__(self, undo_log: UndoLog) -> None:
        self.shops = MemoryShops(undo_log)
        self.api_keys = MemoryApiKeys(undo_log, self.shops)
        self.notices = MemoryNotices(undo_log)
        self.sign_in_links = MemorySignInLinks(undo_log, self.notices)
        self.sessions = MemorySessions(undo_log)
        self.members = MemoryMembers(undo_log, self.shops, self.sign_in_links, self.sessions)
        self.activity = MemoryActivityLog(undo_log)
        self.rate_limit_log = MemoryRateLimitLog(undo_log)
        self.relay = MemoryRelay(undo_log)
        self.invitations = MemoryInvitations(undo_log, self.shops, self.relay)
        self.invitation_figures = self.invitations.figures
        self.reviews = MemoryReviews(undo_log, self.shops, self.invitations)
        self.suppressions = MemorySuppressions(undo_log, self.members)
        self.daily_counters = MemoryDailyCounters(undo_log)
        self.snippet_reports = MemorySnippetReports(undo_log)
        self.domains = MemoryDomains(undo_log)
        self.hosts = MemoryHosts(undo_log, self.relay)
        self.workers = MemoryWorkers(undo_log, self.invitations, self.notices, self.shops)
        self.signing_keys = MemorySigningKeys(undo_log)
        self._key_ring: Table[str, bytes] = Table(undo_log)

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
    """Storage that lasts as long as the process; one unit of work at a time. Implements `ports.Storage`."""

    units_only_compute = True
    connections = None
    one_host = True
    batches_at_once = 1
    last_write_failed = False

    def __init__(self) -> None:
        self._undo_log = UndoLog()
        self._store = _MemoryStore(self._undo_log)
        self._one_at_a_time = threading.RLock()
        self._guard = ProcessGuard()

    def run(self, unit: UnitOfWork[T]) -> T:
        self._guard.require_same_process()
        with self._one_at_a_time:
            try:
                return unit(self._store)
            except BaseException:
                self._undo_log.roll_back()
                raise
            finally:
                self._undo_log.forget()

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        self._guard.require_same_process()

        def run_each() -> Sequence[Outcome]:
            with self._one_at_a_time:
                try:
                    return [self._outcome(unit) for unit in units]
                except BaseException:
                    self._undo_log.roll_back()
                    raise
                finally:
                    self._undo_log.forget()

        return executor.run(run_each) if executor else run_each()

    def _outcome(self, unit: UnitOfWork[object]) -> Outcome:
        begun = self._undo_log.savepoint()
        try:
            return Done(unit(self._store))
        except Exception as error:
            self._undo_log.roll_back(begun)
            return Failed(error)

    def try_writing(self) -> None:
        """Do nothing: writing to memory does not fail."""

    def read(self, unit: UnitOfWork[T]) -> T:
        self._guard.require_same_process()
        with self._one_at_a_time:
            try:
                return unit(self._store)
            finally:
                self._undo_log.roll_back()

    def problems(self) -> Sequence[str]:
        return []

    def compact(self) -> None:
        """Do nothing: deleted data is gone."""

    def forget_old_ring(self) -> None:
        """Do nothing: the replaced ring is gone."""

    def condition(self) -> Condition:
        return Condition(engine="memory")

    def close(self) -> None:
        pass

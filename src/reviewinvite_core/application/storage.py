"""The storage of one application: refuses every call once the application is closed, or in a forked child."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TypeVar

from reviewinvite_core.domain.errors import ApplicationClosed, StorageUnavailable
from reviewinvite_core.forks import ProcessGuard
from reviewinvite_core.ports import (
    Condition,
    Connections,
    Executor,
    Failed,
    NoTelemetry,
    Outcome,
    Storage,
    Telemetry,
    UnitOfWork,
)

T = TypeVar("T")


class ClosableStorage:
    """Passes calls on to another storage until it is closed. Implements `ports.Storage`.

    On its own, a closed SQLite storage would open its file again, and storage in memory cannot be closed. This class
    makes every storage refuse calls alike. All transactions of the application pass here, so here they are timed.
    """

    def __init__(self, storage: Storage, telemetry: Telemetry | None = None) -> None:
        """Pass calls on to this storage, and tell `telemetry` of each commit."""
        self._storage = storage
        self._telemetry = telemetry or NoTelemetry()
        self._guard = ProcessGuard()
        self._closed = False

    @property
    def units_only_compute(self) -> bool:
        return self._storage.units_only_compute

    @property
    def one_host(self) -> bool:
        return self._storage.one_host

    @property
    def batches_at_once(self) -> int:
        return self._storage.batches_at_once

    @property
    def last_write_failed(self) -> bool:
        return self._storage.last_write_failed

    @property
    def connections(self) -> Connections | None:
        return self._storage.connections

    def require_open(self) -> None:
        """Do nothing if calls are accepted.

        Raises: `ApplicationClosed`; `UsedAfterFork` in a child.
        """
        self._guard.require_same_process()
        if self._closed:
            raise ApplicationClosed

    def run(self, unit: UnitOfWork[T]) -> T:
        self.require_open()
        began, stored = time.monotonic(), True
        try:
            return self._storage.run(unit)
        except StorageUnavailable as error:
            stored = False
            _note_atomic(error)
            raise
        finally:
            self._telemetry.committed(1, time.monotonic() - began, stored=stored)

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        self.require_open()
        began = time.monotonic()
        outcomes = self._storage.run_all(units, executor=executor)
        failed = [outcome.error for outcome in outcomes if isinstance(outcome, Failed)]
        lost = [error for error in failed if isinstance(error, StorageUnavailable)]
        for error in lost:
            _note_atomic(error)
        self._telemetry.committed(len(outcomes), time.monotonic() - began, stored=len(lost) < len(outcomes))
        return outcomes

    def try_writing(self) -> None:
        self.require_open()
        self._storage.try_writing()

    def read(self, unit: UnitOfWork[T]) -> T:
        self.require_open()
        return self._storage.read(unit)

    def problems(self) -> Sequence[str]:
        self.require_open()
        return self._storage.problems()

    def compact(self) -> None:
        self.require_open()
        self._storage.compact()

    def forget_old_ring(self) -> None:
        self.require_open()
        self._storage.forget_old_ring()

    def condition(self) -> Condition:
        self.require_open()
        return self._storage.condition()

    def close(self) -> None:
        self._closed = True
        self._storage.close()


def _note_atomic(error: StorageUnavailable) -> None:
    """Note on the error of a write what became of it; a read changes nothing, so there is nothing to say."""
    if not hasattr(error, "__notes__"):
        error.add_note("Every change was made completely or not at all.")

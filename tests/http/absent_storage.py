"""Storage in memory that can go away, as a database does that is restarted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from reviewinvite_core import StorageUnavailable
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.ports import Executor, Outcome, UnitOfWork

T = TypeVar("T")


class AbsentStorage(MemoryStorage):
    """Storage that cannot be reached while `away`."""

    away = False

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        if self.away:
            raise StorageUnavailable("away")
        return super().run_all(units, executor=executor)

    def read(self, unit: UnitOfWork[T]) -> T:
        if self.away:
            raise StorageUnavailable("away")
        return super().read(unit)

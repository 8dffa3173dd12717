"""Storage in memory that can go away and come back."""

from __future__ import annotations

from typing import TypeVar

from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.ports import UnitOfWork

T = TypeVar("T")


class FailingStorage(MemoryStorage):
    """Storage that is unavailable to units of work while `away` is set."""

    away = False

    def run(self, unit: UnitOfWork[T]) -> T:
        if self.away:
            raise StorageUnavailable("away")
        return super().run(unit)

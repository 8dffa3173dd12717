"""Storage in memory that stops answering, as a database does behind a network that loses packets."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TypeVar

from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.ports import Executor, Outcome, UnitOfWork

T = TypeVar("T")


class UnresponsiveStorage(MemoryStorage):
    """Storage that neither answers nor fails while `silent` is set, until `answer` is set.

    `reads` is how many reads it has kept waiting, and `held` how many of them wait now.
    """

    def __init__(self) -> None:
        super().__init__()
        self.silent, self.answer = threading.Event(), threading.Event()
        self.asked = threading.Event()
        self.reads = self.held = 0

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        if self.silent.is_set():
            self.asked.set()
            self.answer.wait(TIMEOUT_SECONDS)
        return super().run_all(units, executor=executor)

    def read(self, unit: UnitOfWork[T]) -> T:
        if self.silent.is_set():
            self.reads += 1
            self.held += 1
            self.answer.wait(TIMEOUT_SECONDS)
            self.held -= 1
        return super().read(unit)

"""A worker pool without threads: work runs on the thread that asks for its result."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class InlineWorkerPool(Generic[T]):
    """A pool without threads, so that the order of all work is known. Implements `ports.WorkerPool`."""

    size = 1

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], T]] = deque()

    def begin(self, work: Callable[[], T]) -> None:
        self._waiting.append(work)

    def next_done(self, seconds: float) -> T | None:  # noqa: ARG002 - there is no waiting
        return self._waiting.popleft()() if self._waiting else None

    def finish(self, seconds: float) -> Iterator[T]:  # noqa: ARG002 - no work is running
        self._waiting.clear()
        return iter(())

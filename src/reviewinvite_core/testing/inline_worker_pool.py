"""A worker pool without concurrency: work runs on the thread that asks for its result."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

from reviewinvite_core.adapters.inline_loop import InlineLoop
from reviewinvite_core.ports import Work

T = TypeVar("T")


class InlineWorkerPool(Generic[T]):
    """A pool that runs one coroutine at a time, so that the order of all work is known. Implements `ports.WorkerPool`.

    Work runs to its end on the thread that asks for its result. If that thread already runs an event loop, it runs on
    another one, whose end is waited for.
    """

    size = 1

    def __init__(self) -> None:
        self._ahead: deque[Work[T]] = deque()
        self._waiting: deque[Work[T]] = deque()
        self._loop = InlineLoop()

    def begin(self, work: Work[T], *, ahead: bool = False) -> None:
        (self._ahead if ahead else self._waiting).append(work)

    def next_done(self, seconds: float) -> T | None:  # noqa: ARG002 - there is no waiting
        line = self._ahead or self._waiting
        if not line:
            return None
        work = line.popleft()
        return self._loop.run(lambda: work(lambda: None))

    def finish(self, seconds: float) -> Iterator[T]:  # noqa: ARG002 - no work is running
        self._ahead.clear()
        self._waiting.clear()
        self._loop.close()
        return iter(())

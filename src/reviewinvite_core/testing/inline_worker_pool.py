"""A crew of one that works when it is asked what is done: each delivery then runs where the test is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class InlineWorkerPool(Generic[T]):
    """See `ports.Crew`; no thread, so that the order of all that happens is known."""

    size = 1

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], T]] = deque()

    def begin(self, work: Callable[[], T]) -> None:
        """See `ports.Crew`."""
        self._waiting.append(work)

    def next_done(self, seconds: float) -> T | None:  # noqa: ARG002 - nobody waits
        """See `ports.Crew`."""
        return self._waiting.popleft()() if self._waiting else None

    def finish(self, seconds: float) -> Iterator[T]:  # noqa: ARG002 - nothing is at hand
        """See `ports.Crew`."""
        self._waiting.clear()
        return iter(())

"""A pool of workers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Protocol, TypeAlias, TypeVar

T = TypeVar("T")

Work: TypeAlias = Callable[[Callable[[], None]], Awaitable[T]]
"""Work for a pool: it is called with a function that frees its worker before the work has ended."""


class WorkerPool(Protocol[T]):
    """A fixed-size pool of workers that run coroutines (ADR-49)."""

    @property
    def size(self) -> int:
        """The number of workers."""

    def begin(self, work: Work[T], *, ahead: bool = False) -> None:
        """Run the work on the next free worker, in order of submission, or `ahead` of all that is not so.

        The work must not raise.
        """

    def next_done(self, seconds: float) -> T | None:
        """Return the result of the next finished work, or None after `seconds`."""

    def finish(self, seconds: float) -> Iterator[T]:
        """Start no new work; yield results of running work until done or timed out."""

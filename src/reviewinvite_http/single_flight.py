"""Request coalescing: concurrent requests for the same thing share one read of storage. ADR-29."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from reviewinvite_core.application.event_loop import ReadThreadPool

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Runs at most one read per key at a time; callers share a read that began after they called.

    So every caller gets the data stored at the time of its call, or later.
    """

    def __init__(self, readers: ReadThreadPool) -> None:
        """Read on the threads of this pool."""
        self._readers = readers
        self._next: dict[Hashable, asyncio.Task[T]] = {}
        self._now: dict[Hashable, asyncio.Task[T]] = {}

    async def run(self, of: Hashable, work: Callable[[], T]) -> T:
        """Return the result of `work`, which reads the resource identified by `of`. Call this on the event loop only.

        Raises: what `ReadThreadPool.run` raises.
        """
        look = self._next.get(of)
        if look is None:
            look = self._next[of] = asyncio.create_task(self._look(of, work))
            look.add_done_callback(_seen)
        return await asyncio.shield(look)  # a caller that goes away does not cancel the read of others

    async def _look(self, of: Hashable, work: Callable[[], T]) -> T:
        if of in self._now:
            await asyncio.wait([self._now[of]])
        self._now[of] = self._next.pop(of)
        try:
            return await self._readers.run(work)
        finally:
            del self._now[of]


def _seen(look: asyncio.Task[T]) -> None:
    """Retrieve the exception, so that asyncio does not report it when every caller has gone away."""
    if not look.cancelled():
        look.exception()

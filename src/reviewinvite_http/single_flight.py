"""One look at storage for all who wait for the same: what is asked for often costs no more than it can. ADR-29."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from reviewinvite_http.read_pool import ReadThreadPool

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Of each thing one look at a time, each begun after all had come who are told what it saw.

    So nobody is told less than was stored when it asked.
    """

    def __init__(self, readers: ReadThreadPool) -> None:
        """Look on the threads of these readers."""
        self._readers = readers
        self._next: dict[Hashable, asyncio.Task[T]] = {}
        self._now: dict[Hashable, asyncio.Task[T]] = {}

    async def run(self, of: Hashable, work: Callable[[], T]) -> T:
        """What `work` gives, which is a look at the thing named `of`. On the event loop only.

        Raises: what `ReadThreadPool.run` raises.
        """
        look = self._next.get(of)
        if look is None:
            look = self._next[of] = asyncio.create_task(self._look(of, work))
            look.add_done_callback(_seen)
        return await asyncio.shield(look)  # who goes away takes nobody's look along

    async def _look(self, of: Hashable, work: Callable[[], T]) -> T:
        if of in self._now:
            await asyncio.wait([self._now[of]])
        self._now[of] = self._next.pop(of)
        try:
            return await self._readers.run(work)
        finally:
            del self._now[of]


def _seen(look: asyncio.Task[T]) -> None:
    """A failure that everybody went away from is no news."""
    if not look.cancelled():
        look.exception()

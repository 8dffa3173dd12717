"""Run storage reads on a few threads, off the event loop and with a time limit (ADR-15)."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar

from reviewinvite_core.domain.errors import ApplicationClosed, StorageUnavailable
from reviewinvite_core.forks import ProcessGuard

T = TypeVar("T")

_Job: TypeAlias = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]

THREADS = 4
SECONDS = 8.0
MOST_WAITING = 256


class ReadThreadPool:
    """A few threads that end with the process; an executor would wait for its threads at exit."""

    def __init__(self, *, threads: int = THREADS, seconds: float = SECONDS, most_waiting: int = MOST_WAITING) -> None:
        """Start `threads` threads with the first read; each read has `seconds` to finish, including its wait."""
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._guard = ProcessGuard()
        self._to_start = threads
        self._seconds = seconds
        self._most_waiting = most_waiting
        self._closed = False
        self._busy: set[int] = set()  # identities of threads

    @property
    def running(self) -> int:
        """Number of reads in progress."""
        return len(self._busy)

    @property
    def waiting(self) -> int:
        """Number of reads that wait for a thread."""
        return self._jobs.qsize()

    async def run(self, work: Callable[[], T]) -> T:
        """Return what `work` returns. Call this on the event loop only.

        Raises: what `work` raises; `StorageUnavailable` if it takes too long or the queue is full; `ApplicationClosed`;
        `UsedAfterFork`.
        """
        self._guard.require_same_process()
        if self._closed:
            raise ApplicationClosed
        if self._jobs.qsize() >= self._most_waiting:
            raise StorageUnavailable("too many reads are waiting")
        while self._to_start:
            self._to_start -= 1
            threading.Thread(target=self._read, name="reader", daemon=True).start()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._jobs.put((work, loop, answer))
        try:
            return await asyncio.wait_for(answer, self._seconds)
        except TimeoutError:
            raise StorageUnavailable("no answer in time") from None

    def close(self) -> None:
        """Accept no new reads; do not wait for those in progress."""
        self._closed = True
        self._jobs.put(None)

    def _read(self) -> None:
        while job := self._jobs.get():
            work, loop, answer = job
            if answer.done():  # the caller has gone away
                continue
            settle: Callable[[], object]
            self._busy.add(threading.get_ident())
            try:
                settle = partial(answer.set_result, work())
            except Exception as error:  # it belongs to the caller
                settle = partial(answer.set_exception, error)
            finally:
                self._busy.discard(threading.get_ident())
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(_unless_done, answer, settle)
        self._jobs.put(None)  # every thread has to see the end


def _unless_done(answer: asyncio.Future[Any], settle: Callable[[], object]) -> None:
    if not answer.done():
        settle()

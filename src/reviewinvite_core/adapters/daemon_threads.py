"""Daemon threads that run blocking calls for event loops.

asyncio's own threads are joined when the interpreter exits, so a call that hangs, for example on a disk or on a name
server, would keep the process from ending. A daemon thread ends with the process.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

IDLE_SECONDS = 2.0  # an idle thread ends after this time


class DaemonThreads:
    """As many daemon threads as there are calls at the same time; idle ones are reused."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle = 0  # threads that wait, less the work that is queued for them
        self._work: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()

    def start(self, work: Callable[[], object]) -> None:
        """Begin the work on a thread at once. It must not raise.

        Raises: `RuntimeError` if no thread can be started.
        """
        with self._lock:
            if self._idle:
                self._idle -= 1
                self._work.put(work)
                return
        threading.Thread(target=self._run, args=([work],), name="blocking-call", daemon=True).start()

    def _run(self, first: list[Callable[[], object]]) -> None:
        current: Callable[[], object] | None = first.pop()  # the thread keeps its arguments as long as it lives
        while current:
            current()
            del current  # it may hold on to much, and the next may not come
            with self._lock:
                self._idle += 1
            current = self._next()

    def _next(self) -> Callable[[], object] | None:
        try:
            return self._work.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            with self._lock:
                with suppress(queue.Empty):
                    return self._work.get_nowait()
                self._idle -= 1
                return None


_threads = DaemonThreads()


def _forget_threads() -> None:
    global _threads
    _threads = DaemonThreads()


os.register_at_fork(after_in_child=_forget_threads)


def start(work: Callable[[], object]) -> None:
    """Begin the work on a daemon thread at once. It must not raise."""
    _threads.start(work)


async def call(function: Callable[[], T]) -> T:
    """Return the function's result; it runs on a daemon thread, to its end even if this is cancelled.

    Raises: what the function raises.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def resolve(result: T | None, error: BaseException | None) -> None:
        if answer.done():  # it was cancelled
            return
        if error is None:
            answer.set_result(result)  # type: ignore[arg-type]  # the function's own
        else:
            answer.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = function()
        except BaseException as raised:  # it belongs to the caller
            error = raised
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(resolve, result, error)

    start(run)
    return await answer

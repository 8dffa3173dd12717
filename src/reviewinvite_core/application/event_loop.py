"""Connect an event loop to the synchronous core: await a write's commit, and read on threads.

ADR-3, ADR-15, ADR-41.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeAlias, TypeVar

from reviewinvite_core.domain.errors import ApplicationClosed, StorageUnavailable
from reviewinvite_core.execution import Declaration, GroupCommit, GroupCommitClosed, UseCases
from reviewinvite_core.forks import ProcessGuard
from reviewinvite_core.ports import Done, Failed, Outcome, Storage
from reviewinvite_core.usecases.context import UnitContext

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


P = ParamSpec("P")
R = TypeVar("R")
_POLL_SECONDS = 0.2


class EventLoopExecutor:
    """Runs units of work on the event loop (`ports.Executor`).

    Two threads that compute at the same time would spend their time handing over Python's global lock. So the units,
    which only compute, run on the event loop, and the writer thread only waits, for the lock and for the disk.
    """

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Callable[[], T]) -> T:
        answer: Future[T] = Future()

        def run_there() -> None:
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(work())
                except BaseException as error:  # it belongs to the caller that waits
                    answer.set_exception(error)

        if not self._call(run_there):
            return work()
        while True:
            try:
                return answer.result(_POLL_SECONDS)
            except TimeoutError:
                if answer.done():  # the work itself was cancelled
                    return answer.result()
                if not self._is_running() and answer.cancel():
                    return work()

    def _call(self, work: Callable[[], object]) -> bool:
        """Schedule a call on the loop; return whether the loop was running."""
        if self.loop is None or not self._is_running():
            return False
        try:
            self.loop.call_soon_threadsafe(work)
        except RuntimeError:  # it was closed just now
            return False
        return True

    def _is_running(self) -> bool:
        return self.loop is not None and self.loop.is_running()


class AsyncUseCases:
    """Runs use cases from an event loop: writes share a group commit, reads run on threads."""

    def __init__(self, use_cases: UseCases[UnitContext], storage: Storage, readers: ReadThreadPool) -> None:
        """Start the writers; units run on the event loop if they only compute."""
        self._use_cases = use_cases
        self._readers = readers
        self._executor = EventLoopExecutor()
        self.group_commit = GroupCommit(storage, executor=self._executor if storage.units_only_compute else None)
        self._outcomes: deque[tuple[asyncio.Future[Any], Outcome, Callable[[Any], object]]] = deque()
        self._loop_woken = False

    def run(self, use_case: Declaration[UnitContext, P, R], *args: P.args, **kwargs: P.kwargs) -> Awaitable[R]:
        """Return an awaitable of the use case's result, done once its commit is on disk. Call this on the event loop.

        A submitted write is carried out even if nobody awaits it, and telemetry receives its result all the same.

        Raises: what the use case raises; `StorageUnavailable`; `ApplicationClosed`.
        """
        if not use_case.is_write(*args, **kwargs):
            return self._readers.run(partial(self._use_cases.run, use_case, *args, **kwargs))
        loop = asyncio.get_running_loop()
        self._executor.loop = loop
        answer: asyncio.Future[R] = loop.create_future()
        tell = partial(self._use_cases.telemetry.answered, use_case.function.__name__)
        try:
            self.group_commit.submit(
                self._use_cases.unit(use_case, *args, **kwargs), partial(self._note_outcome, loop, answer, tell)
            )
        except GroupCommitClosed:
            raise ApplicationClosed from None
        return answer

    def _note_outcome(
        self, loop: asyncio.AbstractEventLoop, answer: asyncio.Future[T], tell: Callable[[T], object], outcome: Outcome
    ) -> None:
        """Store an outcome for the loop, and wake the loop once for all outcomes stored by then.

        No lock is needed: the loop clears its wake-up flag before it takes the outcomes, so an outcome stored
        afterwards wakes it again.
        """
        self._outcomes.append((answer, outcome, tell))
        if not self._loop_woken:
            self._loop_woken = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits for it any more
                loop.call_soon_threadsafe(self._resolve_answers)

    def _resolve_answers(self) -> None:
        self._loop_woken = False
        while self._outcomes:
            answer, outcome, tell = self._outcomes.popleft()
            if isinstance(outcome, Done):
                tell(outcome.result)
            if answer.done():  # nobody waits for it any more
                continue
            match outcome:
                case Done(result):
                    answer.set_result(result)
                case Failed(error):
                    answer.set_exception(error)

"""Where the event loop meets the synchronous core: submit a unit of work, await its commit. ADR-3."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar

from reviewinvite_core import Application, Done, Failed, Outcome, StorageUnavailable, UseCase
from reviewinvite_http.read_pool import ReadThreadPool

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_POLL_SECONDS = 0.2


class EventLoopExecutor:
    """The event loop as the place where units of work run (`ports.Executor`).

    Two threads that compute in turns would spend their time handing Python's one lock to and fro. So the units, which
    only compute, run on the event loop, and the writer's thread does nothing but wait: for the lock, for the disk.
    """

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Callable[[], T]) -> T:
        answer: Future[T] = Future()

        def run_there() -> None:
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(work())
                except BaseException as error:  # it belongs to whoever waits
                    answer.set_exception(error)

        if not self._call(run_there):
            return work()
        while True:
            try:
                return answer.result(_POLL_SECONDS)
            except TimeoutError:
                if answer.done():  # it is the work's own
                    return answer.result()
                if not self._is_running() and answer.cancel():
                    return work()

    def _call(self, work: Callable[[], object]) -> bool:
        """Ask the loop to run something; whether it was there to be asked."""
        if self.loop is None or not self._is_running():
            return False
        try:
            self.loop.call_soon_threadsafe(work)
        except RuntimeError:  # it was closed a moment ago
            return False
        return True

    def _is_running(self) -> bool:
        return self.loop is not None and self.loop.is_running()


class ServerContext:
    """What the routes share: the application, the writing side, the threads that look at storage for pages, and whether
    a worker delivers beside it.
    """

    def __init__(self, app: Application, *, worker: bool = False) -> None:
        self.app = app
        self.worker = worker
        self.worker_ended = False  # before it was told to
        self.readers = ReadThreadPool()
        self._executor = EventLoopExecutor()
        self.commits = app.group_commit(executor=self._executor)
        self._outcomes: deque[tuple[asyncio.Future[Any], Outcome]] = deque()
        self._loop_woken = False

    def commit(self, use_case: UseCase[P, R], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[R]:
        """Return the use case's result, once the commit that covers it is on disk. On the event loop only.

        Raises: what the use case raises; `StorageUnavailable`.
        """
        loop = asyncio.get_running_loop()
        self._executor.loop = loop
        answer: asyncio.Future[R] = loop.create_future()
        self.commits.submit(use_case.unit(*args, **kwargs), partial(self._note_outcome, loop, answer))
        return answer

    def _note_outcome(self, loop: asyncio.AbstractEventLoop, answer: asyncio.Future[R], outcome: Outcome) -> None:
        """Note an outcome for the loop, and wake it once for all that are noted by then.

        No lock is needed: the loop forgets that it was woken before it takes the outcomes, so one that is noted
        afterwards wakes it again.
        """
        self._outcomes.append((answer, outcome))
        if not self._loop_woken:
            self._loop_woken = True
            with suppress(RuntimeError):  # the loop is closed: nobody waits for it any more
                loop.call_soon_threadsafe(self._resolve_answers)

    def _resolve_answers(self) -> None:
        self._loop_woken = False
        while self._outcomes:
            answer, outcome = self._outcomes.popleft()
            if answer.done():  # nobody waits for it any more
                continue
            match outcome:
                case Done(result):
                    answer.set_result(result)
                case Failed(error):
                    answer.set_exception(error)

    def close(self, seconds: float | None = None) -> int:
        """Finish submitted work; return how many units are left after `seconds`."""
        self.readers.close()
        return self.commits.close(seconds)


async def within(seconds: float, answer: asyncio.Future[R]) -> R:
    """Return the answer. It costs a quarter of what `asyncio.timeout` does, for answers as frequent as badges.

    Raises: `StorageUnavailable` if it takes longer than `seconds`; else as the answer does.
    """
    give_up = asyncio.get_running_loop().call_later(seconds, _give_up, answer)
    try:
        return await answer
    finally:
        give_up.cancel()


def _give_up(answer: asyncio.Future[Any]) -> None:
    if not answer.done():
        answer.set_exception(StorageUnavailable("no answer in time"))

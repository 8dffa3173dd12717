"""A pool that runs coroutines on one event loop (`ports.WorkerPool`). ADR-49."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, TypeVar

import attrs

from reviewinvite_core.domain.errors import ApplicationClosed
from reviewinvite_core.forks import ProcessGuard
from reviewinvite_core.ports import Work

if TYPE_CHECKING:  # each call that needs it imports it, so that the package stays quick to import
    import asyncio

T = TypeVar("T")

CLOSE_SECONDS = 5.0


class EventLoopThread:
    """An event loop in a background daemon thread, which starts when it is first used; use it from any thread.

    After a fork, the child starts a loop of its own. A closed one stays closed.
    """

    def __init__(self) -> None:
        self.is_closed = False
        self._guard = ProcessGuard()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._of_parent: asyncio.AbstractEventLoop | None = None  # not closed here: the parent uses it

    @property
    def is_running(self) -> bool:
        """Whether the loop has been started in this process, and not closed."""
        return self._loop is not None and not self._guard.is_elsewhere()

    def call(self, function: Callable[[], object]) -> None:
        """Call the function on the loop, soon.

        Raises: `ApplicationClosed`; `RuntimeError` if no thread can be started.
        """
        import asyncio

        self._leave_parent()
        with self._lock:
            self.require_open()
            if self._loop is None:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(target=self._run, args=(loop,), name="delivery-loop", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    loop.close()
                    raise
                self._loop, self._thread = loop, thread
            self._loop.call_soon_threadsafe(function)

    def require_open(self) -> None:
        """Raise `ApplicationClosed` if it is closed, as the application is."""
        if self.is_closed:
            raise ApplicationClosed

    def close(self, finish: Callable[[], Awaitable[None]]) -> None:
        """Run `finish` on the loop, cancel what still runs, and end the thread; without a loop, do not run `finish`.

        `finish` gets 2.5 seconds. A loop that does not end within 5 seconds, because something blocks it, is left to
        the end of the process.

        Raises: what `finish` raises; `TimeoutError` if it takes too long.
        """
        self._leave_parent()
        with self._lock:
            self.is_closed = True
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        errors: list[BaseException] = []
        ends: list[asyncio.Task[None]] = []  # the loop itself does not keep its tasks
        loop.call_soon_threadsafe(lambda: ends.append(loop.create_task(_end(finish, errors))))
        thread.join(CLOSE_SECONDS)
        if errors:
            raise errors[0]

    def _leave_parent(self) -> None:
        if self._guard.is_elsewhere():
            self._of_parent, self._loop, self._thread = self._loop, None, None
            self._guard, self._lock = ProcessGuard(), threading.Lock()

    @staticmethod
    def _run(loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        finally:
            loop.close()


async def _end(finish: Callable[[], Awaitable[None]], errors: list[BaseException]) -> None:
    import asyncio

    try:
        await asyncio.wait_for(finish(), CLOSE_SECONDS / 2)
    except BaseException as error:  # it belongs to the caller, and must not keep the loop from its end
        errors.append(error)
    try:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.wait(others, timeout=CLOSE_SECONDS / 4) if others else None
        for _ in range(3):  # closed connections tell so in the next turns
            await asyncio.sleep(0)
    finally:
        asyncio.get_running_loop().stop()


@attrs.frozen
class _Broken:
    error: BaseException


class EventLoopPool(Generic[T]):
    """Runs coroutines on `size` workers, on the event loop of a thread that outlives the pool.

    More than `size` may run at once: work that has freed its worker goes on while the worker begins the next.

    A coroutine that waits for ever keeps its worker, and ends with the process; one that blocks its thread blocks all
    of them. Closing the thread cancels them. Implements `ports.WorkerPool`.
    """

    def __init__(self, size: int, thread: EventLoopThread) -> None:
        self.size = size
        self._thread = thread
        self._done: queue.SimpleQueue[T | _Broken] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._ahead: deque[Work[T]] = deque()
        self._waiting: deque[Work[T]] = deque()
        self._unfinished = 0
        self._busy = 0  # used on the loop only
        self._tasks: set[asyncio.Task[None]] = set()  # the loop itself does not keep them

    def begin(self, work: Work[T], *, ahead: bool = False) -> None:
        line = self._ahead if ahead else self._waiting
        with self._lock:
            self._unfinished += 1
            line.append(work)
            is_alone = len(self._ahead) + len(self._waiting) == 1
        try:
            if is_alone:
                self._thread.call(self._fill)
            else:  # a call for the others is under way, or a worker that gets free takes them
                self._thread.require_open()
        except BaseException:
            with self._lock, suppress(ValueError):  # or it has been begun, or taken out by `finish`
                line.remove(work)
                self._unfinished -= 1
            raise

    def next_done(self, seconds: float) -> T | None:
        """Return the next result, or None after `seconds`.

        Raises: what the work raised, which is a bug because work must not raise; `StorageUnavailable` if the thread is
        closed, once no result is left.
        """
        done = self._next(seconds)
        if done is None:
            self._thread.require_open()
            return None
        if isinstance(done, _Broken):
            raise done.error
        return done

    def _next(self, seconds: float) -> T | _Broken | None:
        try:
            return self._done.get(timeout=seconds)
        except queue.Empty:
            return None

    def finish(self, seconds: float) -> Iterator[T]:
        with self._lock:
            self._unfinished -= len(self._ahead) + len(self._waiting)
            self._ahead.clear()
            self._waiting.clear()
        return self._rest(time.monotonic() + seconds)

    def _rest(self, deadline: float) -> Iterator[T]:
        while True:
            with self._lock:
                busy = self._unfinished > 0
            result = self._next(max(0.001, min(0.1, deadline - time.monotonic())))
            if isinstance(result, _Broken):
                raise result.error
            if result is not None:
                yield result
            elif not busy or time.monotonic() >= deadline:
                return

    def _fill(self) -> None:
        """Begin waiting work on free workers; called on the loop."""
        import asyncio

        while self._busy < self.size and not self._thread.is_closed:
            with self._lock:
                line = self._ahead or self._waiting
                if not line:
                    return
                work = line.popleft()
            self._busy += 1
            self._tasks.add(asyncio.get_running_loop().create_task(self._run(work)))

    async def _run(self, work: Work[T]) -> None:
        import asyncio

        is_busy = True

        def free() -> None:
            nonlocal is_busy
            if is_busy:
                is_busy = False
                self._busy -= 1
                self._fill()

        try:
            self._done.put(await work(free))
        except asyncio.CancelledError:
            if not self._thread.is_closed:
                self._done.put(_Broken(RuntimeError("the work was cancelled")))
        except BaseException as broken:  # pass it on: raised here, it could end the loop, and with it all other work
            self._done.put(_Broken(broken))
        with self._lock:
            self._unfinished -= 1
        free()
        if task := asyncio.current_task():  # not in a callback of the task, which would take a turn of the loop
            self._tasks.discard(task)

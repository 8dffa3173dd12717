"""A pool of threads (`ports.WorkerPool`)."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import attrs

T = TypeVar("T")


@attrs.frozen
class _Broken:
    error: BaseException


class ThreadPool(Generic[T]):
    """A fixed number of daemon threads, started on demand; a stuck thread ends with the process.

    Implements `ports.WorkerPool`.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._work: queue.SimpleQueue[Callable[[], T] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[T | _Broken] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._unfinished = 0
        self._threads = 0

    def begin(self, work: Callable[[], T]) -> None:
        with self._lock:
            self._unfinished += 1
            if self._threads < min(self.size, self._unfinished):
                self._threads += 1
                threading.Thread(target=self._run, name=f"delivery-{self._threads}", daemon=True).start()
        self._work.put(work)

    def next_done(self, seconds: float) -> T | None:
        """Return the next result, or None after `seconds`.

        Raises: what the work raised, which is a bug because work must not raise.
        """
        try:
            done = self._done.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(done, _Broken):
            raise done.error
        return done

    def finish(self, seconds: float) -> Iterator[T]:
        self._forget_waiting()
        for _ in range(self._threads):
            self._work.put(None)
        return self._rest(time.monotonic() + seconds)

    def _rest(self, deadline: float) -> Iterator[T]:
        while True:
            with self._lock:
                busy = self._unfinished > 0
            result = self.next_done(max(0.001, min(0.1, deadline - time.monotonic())))
            if result is not None:
                yield result
            elif not busy or time.monotonic() >= deadline:
                return

    def _forget_waiting(self) -> None:
        with self._lock:
            while True:
                try:
                    self._work.get_nowait()
                except queue.Empty:
                    return
                self._unfinished -= 1

    def _run(self) -> None:
        while work := self._work.get():
            try:
                self._done.put(work())
            except BaseException as broken:  # pass it on: the waiting thread would wait for ever
                self._done.put(_Broken(broken))
            with self._lock:
                self._unfinished -= 1

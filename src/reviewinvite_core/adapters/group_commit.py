"""Many concurrent units of work, one durable commit (ADR-3).

A writer thread takes what has been submitted since its last commit, runs it as one batch and answers only when
the commit is on disk. While it waits for the disk the next batch gathers: the busier it gets, the cheaper each
unit becomes. Storage that can run several batches side by side gets as many writers, which share what is waiting.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.ports import Done, Executor, Failed, Outcome, UnitOfWork

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

LARGEST_BATCH = 256


class Batches(Protocol):
    """The part of `ports.Storage` that is used here."""

    def run_all(self, units: Sequence[UnitOfWork[object]], *, place: Executor | None = None) -> Sequence[Outcome]:
        """Run many units under one durable commit."""
        ...


@attrs.frozen
class _Job:
    unit: UnitOfWork[object]
    begin: Callable[[], bool]
    settle: Callable[[Outcome], object]
    since: float = attrs.field(factory=time.monotonic)


class GroupCommit:
    """The writing side of a process; submit from any thread.

    What is submitted is carried out even when nobody waits for it any more. `place`, where there is one, is where
    units run; the writer's own thread otherwise.
    """

    def __init__(self, storage: Batches, *, place: Executor | None = None, writers: int = 1) -> None:
        self._storage = storage
        self._place = place
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._running: set[_Batch] = set()
        self._largest_batch = LARGEST_BATCH // writers**2
        self._writers = [
            threading.Thread(target=self._write, name=f"group-commit-{number}", daemon=True)
            for number in range(writers)
        ]
        for writer in self._writers:
            writer.start()

    def submit(self, unit: UnitOfWork[T]) -> Future[T]:
        """The result of `unit`, once the commit that covers it is durable; `cancel` works until its batch begins.

        Raises: `StorageUnavailable` after `close`.
        """
        from concurrent.futures import Future  # it brings logging: a tenth of the time to import the core

        answer: Future[T] = Future()

        def settle(outcome: Outcome) -> None:
            match outcome:
                case Done(result):
                    answer.set_result(result)  # type: ignore[arg-type]  # a Unit[T] gives a T
                case Failed(error):
                    answer.set_exception(error)

        self.submit_and_tell(unit, settle, begin=answer.set_running_or_notify_cancel)
        return answer

    def submit_and_tell(
        self, unit: UnitOfWork[object], settle: Callable[[Outcome], object], *, begin: Callable[[], bool] = lambda: True
    ) -> None:
        """Have `settle` told the outcome of `unit`, once the commit that covers it is durable or has failed.

        `settle` is called on the writer's thread, must be quick, and must not raise. `begin` is asked once, before
        the unit runs, whether it is still wanted.

        Raises: `StorageUnavailable` after `close`.
        """
        with self._closing:
            if self._closed:
                raise StorageUnavailable("shutting down")
            self._jobs.put(_Job(unit, begin, settle))

    def run(self, unit: UnitOfWork[T]) -> T:
        """Submit and wait; not from the place where units run.

        Raises: what the unit raises; `StorageUnavailable`.
        """
        outcomes: list[Outcome] = []
        answered = threading.Lock()  # a future would do the same, and take three times as long
        answered.acquire()

        def settle(outcome: Outcome) -> None:
            outcomes.append(outcome)
            answered.release()

        self.submit_and_tell(unit, settle)
        answered.acquire()
        match outcomes:
            case [Done(result)]:
                return result  # type: ignore[return-value]  # a Unit[T] gives a T
            case [Failed(error)]:
                raise error
        raise AssertionError(outcomes)

    def close(self, seconds: float | None = None) -> int:
        """Finish what was submitted, then stop; idempotent. How many units are left without an outcome.

        Only where `seconds` are given can there be some when they are over: those that storage has not answered. They
        are told when it does. What had not begun by then gets `StorageUnavailable`, and never begins.
        """
        with self._closing:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        until = None if seconds is None else time.monotonic() + seconds
        for writer in self._writers:
            writer.join(None if until is None else max(0.0, until - time.monotonic()))
        if not any(writer.is_alive() for writer in self._writers):
            return 0
        self._refuse_waiting(Failed(StorageUnavailable("shutting down")), since=time.monotonic())
        return sum(len(batch.jobs) for batch in tuple(self._running))

    def _write(self) -> None:
        job = self._jobs.get()
        while job:
            batch = _Batch(self._jobs, self._place, self._largest_batch)
            batch.add(job)
            self._running.add(batch)
            newer = self._run(batch)
            self._running.discard(batch)
            job = newer or self._jobs.get()
        self._jobs.put(None)  # the end is for every writer to see

    def _run(self, batch: _Batch) -> _Job | None:
        """Run a batch and tell each its outcome; gives a job that is to begin the next one, if it has one in hand."""
        began = time.monotonic()
        try:
            outcomes = self._storage.run_all(batch.units, place=batch)
        except BaseException as fault:  # the writer outlives whatever its storage or a unit does
            outcomes = [Failed(fault)] * len(batch.units)
        for job, outcome in zip(batch.jobs, outcomes, strict=True):
            job.settle(outcome)
        match outcomes:
            case [Failed(StorageUnavailable()) as failed] if not batch.begun:
                return self._refuse_waiting(failed, since=began)
        return None

    def _refuse_waiting(self, failed: Failed, *, since: float) -> _Job | None:
        """Tell all that have waited since then the same, or each would wait for storage once more, one by one.

        Gives the first that came later.
        """
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return None
            if job is None:
                self._jobs.put(None)  # the end is for every writer to see
                return None
            if job.since > since:
                return job
            if job.begin():
                job.settle(failed)


class _Batch:
    """What runs under one commit; as their executor, it fills itself at the last moment."""

    def __init__(self, waiting: queue.SimpleQueue[_Job | None], place: Executor | None, largest: int) -> None:
        self.jobs: list[_Job] = []
        self.units: list[UnitOfWork[object]] = []
        self.begun = False
        self._waiting = waiting
        self._place = place
        self._largest = largest

    def add(self, job: _Job) -> None:
        """Take a job in, if it is still wanted."""
        if job.begin():
            self.jobs.append(job)
            self.units.append(job.unit)

    def run(self, work: Callable[[], T]) -> T:
        """Take in all that has come while the transaction began, up to the largest batch, and run it."""

        def fill_and_work() -> T:
            self.begun = True
            self._fill()
            return work()

        return self._place.run(fill_and_work) if self._place else fill_and_work()

    def _fill(self) -> None:
        while len(self.jobs) < self._largest:
            try:
                job = self._waiting.get_nowait()
            except queue.Empty:
                return
            if job is None:
                self._waiting.put(None)  # the end is for the writer to see: this batch is still to be run
                return
            self.add(job)

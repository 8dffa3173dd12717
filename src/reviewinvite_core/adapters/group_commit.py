"""Many concurrent units of work, one durable commit (ADR-3).

One writer thread takes what has been submitted since its last commit, runs it as one batch and answers only when
the commit is on disk. While it waits for the disk the next batch gathers: the busier it gets, the cheaper each
unit becomes.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Protocol, TypeVar

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.ports import Done, Failed, Outcome, Unit

T = TypeVar("T")

LARGEST_BATCH = 256


class Batches(Protocol):
    """The part of `ports.Storage` that is used here."""

    def run_all(self, units: Sequence[Unit[object]]) -> Sequence[Outcome]:
        """Run many units under one durable commit."""
        ...


@attrs.frozen
class _Job:
    unit: Unit[object]
    answer: Future[object]


class GroupCommit:
    """The one writer of a process; `submit` from any thread."""

    def __init__(self, storage: Batches) -> None:
        self._storage = storage
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._writer = threading.Thread(target=self._write, name="group-commit", daemon=True)
        self._writer.start()

    def submit(self, unit: Unit[T]) -> Future[T]:
        """The result of `unit`, once the commit that covers it is durable.

        What was submitted is carried out even when nobody waits for it any more; cancelling the future before
        its batch begins takes it back.

        Raises: `StorageUnavailable` after `close`.
        """
        answer: Future[T] = Future()
        with self._closing:
            if self._closed:
                raise StorageUnavailable("shutting down")
            self._jobs.put(_Job(unit, answer))  # type: ignore[arg-type]  # the answer to a Unit[T] is a T
        return answer

    def run(self, unit: Unit[T]) -> T:
        """Submit and wait.

        Raises: what the unit raises; `StorageUnavailable`.
        """
        return self.submit(unit).result()

    def close(self) -> None:
        """Finish what was submitted, then stop; idempotent."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._writer.join()

    def _write(self) -> None:
        while batch := self._next_batch():
            jobs = [job for job in batch if job.answer.set_running_or_notify_cancel()]
            if jobs:
                self._run(jobs)

    def _next_batch(self) -> list[_Job]:
        """All that is waiting, up to the largest batch; waits for the first; empty when closed and done."""
        first = self._jobs.get()
        batch = [first] if first else []
        while batch and len(batch) < LARGEST_BATCH:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._jobs.put(None)  # for the next call: this batch is still to be run
                break
            batch.append(job)
        return batch

    def _run(self, jobs: list[_Job]) -> None:
        try:
            outcomes = self._storage.run_all([job.unit for job in jobs])
        except Exception as fault:  # the writer outlives whatever its storage does
            outcomes = [Failed(fault)] * len(jobs)
        for job, outcome in zip(jobs, outcomes, strict=True):
            match outcome:
                case Done(result):
                    job.answer.set_result(result)
                case Failed(error):
                    job.answer.set_exception(error)

"""Turn calls into durable commits: batching, lock order, and the declaration and running of use cases.

A use case is a function of a *unit context*: one open transaction, one instant, and values fixed for the transaction. A
direct call, `UseCases.run(...)`, runs in its own transaction. A server and deliveries (`application.commit_gatherer`)
make it a *unit of work* instead, `UseCases.unit(...)`, and submit that to a group commit. Reads never queue.

    caller              group commit                storage                     disk
      |  submit(unit)        |                         |                          |
      |--------------------->| queue                   |                          |
      |                      |  a batch of units       |                          |
      |                      |------------------------>| BEGIN                    |
      |                      |<- newer units join ---->|                          |
      |                      |                         | locks, ascending (PostgreSQL)
      |                      |                         | run each group           |
      |                      |                         | COMMIT ----------------->| fsync
      |  outcome             |  outcomes               |<-------------------------|
      |<---------------------|<------------------------|                          |

**One commit for many units (ADR-3).** A durable commit waits for the disk, and takes as long for one unit as for a
hundred. So `GroupCommit` has a writer thread that takes everything submitted since its last commit, runs it as one
batch, and answers only when the commit is on disk. The busier a process is, the cheaper each unit becomes. If a unit
raises, storage undoes its changes only; the other units are not affected.

**One set of statements for many units (ADR-3).** Sixteen orders with different keys can be looked up, limited and
stored with as many statements as one order needs. A use case that supports this is *batchable*: it has a form that
takes many requests. Neighbouring units of the same kind that share no lock run as one group (`group_batchable`,
`run_group`). They touch different rows, so the result equals running them one by one.

**Locks in one order (ADR-13).** Several processes may write to one PostgreSQL database. Before a unit runs, it names as
locks whatever it must not share with another unit, such as an order, a key's limit or an invitation. Storage takes the
locks of a whole batch in ascending order before the first unit runs (`locks_in_order`), so two batches never deadlock.
A unit that names no locks excludes all other such units (`GLOBAL_LOCK`). SQLite and memory have one writer at a time.

**Where units run.** On SQLite and memory a unit never waits once its transaction has begun
(`Storage.units_only_compute`). So a server passes an `Executor` that runs batches on its event loop, and the writer
thread waits only for the lock and for the disk. On PostgreSQL units run on the writer thread.
"""

from __future__ import annotations

import contextvars
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.forks import ProcessGuard
from reviewinvite_core.ports import (
    GLOBAL_LOCK,
    Batchable,
    Done,
    Executor,
    Failed,
    LockedUnit,
    Outcome,
    Storage,
    Store,
    Telemetry,
    UnitOfWork,
)

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")
Context = TypeVar("Context")

MAX_BATCH_SIZE = 256


# Units of work in a batch


def group_batchable(units: Iterable[UnitOfWork[object]]) -> Iterator[Sequence[UnitOfWork[object]]]:
    """Yield the units in order, grouping neighbours that can run as one."""
    group: list[UnitOfWork[object]] = []
    taken: set[int] = set()
    for unit in units:
        locks = _exclusive_locks(unit)
        if group and not (_same_kind(group[0], unit) and taken.isdisjoint(locks)):
            yield group
            group, taken = [], set()
        group.append(unit)
        taken |= locks
    if group:
        yield group


def run_group(store: Store, units: Sequence[UnitOfWork[object]]) -> Sequence[object]:
    """Return the result of each unit of a group; a group of several runs as one."""
    first = units[0]
    if len(units) == 1 or not isinstance(first, LockedUnit) or first.batchable is None:
        return [unit(store) for unit in units]
    requests = [unit.batchable.request for unit in units if isinstance(unit, LockedUnit) and unit.batchable]
    return first.batchable.run(store, requests)


def locks_in_order(units: Iterable[UnitOfWork[object]]) -> Sequence[int]:
    """Return the locks of all these units in the order in which to take them."""
    return sorted({lock for unit in units for lock in (unit.locks if isinstance(unit, LockedUnit) else GLOBAL_LOCK)})


def _exclusive_locks(unit: UnitOfWork[object]) -> frozenset[int]:
    """Return the locks that no other unit of the same group may share."""
    if not isinstance(unit, LockedUnit):
        return GLOBAL_LOCK
    return unit.locks - unit.batchable.shared_locks if unit.batchable else unit.locks


def _same_kind(one: UnitOfWork[object], other: UnitOfWork[object]) -> bool:
    if not (isinstance(one, LockedUnit) and isinstance(other, LockedUnit) and one.batchable and other.batchable):
        return False
    return one.batchable.run == other.batchable.run


# Group commit


class BatchStorage(Protocol):
    """The part of `ports.Storage` that a group commit needs."""

    @property
    def batches_at_once(self) -> int:
        """Maximum number of batches that run at the same time."""

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        """Run many units under one durable commit."""


class GroupCommitClosed(StorageUnavailable):
    """A unit of work was submitted after the group commit was closed; it was not run."""


@attrs.frozen
class _Job:
    unit: UnitOfWork[object]
    on_outcome: Callable[[Outcome], object]
    context: contextvars.Context = attrs.field(factory=contextvars.copy_context)
    since: float = attrs.field(factory=time.monotonic)


class GroupCommit:
    """The write side of a process; submit from any thread.

    A submitted unit is run even if nobody waits for it any more. Units run on `executor` if there is one, otherwise on
    the writer's own thread. If storage can run several batches at once, there are as many writers, with one queue.
    """

    def __init__(self, storage: BatchStorage, *, executor: Executor | None = None) -> None:
        writers = storage.batches_at_once
        self._storage = storage
        self._executor = executor
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._guard = ProcessGuard()
        self._closing = threading.Lock()
        self._closed = False
        self._running: set[_Batch] = set()
        self._max_batch_size = MAX_BATCH_SIZE // writers**2
        self._writers = [
            threading.Thread(target=self._write, name=f"group-commit-{number}", daemon=True)
            for number in range(writers)
        ]
        for writer in self._writers:
            writer.start()

    def submit(self, unit: UnitOfWork[object], on_outcome: Callable[[Outcome], object]) -> None:
        """Queue the unit; call `on_outcome` when the commit that covers it is durable or has failed.

        `on_outcome` is called on the writer's thread, must be quick, and must not raise.

        Raises: `GroupCommitClosed`; `UsedAfterFork`.
        """
        self._guard.require_same_process()
        with self._closing:
            if self._closed:
                raise GroupCommitClosed("shutting down")
            self._jobs.put(_Job(unit, on_outcome))

    def run(self, unit: UnitOfWork[T]) -> T:
        """Submit the unit and wait for its result; do not call this on the executor.

        Raises: what the unit raises; `StorageUnavailable`; `GroupCommitClosed`; `UsedAfterFork`.
        """
        outcomes: list[Outcome] = []
        answered = threading.Lock()  # a future would do the same but take three times as long
        answered.acquire()

        def on_outcome(outcome: Outcome) -> None:
            outcomes.append(outcome)
            answered.release()

        self.submit(unit, on_outcome)
        answered.acquire()
        match outcomes:
            case [Done(result)]:
                return result  # type: ignore[return-value]  # a UnitOfWork[T] returns a T
            case [Failed(error)]:
                raise error
        raise AssertionError(outcomes)

    def close(self, seconds: float | None = None) -> int:
        """Finish what was submitted, then stop; return how many units still have no outcome. Idempotent.

        Some can remain only if `seconds` is given and storage has not answered by then. Units already begun get their
        `on_outcome` call when storage answers; units not begun fail with `StorageUnavailable` and never run.
        """
        if self._guard.is_elsewhere():
            return 0  # what was submitted is the parent's
        with self._closing:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        until = None if seconds is None else time.monotonic() + seconds
        for writer in self._writers:
            writer.join(None if until is None else max(0.0, until - time.monotonic()))
        if not any(writer.is_alive() for writer in self._writers):
            return 0
        self._fail_waiting(Failed(StorageUnavailable("shutting down")), since=time.monotonic())
        return sum(len(batch.jobs) for batch in tuple(self._running))

    def _write(self) -> None:
        job = self._jobs.get()
        while job:
            batch = _Batch(self._jobs, self._executor, self._max_batch_size)
            batch.add(job)
            self._running.add(batch)
            newer = self._run(batch)
            self._running.discard(batch)
            job = newer or self._jobs.get()
        self._jobs.put(None)  # every writer has to see the end

    def _run(self, batch: _Batch) -> _Job | None:
        """Run a batch and report each outcome; return the next batch's first job, if it has been taken already."""
        began = time.monotonic()
        try:
            outcomes = self._storage.run_all(batch.units, executor=batch)
        except BaseException as fault:  # the writer survives anything that storage or a unit raises
            outcomes = [Failed(fault)] * len(batch.units)
        for job, outcome in zip(batch.jobs, outcomes, strict=True):
            job.on_outcome(outcome)
        match outcomes:
            case [Failed(StorageUnavailable()) as failed] if not batch.begun:
                return self._fail_waiting(failed, since=began)
        return None

    def _fail_waiting(self, failed: Failed, *, since: float) -> _Job | None:
        """Fail all jobs queued before `since`; otherwise each of them would wait for storage in turn.

        Return the first job queued later, or None.
        """
        while job := _next_of(self._jobs):
            if job.since > since:
                return job
            job.on_outcome(failed)
        return None


class _Batch:
    """The units under one commit; as their executor, it admits more units at the last moment."""

    def __init__(self, waiting: queue.SimpleQueue[_Job | None], executor: Executor | None, max_size: int) -> None:
        self.jobs: list[_Job] = []
        self.units: list[UnitOfWork[object]] = []
        self.begun = False
        self._waiting = waiting
        self._executor = executor
        self._max_size = max_size

    def add(self, job: _Job) -> None:
        """Add a job."""
        self.jobs.append(job)
        self.units.append(job.unit)

    def run(self, work: Callable[[], T]) -> T:
        """Add all units submitted while the transaction began, up to the maximum size, and run the batch."""

        def fill_and_work() -> T:
            self.begun = True
            while len(self.jobs) < self._max_size and (job := _next_of(self._waiting)):
                self.add(job)
            # A line that is logged meanwhile names the request of a unit that is alone, and none for several.
            context = self.jobs[0].context if len(self.jobs) == 1 else contextvars.Context()
            return context.run(work)

        return self._executor.run(fill_and_work) if self._executor else fill_and_work()


def _next_of(jobs: queue.SimpleQueue[_Job | None]) -> _Job | None:
    """Return the next job that waits, or None; the end stays in the queue, because every writer has to see it."""
    try:
        job = jobs.get_nowait()
    except queue.Empty:
        return None
    if job is None:
        jobs.put(None)
    return job


# Use cases


@attrs.frozen(eq=False)
class Declaration(Generic[Context, P, R_co]):
    """A declared use case: its function, whether it writes, what it locks, and how it is batched.

    Other use cases call it like the function, within a transaction that is already open.
    """

    function: Callable[Concatenate[Context, P], R_co]
    writes: bool
    only_if: Callable[P, bool] | None = None
    locks: Callable[P, frozenset[int]] | None = None
    batch: Callable[[Context, Sequence[Any]], Sequence[R_co]] | None = None
    shared_locks: Callable[P, frozenset[int]] | None = None

    def __call__(self, context: Context, *args: P.args, **kwargs: P.kwargs) -> R_co:
        return self.function(context, *args, **kwargs)

    def is_write(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Return whether a call with these arguments changes something."""
        return self.writes and (self.only_if is None or self.only_if(*args, **kwargs))


def read(function: Callable[Concatenate[Context, P], R]) -> Declaration[Context, P, R]:
    """Declare a use case that changes nothing and waits for no writer."""
    return Declaration(function, writes=False)


@attrs.frozen(kw_only=True)
class write:  # noqa: N801 - a decorator
    """Declare a use case that changes something.

    `locks` returns the locks of a call from its arguments; without it, calls exclude each other. `batch` is the form
    for many requests, each a tuple of arguments; apart from `shared_locks`, no two share a lock. If `only_if` is given,
    calls for which it is false only read.
    """

    only_if: Callable[..., bool] | None = None
    locks: Callable[..., frozenset[int]] | None = None
    batch: Callable[..., Sequence[Any]] | None = None
    shared_locks: Callable[..., frozenset[int]] | None = None

    def __call__(self, function: Callable[Concatenate[Context, P], R]) -> Declaration[Context, P, R]:
        return Declaration(function, writes=True, **attrs.asdict(self))


class UseCases(Generic[Context]):
    """Runs use cases on a storage; `context_of` makes the context from each transaction. Results go to `telemetry`."""

    def __init__(self, storage: Storage, context_of: Callable[[Store], Context], telemetry: Telemetry) -> None:
        self.telemetry = telemetry
        self._storage = storage
        self._context_of = context_of
        self._bound: dict[Declaration[Context, Any, Any], _BoundUseCase] = {}

    def run(self, use_case: Declaration[Context, P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the use case in its own transaction; return its result once its changes are durable.

        Raises: what the use case raises, with nothing changed; `StorageUnavailable` (see `Storage.run`).
        """
        run = self._storage.run if use_case.is_write(*args, **kwargs) else self._storage.read
        result = run(self.unit(use_case, *args, **kwargs))
        self.telemetry.answered(use_case.function.__name__, result)
        return result

    def unit(self, use_case: Declaration[Context, P, R], *args: P.args, **kwargs: P.kwargs) -> UnitOfWork[R]:
        """Return the call as a unit of work to submit to a group commit."""
        bound = self._bound.get(use_case) or self._bound.setdefault(use_case, _BoundUseCase(use_case, self._context_of))
        return bound.unit(args, kwargs)


class _BoundUseCase:
    """A use case on one storage: the same object for every call, so that its units can run as one."""

    def __init__(self, declared: Declaration[Any, Any, Any], context_of: Callable[[Store], Any]) -> None:
        self._declared = declared
        self._context_of = context_of

    def unit(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> UnitOfWork[Any]:
        declared, context_of = self._declared, self._context_of

        def unit(store: Store) -> object:
            return declared.function(context_of(store), *args, **kwargs)

        if declared.locks is None:
            return unit
        locks = declared.locks(*args, **kwargs)
        if declared.batch is None or kwargs:
            return LockedUnit(unit, locks)
        shares = declared.shared_locks  # often the same as `locks`: then they are derived once
        shared = locks if shares is declared.locks else shares(*args, **kwargs) if shares else frozenset()
        return LockedUnit(unit, locks | shared, Batchable(self._run_batch, args, shared))

    def _run_batch(self, store: Store, requests: Sequence[Any]) -> Sequence[Any]:
        return self._declared.batch(self._context_of(store), requests)  # type: ignore[misc]  # it has one: see `unit`

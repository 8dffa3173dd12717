"""Run deliveries, with the event loop that they need."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import attrs

from reviewinvite_core.adapters.worker_pool import EventLoopPool, EventLoopThread
from reviewinvite_core.application.facade import CheckedArguments, FindableNames
from reviewinvite_core.application.storage import ClosableStorage
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import Pause
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.messages import ServiceMessage
from reviewinvite_core.domain.workers import Heartbeat, WorkerWatch
from reviewinvite_core.execution import GroupCommit
from reviewinvite_core.ports import Done, Failed, LockedUnit, Storage, Store, Telemetry, UnitOfWork, WorkerPool
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery import reconcile, worker
from reviewinvite_core.usecases.delivery.attempt import DeliveryConfig, DeliveryResult
from reviewinvite_core.usecases.delivery.backlog import Backlog, measure_backlog
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.delivery.dispatcher import DeliveryContext
from reviewinvite_core.usecases.delivery.joint_commit import JointCommit
from reviewinvite_core.usecases.delivery.restore_guard import find_pause
from reviewinvite_core.usecases.delivery.retry import Retries
from reviewinvite_core.usecases.delivery.stop_signal import StopSignal
from reviewinvite_core.usecases.delivery.worker import Listeners, Progress
from reviewinvite_core.usecases.messages.claim import is_message_due

T = TypeVar("T")

_MOST_RETURNED = 10_000


class Delivery(FindableNames, CheckedArguments):
    """Send the invitations that are due: `once` until none is left, or `continually`, and resume after a pause."""

    def __init__(
        self,
        *,
        config: DeliveryConfig,
        storage: ClosableStorage,
        context_of: Callable[[Store], UnitContext],
        new_worker_pool: Callable[[], WorkerPool[DeliveryResult]],
        event_loop: EventLoopThread,
        is_mailer_unused: bool,
        grace_seconds: float,
        clock_guard: ClockGuard | None = None,
        telemetry: Telemetry,
        draw_worker: Callable[[], bytes],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Do not call this; use `build`."""
        self._telemetry = telemetry
        self._config = config
        self._storage = storage
        self._context_of = context_of
        self._new_worker_pool = new_worker_pool
        self._event_loop = event_loop
        self._is_mailer_unused = is_mailer_unused
        self._grace_seconds = grace_seconds
        self._clock_guard = clock_guard
        self._draw_worker = draw_worker
        self._monotonic = monotonic
        self._watch = WorkerWatch(config.pace.missing_after)

    def once(
        self,
        stop: StopSignal | None = None,
        *,
        on_change: Callable[[Invitation], None] | None = None,
        on_message: Callable[[ServiceMessage], None] | None = None,
    ) -> Sequence[Invitation]:
        """Deliver until nothing is due or `stop` is set; return the invitations in their new states. Messages go first.

        Of more than 10,000 invitations only the last are returned. `on_change` receives each of them at once, and
        `on_message` each message; their errors are ignored. An exception in one delivery does not affect the others; it
        is raised at the end.

        Raises: `DeliveryPaused`, `HighWaterMarkUnwritten`, `StorageUnavailable`.
        """
        with self._context(stop or threading.Event()) as context:
            return list(deque(worker.run_once(context, on_change, on_message), maxlen=_MOST_RETURNED))

    def continually(
        self,
        stop: StopSignal,
        *,
        on_change: Callable[[Invitation], None] | None = None,
        on_message: Callable[[ServiceMessage], None] | None = None,
        on_trouble: Callable[[Exception], None] | None = None,
        on_pause: Callable[[ConfigurationError], None] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        commits: GroupCommit | None = None,
        grace_seconds: float | None = None,
    ) -> None:
        """Deliver until `stop` is set; share commits with others through `commits`, if given.

        Events are logged, unless `on_change` (of invitations), `on_message`, `on_trouble` and `on_pause` are given to
        receive them instead. Nothing is
        delivered while the database may be an older copy: `on_pause` receives the reason, and a `ConfigurationError`
        that it raises ends the deliveries; exceptions from the other callbacks are ignored. `on_progress` receives
        counts. Once `stop` is set, messages that may already be on their way get `grace_seconds` to finish, by default
        those of the settings.

        Raises: the `ConfigurationError` that `on_pause` raises; `ApplicationClosed`.
        While storage is unavailable, deliveries wait for it.
        """
        from reviewinvite_core.adapters import log

        listeners = Listeners(
            on_change=on_change or log.note_change,
            on_message=on_message or log.note_message,
            on_trouble=on_trouble or log.note_trouble,
            on_pause=on_pause or log.note_pause,
            on_progress=on_progress,
            on_outage=log.note_outage,
        )
        with self._context(stop, commits, grace_seconds, worker=self._draw_worker()) as context:
            worker.run_continually(context, listeners)

    def paused(self) -> Pause | None:
        """Return why deliveries are paused until an operator reconciles, or None if they are not.

        Raises: `ConfigurationError` if the high-water mark is damaged; `StorageUnavailable`.
        """
        storage, guard = self._storage, self._config.restore_guard
        storage.require_open()
        if guard is None:
            return None
        return find_pause(guard, lambda: storage.read(lambda store: store.hosts.every()))

    def backlog(self) -> Backlog:
        """Return what waits to be sent, what is stuck, and what waits for an operator's word.

        A worker counts as missing once this object has seen its counter unchanged for two minutes, so ask regularly.

        Raises: `StorageUnavailable`.
        """

        def measure(store: Store) -> tuple[Backlog, Sequence[Heartbeat]]:
            now = self._context_of(store).now
            return measure_backlog(store, now, self._config.pace), store.workers.every()

        backlog, beats = self._storage.read(measure)
        missing = len(self._watch.observe(beats, self._monotonic()))
        return attrs.evolve(backlog, workers=len(beats) - missing, workers_missing=missing)

    def reconcile(self) -> int:
        """Mark as `uncertain` all invitations that an older copy of the database could send twice; return their number.

        Deliveries then resume. If they are not paused, this changes nothing. It is safe to repeat.

        Raises: `ConfigurationError` if the high-water mark is damaged; `StorageUnavailable`.

        ADR-20.
        """
        self._storage.require_open()
        guard = self._config.restore_guard
        return reconcile.reconcile(self._transactions(), guard) if guard else 0

    @property
    def _retries(self) -> Retries:
        """What tries rejected invitations again, unless deliveries are paused."""
        guard = self._config.restore_guard
        return Retries(transactions=self._transactions(), storage=self._storage, guard=guard)

    def _close_mailer(self) -> None:
        """Close the mailer, on the event loop that its sessions belong to, and end that loop.

        A mailer of the settings that has never been used holds nothing, and needs no event loop to be closed.
        """
        if self._event_loop.is_closed:
            return
        close = self._config.mailer.close
        is_on_loop = self._event_loop.is_running
        self._event_loop.close(close)
        if is_on_loop or self._is_mailer_unused:
            return
        from reviewinvite_core.adapters.inline_loop import InlineLoop

        loop = InlineLoop()
        try:
            loop.run(close)
        finally:
            loop.close()

    def _transactions(self, commits: GroupCommit | None = None) -> TransactionRunner:
        """Return a runner of transactions; it batches through this group commit, if there is one."""
        return _Transactions(self._storage, commits, self._context_of)

    @contextmanager
    def _context(
        self,
        stop: StopSignal,
        commits: GroupCommit | None = None,
        grace_seconds: float | None = None,
        *,
        worker: bytes = b"",
    ) -> Iterator[DeliveryContext]:
        """Open what deliveries need; their commits are gathered, and go through the given group commit, if any."""
        from reviewinvite_core.application.commit_gatherer import CommitGatherer

        self._storage.require_open()  # or it would be taken for trouble with storage, and tried again
        self._is_mailer_unused = False
        pool = self._new_worker_pool()
        is_parallel = isinstance(pool, EventLoopPool)
        transactions = _Transactions(self._storage, commits, self._context_of, as_batches=is_parallel)
        joint = JointCommit(transactions, self._config.restore_guard)
        yield DeliveryContext(
            transactions=transactions,
            config=self._config,
            stop=stop,
            worker_pool=pool,
            grace_seconds=self._grace_seconds if grace_seconds is None else grace_seconds,
            clock_guard=self._clock_guard,
            committer=CommitGatherer(joint) if is_parallel else None,
            telemetry=self._telemetry,
            stopwatch=self._monotonic,
            worker=worker,
            is_message_due=lambda: self._storage.read(lambda store: is_message_due(self._context_of(store))),
        )


@attrs.frozen
class _Transactions:
    """Implements `TransactionRunner`."""

    _storage: Storage
    _commits: GroupCommit | None
    _context_of: Callable[[Store], UnitContext]
    _as_batches: bool = False  # whether steps that many deliveries share are stored as a group commit's batches are

    def run(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        unit = self._unit(step)
        return self._storage.run(unit if locks is None else LockedUnit(unit, locks))

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        unit = LockedUnit(self._unit(step), locks)
        if self._commits:
            return self._commits.run(unit)
        if not self._as_batches:
            return self._storage.run(unit)
        match self._storage.run_all([unit]):
            case [Done(result)]:
                return result  # type: ignore[return-value]  # a UnitOfWork[T] returns a T
            case [Failed(error)]:
                raise error
        raise AssertionError

    def _unit(self, step: Callable[[UnitContext], T]) -> UnitOfWork[T]:
        context_of = self._context_of
        return lambda store: step(context_of(store))

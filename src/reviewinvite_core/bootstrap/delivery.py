"""The ways to run deliveries, with the threads and the group commit that they need."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol, TypeVar

import attrs

from reviewinvite_core.adapters.group_commit import GroupCommit
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable
from reviewinvite_core.domain.handovers import Pause
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.ports import LockedUnit, Storage, Store, UnitOfWork, WorkerPool
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery import worker as deliver_continually
from reviewinvite_core.usecases.delivery.attempt import DeliveryConfig, DeliveryResult, StopSignal
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.delivery.dispatcher import DeliveryContext
from reviewinvite_core.usecases.delivery.restore_guard import find_pause
from reviewinvite_core.usecases.delivery.worker import Listeners, Progress

T = TypeVar("T")


class Runner(Protocol):
    """Runs a unit of work and returns when it is durable: a storage's `run`, or a group commit's."""

    def __call__(self, unit: UnitOfWork[T], /) -> T:
        """What the unit returns."""
        ...


@attrs.frozen(kw_only=True)
class Delivery:
    """The ways to run deliveries: the same code for an embedder, `worker` and `serve`."""

    office: DeliveryConfig
    _storage: Storage
    _work_on: Callable[[Store], UnitContext]
    _new_crew: Callable[[], WorkerPool[DeliveryResult]]
    _grace_seconds: float
    _clock: ClockGuard | None = None

    def once(self, stop: StopSignal | None = None) -> Iterator[Invitation]:
        """Deliver until nothing is due, or `stop` is set; yields each invitation as it was left.

        One delivery's fault harms no other, and is raised in the end.

        Raises: `DeliveryPaused`, `MarkUnwritten`, `StorageUnavailable`.
        """
        with self._dispatch(stop or threading.Event()) as dispatch:
            yield from deliver_continually.deliver_once(dispatch)

    def continually(
        self,
        stop: StopSignal,
        *,
        on_change: Callable[[Invitation], None] | None = None,
        on_trouble: Callable[[Exception], None] | None = None,
        on_pause: Callable[[ConfigurationError], None] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        through: Runner | None = None,
        grace_seconds: float | None = None,
    ) -> None:
        """Deliver until `stop` is set; its commits are shared with others where `through` is a group commit's.

        What happens is logged, unless `on_change`, `on_trouble` and `on_pause` are given to be told instead. Nothing is
        delivered while the database may be an older copy: `on_pause` is told why, and a `ConfigurationError` that it
        raises ends the deliveries; no other fault of who is told does. `on_progress` is told how it goes. What may be
        out when `stop` is set is waited for so long as `grace_seconds`, or else the settings, say.
        """
        from reviewinvite_core.adapters import log

        listeners = Listeners(
            on_change=on_change or log.note_change,
            on_trouble=on_trouble or log.note_trouble,
            on_pause=on_pause or log.note_pause,
            on_progress=on_progress,
        )
        with self._dispatch(stop, through, grace_seconds) as dispatch:
            deliver_continually.deliver_continually(dispatch, listeners)

    def paused(self) -> Pause | None:
        """Why nothing is delivered until an operator has reconciled; None where deliveries may go on.

        Raises: `ConfigurationError` where the hand-over mark is damaged; `StorageUnavailable`.
        """
        storage, watch = self._storage, self.office.watch
        if watch is None:
            return None
        return find_pause(watch, lambda: storage.read(lambda store: store.hosts.every()))

    def performing(self, run_batched: Runner) -> TransactionRunner:
        """Runs steps by themselves, and through `run_batched` those whose commits are to be shared."""
        return _Performing(self._storage.run, run_batched, self._work_on)

    @contextmanager
    def _dispatch(
        self, stop: StopSignal, through: Runner | None = None, grace_seconds: float | None = None
    ) -> Iterator[DeliveryContext]:
        """What deliveries need; side by side they share commits, of their own unless `through` is given."""
        crew = self._new_crew()
        with ExitStack() as stack:
            if through is None and crew.size > 1:
                storage = self._storage
                commits = GroupCommit(storage, writers=storage.batches_at_once)
                through = _Sharing(commits, storage).run
                stack.callback(commits.close)
            yield DeliveryContext(
                perform=self.performing(through or self._storage.run),
                office=self.office,
                stop=stop,
                crew=crew,
                grace_seconds=self._grace_seconds if grace_seconds is None else grace_seconds,
                clock=self._clock,
            )


@attrs.frozen
class _Sharing:
    """Shares commits as long as the group commit lasts; an answer that comes later has one of its own."""

    _commits: GroupCommit
    _storage: Storage

    def run(self, unit: UnitOfWork[T], /) -> T:
        try:
            answer = self._commits.submit(unit)
        except StorageUnavailable:  # it is closed
            return self._storage.run(unit)
        return answer.result()


@attrs.frozen
class _Performing:
    _alone: Runner
    _together: Runner
    _work_on: Callable[[Store], UnitContext]

    def __call__(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        unit = self._unit(step)
        return self._alone(unit if locks is None else LockedUnit(unit, locks))

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        return self._together(LockedUnit(self._unit(step), locks))

    def _unit(self, step: Callable[[UnitContext], T]) -> UnitOfWork[T]:
        work_on = self._work_on
        return lambda store: step(work_on(store))

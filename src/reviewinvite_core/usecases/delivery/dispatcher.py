"""Deliver notices and due invitations: keep all workers busy, and shut down gracefully. Spec: §3, §6, ADR-7."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import MailItem, Notice
from reviewinvite_core.ports import NoTelemetry, StopSignal, Telemetry, WorkerPool
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.attempt import DeliveryAttempt, DeliveryConfig, DeliveryResult
from reviewinvite_core.usecases.delivery.claim import Assignment, Search, claim_due
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.delivery.committer import Committer, DirectCommitter, JointCommit
from reviewinvite_core.usecases.delivery.outcomes import record_outcome
from reviewinvite_core.usecases.delivery.restore_guard import read_high_water_mark

STOP_POLL_SECONDS = 0.2  # how often a stop is checked for while all workers are busy
PREFETCH_HIGH = 16  # a claim costs a commit, but waiting for a worker uses up the lease
PREFETCH_LOW = 6
MOST_CLAIMED = 128  # at once: the claim's commit holds up others


@attrs.frozen(kw_only=True)
class DeliveryContext:
    """What a round of deliveries needs; without a `committer`, each step is committed on the thread that takes it.

    `is_notice_due` returns whether a notice waits; without it, only claims find that out. `stopwatch` returns
    seconds since any moment, for the durations that telemetry gets, and for heartbeats. `worker` is the worker's id, or
    empty for one that does not beat.
    """

    transactions: TransactionRunner
    config: DeliveryConfig
    stop: StopSignal
    worker_pool: WorkerPool[DeliveryResult]
    grace_seconds: float
    clock_guard: ClockGuard | None = None  # None if the clock is trusted anyway
    committer: Committer | None = None
    is_notice_due: Callable[[], bool] | None = None
    telemetry: Telemetry = attrs.field(factory=NoTelemetry)
    worker: bytes = b""
    stopwatch: Callable[[], float]


def deliver_due(
    context: DeliveryContext, *, on_trouble: Callable[[Exception], None] = lambda _: None
) -> Generator[MailItem, None, None]:
    """Deliver until nothing is due or a stop is requested; yield each item with its result as it finishes.

    Notices go ahead of invitations. What is claimed is released when a stop is requested, when an error ends the
    search, or when the actor stops iterating; what may already have been sent gets the grace period to finish. An
    error in one delivery does not affect the others, and is raised at the end.

    Raises: `DeliveryPaused`, `ConfigurationError`, `StorageUnavailable`.
    """
    dispatcher = Dispatcher(context, on_trouble)
    trouble: Exception | None = None
    try:
        while not context.stop.is_set() and (dispatcher.take_more() or dispatcher.busy):
            result = dispatcher.next_result(STOP_POLL_SECONDS)
            if result:
                trouble = trouble or result.trouble
                yield result.item
    except (Exception, GeneratorExit, KeyboardInterrupt):
        with suppress(Exception):  # the original error says more
            list(dispatcher.give_back())
        raise
    yield from dispatcher.give_back()
    if trouble:
        raise trouble


class Dispatcher:
    """The invitations and notices of one worker pool that are in flight, and the search for more."""

    def __init__(self, context: DeliveryContext, on_trouble: Callable[[StorageUnavailable], None]) -> None:
        self.search = Search()
        self.seen_at: datetime | None = None
        self.outage_since: datetime | None = None
        self._context = context
        committer = context.committer
        if committer is None:
            committer = DirectCommitter(JointCommit(context.transactions, context.config.restore_guard))
        self._on_trouble = on_trouble
        self._troubles: deque[StorageUnavailable] = deque()  # of deliveries, which may run on another thread
        self._attempt = DeliveryAttempt(committer, context.config, context.stop, self._troubles.append)
        self._ended = 0  # deliveries since the last search for notices
        self._in_flight: dict[bytes, MailItem] = {}  # by the claim's token: a released one may be claimed again

    @property
    def in_flight(self) -> int:
        """Number of invitations and notices in flight."""
        return len(self._in_flight)

    @property
    def busy(self) -> bool:
        """Whether anything is in flight."""
        return bool(self._in_flight)

    def take_more(self) -> bool:
        """Claim notices, and due invitations if the pool has little left to begin; return whether there were any.

        While the pool has enough to begin, notices are searched for whenever as many deliveries have ended as it has
        workers: a notice then overtakes what is claimed already.

        Raises: `DeliveryPaused`, `ConfigurationError`, `StorageUnavailable`.
        """
        size = self._context.worker_pool.size
        is_full = self.in_flight > PREFETCH_LOW * size
        if is_full and not self._finds_notice():
            return False
        self._ended = 0
        transactions, config, since = self._context.transactions, self._context.config, self.search.since
        most = 0 if is_full else min(PREFETCH_HIGH * size - self.in_flight, MOST_CLAIMED)
        begun_by = config.clock.now() + config.lease / 2
        mark, worker = read_high_water_mark(transactions, config.restore_guard), self._context.worker
        claimed = transactions.run(
            lambda ctx: claim_due(ctx, config.base_url, most, since=since, high_water_mark=mark, worker=worker),
            locks=frozenset(),
        )
        self.seen_at, self.search.since = claimed.at, claimed.since
        if most and not claimed.pause:
            self.outage_since = claimed.outage_since
        for assignment in claimed.assignments:  # first of all, so that they are released whatever happens
            self._in_flight[_token(assignment)] = assignment.item
        self._context.telemetry.in_flight(self.in_flight)
        self._begin_all(claimed.assignments, begun_by)
        if claimed.pause:
            raise DeliveryPaused(claimed.pause)
        return bool(claimed.assignments)

    def _finds_notice(self) -> bool:
        """Return whether a notice waits; search only if enough deliveries have ended since the last time."""
        search = self._context.is_notice_due
        if search is None or self._ended < self._context.worker_pool.size:
            return False
        self._ended = 0
        return search()

    def _begin_all(self, assignments: Sequence[Assignment], begun_by: datetime) -> None:
        """Begin these; if the pool does not take one, release it and the following ones, or leave them to the lease."""
        for place, assignment in enumerate(assignments):
            try:
                self._begin(assignment, begun_by)
            except Exception:
                held = {_token(each): each.item for each in assignments[place:]}
                with suppress(Exception):  # the original error says more
                    self._record_all(held, State.SCHEDULED, Reason.SHUTDOWN)
                for token in held:
                    self._in_flight.pop(token, None)
                raise

    def _begin(self, assignment: Assignment, begun_by: datetime) -> None:
        token = _token(assignment)

        async def deliver(free: Callable[[], None]) -> DeliveryResult:
            began = self._context.stopwatch()
            result = await self._attempt.deliver(assignment, begun_by, free)
            return attrs.evolve(result, token=token, seconds=self._context.stopwatch() - began)

        self._context.worker_pool.begin(deliver, ahead=isinstance(assignment.item, Notice))

    def next_result(self, seconds: float) -> DeliveryResult | None:
        """Return the next finished delivery, or None after `seconds`."""
        result = self._context.worker_pool.next_done(seconds)
        self._tell_troubles()
        self._ended += 1 if result else self._context.worker_pool.size
        if result:
            self._in_flight.pop(result.token, None)
            self._tell(result.item, result.seconds)
            self.seen_at = result.item.changed_at
            if result.item.reason is Reason.LEASE_EXPIRED:
                self.search.restart()  # it is still due, perhaps before the search's position
        return result

    def _tell(self, item: MailItem, seconds: float | None) -> None:
        self._context.telemetry.delivered(item, seconds)
        self._context.telemetry.in_flight(self.in_flight)

    def _tell_troubles(self) -> None:
        """Report what deliveries have met, here, on the thread that dispatches them."""
        while self._troubles:
            self._on_trouble(self._troubles.popleft())

    def give_back(self) -> Iterator[MailItem]:
        """Release what has not passed the fence, and wait for the rest; unanswered ones stay in doubt.

        Deliveries that reach the fence later find that their item was released. Yields what changed.
        """
        finishing = self._context.worker_pool.finish(self._context.grace_seconds)
        trouble: Exception | None = None
        try:
            yield from self._record_all(self._in_flight, State.SCHEDULED, Reason.SHUTDOWN)
        except StorageUnavailable as away:  # it may be available again when the answers come
            trouble = away
        while self._in_flight and (result := next(finishing, None)):
            self._tell_troubles()
            if self._in_flight.pop(result.token, None):
                self._tell(result.item, result.seconds)
                yield result.item
        self._tell_troubles()
        yield from self._record_all(self._in_flight, None, Reason.ANSWER_LOST)
        if trouble:
            raise trouble

    def _record_all(self, claimed: Mapping[bytes, MailItem], to: State | None, reason: Reason) -> Sequence[MailItem]:
        """Record an outcome for these claimed items; those being handed over are not changed.

        Without `to`, it is what the kind of each declares for a lost answer.
        """
        held = dict(claimed)
        if not held:
            return []
        locks = frozenset(item.lock for item in held.values())

        def step(ctx: UnitContext) -> Sequence[MailItem]:
            return [record_outcome(ctx, item, to or item.lost_answer, reason) for item in held.values()]

        recorded = []
        for token, item in zip(held, self._context.transactions.run(step, locks=locks), strict=True):
            if item.state is not State.HANDING_OVER:
                del self._in_flight[token]
                self._tell(item, None)
                recorded.append(item)
        return recorded


def _token(assignment: Assignment) -> bytes:
    """Return the token of the claim."""
    claim = assignment.item.claim
    return claim.token if claim else b""

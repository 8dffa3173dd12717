"""Deliver due invitations: keep all workers of the pool busy, and shut down gracefully. Spec: §3, §6, ADR-7."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.domain.invitation_states import (
    Reason,
    State,
)
from reviewinvite_core.domain.invitations import (
    Invitation,
    invitation_lock,
)
from reviewinvite_core.ports import WorkerPool
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.attempt import DeliveryAttempt, DeliveryConfig, DeliveryResult
from reviewinvite_core.usecases.delivery.claim import Assignment, Search, claim_due
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.delivery.committer import Committer
from reviewinvite_core.usecases.delivery.direct_committer import DirectCommitter
from reviewinvite_core.usecases.delivery.joint_commit import JointCommit
from reviewinvite_core.usecases.delivery.outcomes import record_outcome
from reviewinvite_core.usecases.delivery.restore_guard import read_high_water_mark
from reviewinvite_core.usecases.delivery.stop_signal import StopSignal

STOP_POLL_SECONDS = 0.2  # how often a stop is checked for while all workers are busy
PREFETCH_HIGH = 16  # a claim costs a commit, but waiting for a worker uses up the lease
PREFETCH_LOW = 6
MOST_CLAIMED = 128  # at once: the claim's commit holds up others


@attrs.frozen(kw_only=True)
class DeliveryContext:
    """What a round of deliveries needs; without a `committer`, each step is committed on the thread that takes it."""

    transactions: TransactionRunner
    config: DeliveryConfig
    stop: StopSignal
    worker_pool: WorkerPool[DeliveryResult]
    grace_seconds: float
    clock_guard: ClockGuard | None = None  # None if the clock is trusted anyway
    committer: Committer | None = None


def deliver_due(
    context: DeliveryContext, *, on_trouble: Callable[[Exception], None] = lambda _: None
) -> Generator[Invitation, None, None]:
    """Deliver until nothing is due or a stop is requested; yield each invitation with its result as it finishes.

    Claimed invitations are released when a stop is requested, when an error ends the search, or when the caller stops
    iterating; those that may already have been sent get the grace period to finish. An error in one delivery does not
    affect the others, and is raised at the end.

    Raises: `DeliveryPaused`, `ConfigurationError`, `StorageUnavailable`.
    """
    dispatcher = Dispatcher(context, on_trouble)
    trouble: Exception | None = None
    try:
        while not context.stop.is_set() and (dispatcher.take_more() or dispatcher.busy):
            result = dispatcher.next_result(STOP_POLL_SECONDS)
            if result:
                trouble = trouble or result.trouble
                yield result.invitation
    except (Exception, GeneratorExit, KeyboardInterrupt):
        with suppress(Exception):  # the original error says more
            list(dispatcher.give_back())
        raise
    yield from dispatcher.give_back()
    if trouble:
        raise trouble


class Dispatcher:
    """The in-flight invitations of one worker pool, and the search for more."""

    def __init__(self, context: DeliveryContext, on_trouble: Callable[[StorageUnavailable], None]) -> None:
        self.search = Search()
        self.seen_at: datetime | None = None
        self._context = context
        committer = context.committer
        if committer is None:
            committer = DirectCommitter(JointCommit(context.transactions, context.config.restore_guard))
        self._on_trouble = on_trouble
        self._troubles: deque[StorageUnavailable] = deque()  # of deliveries, which may run on another thread
        self._attempt = DeliveryAttempt(committer, context.config, context.stop, self._troubles.append)
        self._in_flight: dict[bytes, Invitation] = {}  # by the claim's token: a released one may be claimed again

    @property
    def in_flight(self) -> int:
        """Number of invitations in flight."""
        return len(self._in_flight)

    @property
    def busy(self) -> bool:
        """Whether any invitation is in flight."""
        return bool(self._in_flight)

    def take_more(self) -> bool:
        """Claim due invitations if the pool has little left to begin; return whether there were any.

        Raises: `DeliveryPaused`, `ConfigurationError`, `StorageUnavailable`.
        """
        size = self._context.worker_pool.size
        if self.in_flight > PREFETCH_LOW * size:
            return False
        transactions, config, since = self._context.transactions, self._context.config, self.search.since
        most = min(PREFETCH_HIGH * size - self.in_flight, MOST_CLAIMED)
        begun_by = config.clock.now() + config.lease / 2
        high_water_mark = read_high_water_mark(transactions, config.restore_guard)
        claimed = transactions.run(
            lambda ctx: claim_due(ctx, config.base_url, most, since=since, high_water_mark=high_water_mark),
            locks=frozenset(),
        )
        self.seen_at, self.search.since = claimed.at, claimed.since
        for assignment in claimed.assignments:  # first of all, so that they are released whatever happens
            self._in_flight[_token(assignment)] = assignment.invitation
        self._begin_all(claimed.assignments, begun_by)
        if claimed.pause:
            raise DeliveryPaused(claimed.pause)
        return bool(claimed.assignments)

    def _begin_all(self, assignments: Sequence[Assignment], begun_by: datetime) -> None:
        """Begin these; if the pool does not take one, release it and the following ones, or leave them to the lease."""
        for place, assignment in enumerate(assignments):
            try:
                self._begin(assignment, begun_by)
            except Exception:
                held = {_token(each): each.invitation for each in assignments[place:]}
                with suppress(Exception):  # the original error says more
                    self._record_all(held, State.SCHEDULED, Reason.SHUTDOWN)
                for token in held:
                    self._in_flight.pop(token, None)
                raise

    def _begin(self, assignment: Assignment, begun_by: datetime) -> None:
        token = _token(assignment)

        async def deliver(free: Callable[[], None]) -> DeliveryResult:
            result = await self._attempt.deliver(assignment, begun_by, free)
            return DeliveryResult(invitation=result.invitation, trouble=result.trouble, token=token)

        self._context.worker_pool.begin(deliver)

    def next_result(self, seconds: float) -> DeliveryResult | None:
        """Return the next finished delivery, or None after `seconds`."""
        result = self._context.worker_pool.next_done(seconds)
        self._tell_troubles()
        if result:
            self._in_flight.pop(result.token, None)
            self.seen_at = result.invitation.changed_at
            if result.invitation.reason is Reason.LEASE_EXPIRED:
                self.search.restart()  # it is still due, perhaps before the search's position
        return result

    def _tell_troubles(self) -> None:
        """Report what deliveries have met, here, on the thread that dispatches them."""
        while self._troubles:
            self._on_trouble(self._troubles.popleft())

    def give_back(self) -> Iterator[Invitation]:
        """Release invitations that have not passed the fence, and wait for the rest; unanswered ones stay in doubt.

        Deliveries that reach the fence later find that their invitation was released. Yields the changed invitations.
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
                yield result.invitation
        self._tell_troubles()
        yield from self._record_all(self._in_flight, State.UNCERTAIN, Reason.ANSWER_LOST)
        if trouble:
            raise trouble

    def _record_all(self, claimed: Mapping[bytes, Invitation], to: State, reason: Reason) -> Sequence[Invitation]:
        """Record an outcome for these claimed invitations; those being handed over are not changed."""
        held = dict(claimed)
        if not held:
            return []
        locks = frozenset(invitation_lock(each.invite_id) for each in held.values())

        def step(ctx: UnitContext) -> Sequence[Invitation]:
            return [record_outcome(ctx, each, to, reason) for each in held.values()]

        recorded = []
        for token, now in zip(held, self._context.transactions.run(step, locks=locks), strict=True):
            if now.state is not State.HANDING_OVER:
                del self._in_flight[token]
                recorded.append(now)
        return recorded


def _token(assignment: Assignment) -> bytes:
    """Return the token of the claim."""
    claim = assignment.invitation.claim
    return claim.token if claim else b""

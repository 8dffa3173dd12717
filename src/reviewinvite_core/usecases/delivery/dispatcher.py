"""Deliver what is due: keep all hands of a crew busy, and end in good order. Spec: §3, §6, ADR-7."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from datetime import datetime

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.domain.invitations import Invitation, Reason, State, invitation_lock
from reviewinvite_core.ports import WorkerPool
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.attempt import DeliveryAttempt, DeliveryConfig, DeliveryResult, StopSignal
from reviewinvite_core.usecases.delivery.claim import Assignment, Search, claim_due
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.delivery.outcomes import record_outcome
from reviewinvite_core.usecases.delivery.restore_guard import read_high_water_mark

STOP_POLL_SECONDS = 0.2  # how soon a wish to stop is seen while all hands are busy
PREFETCH_HIGH = 4  # what waits for a hand is held under a lease, which goes on while it waits
PREFETCH_LOW = 2


@attrs.frozen(kw_only=True)
class DeliveryContext:
    """What a round of deliveries works with."""

    perform: TransactionRunner
    office: DeliveryConfig
    stop: StopSignal
    crew: WorkerPool[DeliveryResult]
    grace_seconds: float
    clock: ClockGuard | None = None  # none where the clock is vouched for


def deliver_due(
    dispatch: DeliveryContext, *, on_trouble: Callable[[Exception], None] = lambda _: None
) -> Generator[Invitation, None, None]:
    """Deliver until nothing is due or a stop is wished; yields each invitation as it was left, as soon as it was.

    What is in our hands when a stop is wished, a fault ends it or nobody asks for more, is given back; what may be out
    already is waited for, so long as the grace lasts. One delivery's fault harms no other, and is raised in the end.

    Raises: `DeliveryPaused`, `StorageUnavailable`.
    """
    hands = Dispatcher(dispatch, on_trouble)
    trouble: Exception | None = None
    try:
        while not dispatch.stop.is_set() and (hands.take_more() or hands.busy):
            left = hands.next_left(STOP_POLL_SECONDS)
            if left:
                trouble = trouble or left.trouble
                yield left.invitation
    except (Exception, GeneratorExit, KeyboardInterrupt):
        with suppress(Exception):  # what led here says more
            list(hands.give_back())
        raise
    yield from hands.give_back()
    if trouble:
        raise trouble


class Dispatcher:
    """A crew, what it has in hand, and where it looks for more."""

    def __init__(self, dispatch: DeliveryContext, on_trouble: Callable[[StorageUnavailable], None]) -> None:
        self.search = Search()
        self.seen_at: datetime | None = None
        self._dispatch = dispatch
        self._courier = DeliveryAttempt(dispatch.perform, dispatch.office, dispatch.stop, on_trouble)
        self._in_hand: dict[bytes, Invitation] = {}  # by the token of the claim: one given back may be claimed anew

    @property
    def in_flight(self) -> int:
        """How many invitations are in hand."""
        return len(self._in_hand)

    @property
    def busy(self) -> bool:
        """Whether any are."""
        return bool(self._in_hand)

    def take_more(self) -> bool:
        """Claim what is due, if there is little left for the crew to begin; whether there was any.

        Raises: `DeliveryPaused`, `ConfigurationError`, `StorageUnavailable`.
        """
        size = self._dispatch.crew.size
        if self.in_flight > PREFETCH_LOW * size:
            return False
        perform, office, since = self._dispatch.perform, self._dispatch.office, self.search.since
        most = PREFETCH_HIGH * size - self.in_flight
        begun_by = office.clock.now() + office.lease / 2
        mark = read_high_water_mark(perform, office.watch)
        claimed = perform(lambda ctx: claim_due(ctx, office.base_url, most, since=since, mark=mark), locks=frozenset())
        self.seen_at, self.search.since = claimed.at, claimed.since
        for assignment in claimed.assignments:
            self._begin(assignment, begun_by)
        if claimed.pause:
            raise DeliveryPaused(claimed.pause)
        return bool(claimed.assignments)

    def _begin(self, assignment: Assignment, begun_by: datetime) -> None:
        claim = assignment.invitation.claim
        token = claim.token if claim else b""
        self._in_hand[token] = assignment.invitation
        self._dispatch.crew.begin(lambda: attrs.evolve(self._courier.deliver(assignment, begun_by), token=token))

    def next_left(self, seconds: float) -> DeliveryResult | None:
        """What became of the next delivery; None where none ends within so many seconds."""
        left = self._dispatch.crew.next_done(seconds)
        if left:
            self._in_hand.pop(left.token, None)
            self.seen_at = left.invitation.changed_at
            if left.invitation.reason is Reason.LEASE_EXPIRED:
                self.search.begin_anew()  # it is due still, and may lie before what is looked through
        return left

    def give_back(self) -> Iterator[Invitation]:
        """Give back what has not passed the fence, wait for the rest, and leave in doubt what has no answer by then.

        Those that are still on their way to the fence find there that they have been given back. Yields what changed.
        """
        finishing = self._dispatch.crew.finish(self._dispatch.grace_seconds)
        trouble: Exception | None = None
        try:
            yield from self._settle_all(State.SCHEDULED, Reason.SHUTDOWN)
        except StorageUnavailable as away:  # it may be back when the answers come
            trouble = away
        while self._in_hand and (left := next(finishing, None)):
            if self._in_hand.pop(left.token, None):
                yield left.invitation
        yield from self._settle_all(State.UNCERTAIN, Reason.ANSWER_LOST)
        if trouble:
            raise trouble

    def _settle_all(self, to: State, reason: Reason) -> Sequence[Invitation]:
        """Settle what is in hand; what is still being handed over stays there."""
        held = dict(self._in_hand)
        if not held:
            return []
        locks = frozenset(invitation_lock(each.invite_id) for each in held.values())

        def step(ctx: UnitContext) -> Sequence[Invitation]:
            return [record_outcome(ctx, each, to, reason) for each in held.values()]

        settled = []
        for token, now in zip(held, self._dispatch.perform(step, locks=locks), strict=True):
            if now.state is not State.HANDING_OVER:
                del self._in_hand[token]
                settled.append(now)
        return settled

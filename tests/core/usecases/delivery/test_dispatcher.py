"""How much is claimed at once, and what is given back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TypeVar

import attrs
import pytest
from tests.core.usecases.delivery.stepped_delivery import run_to_end
from tests.core.usecases.failing_storage import FailingStorage
from tests.core.usecases.harness import LEASE, AppHarness, MailScript, invitation_of

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.application import delivery as bootstrap_delivery
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.frequency import recipient_lock
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import invitation_lock
from reviewinvite_core.ports import LockedUnit, UnitOfWork, Work
from reviewinvite_core.testing.builders import NOON
from reviewinvite_core.testing.inline_worker_pool import InlineWorkerPool
from reviewinvite_core.usecases.delivery.attempt import DeliveryResult
from reviewinvite_core.usecases.delivery.dispatcher import (
    MOST_CLAIMED,
    PREFETCH_HIGH,
    PREFETCH_LOW,
    Dispatcher,
    deliver_due,
)
from reviewinvite_core.usecases.invitations.read import InvitationQuery

T = TypeVar("T")


def test_what_waits_in_hand_for_half_its_lease_is_given_back_and_not_begun() -> None:
    harness = AppHarness(MailScript(while_handed_over=lambda: harness.clock.advance(LEASE / 2)))
    ids = [harness.report_due(f"c{number}@example.com") for number in range(2)]
    left = harness.deliver()
    assert [(each.invite_id, each.reason) for each in left] == [
        (ids[0], Reason.ACCEPTED),
        (ids[1], Reason.LEASE_EXPIRED),
        (ids[1], Reason.ACCEPTED),
    ]
    assert len(harness.mailer.staged) == 2


def test_never_more_is_claimed_than_will_be_begun_soon() -> None:
    held: list[int] = []
    harness = AppHarness(*[MailScript(while_staged=lambda: held.append(claimed_now(harness)))] * 20)
    for number in range(20):
        harness.report_due(f"c{number}@example.com")
    harness.deliver()
    assert max(held) == PREFETCH_HIGH
    assert min(held[:-PREFETCH_LOW]) > PREFETCH_LOW - 1


def test_one_claim_takes_a_bounded_number_however_many_sessions_there_are() -> None:
    harness = AppHarness()
    for number in range(MOST_CLAIMED + 2):
        harness.report_due(f"c{number}@example.com")
    dispatcher = Dispatcher(attrs.evolve(harness.delivery_context(), worker_pool=WidePool()), lambda _: None)
    dispatcher.take_more()
    assert dispatcher.in_flight == MOST_CLAIMED
    dispatcher.take_more()
    assert dispatcher.in_flight == MOST_CLAIMED + 2


class WidePool(InlineWorkerPool[DeliveryResult]):
    """A pool that would let more be claimed at once than a claim takes."""

    size = 2 * MOST_CLAIMED // PREFETCH_LOW


def claimed_now(harness: AppHarness) -> int:
    return len(accepted(harness.app.invitations.list(OPERATOR, InvitationQuery(state=State.CLAIMED))).invitations)


def test_the_fence_names_its_invitation_and_so_do_answers_and_cancelling() -> None:
    storage = RecordingLocks()
    harness = AppHarness(storage=storage)
    invite_id = harness.report_due()
    own = frozenset({invitation_lock(invite_id)})
    storage.locks.clear()
    harness.deliver()
    claim, fence, record = storage.locks[8:11]  # eight chores come first
    recipient = recipient_lock(1, harness.invitation(invite_id).address_hash)  # for the frequency rule
    assert (claim, fence, record) == (frozenset(), own | {recipient}, own)
    storage.locks.clear()
    harness.app.invitations.cancel(OPERATOR, invite_id)
    harness.app.invitations.cancel(OPERATOR, "no id")
    assert storage.locks == [own, frozenset()]


class RecordingLocks(MemoryStorage):
    """Storage that records the locks of each unit of work; None for a plain one."""

    def __init__(self) -> None:
        super().__init__()
        self.locks: list[frozenset[int] | None] = []

    def run(self, unit: UnitOfWork[T]) -> T:
        self.locks.append(unit.locks if isinstance(unit, LockedUnit) else None)
        return super().run(unit)


def test_told_to_stop_it_gives_back_what_is_not_begun() -> None:
    stop = threading.Event()
    harness = AppHarness(MailScript(while_handed_over=stop.set))
    ids = [harness.report_due(f"c{number}@example.com") for number in range(3)]
    left = list(deliver_due(harness.delivery_context(stop)))
    assert [(each.state, each.reason) for each in left] == [
        (State.SENT, Reason.ACCEPTED),
        (State.SCHEDULED, Reason.SHUTDOWN),
        (State.SCHEDULED, Reason.SHUTDOWN),
    ]
    assert len(harness.deliver()) == 2
    assert {harness.invitation(each).state for each in ids} == {State.SENT}


def test_when_nobody_asks_for_more_what_is_not_begun_is_given_back() -> None:
    harness = AppHarness()
    ids = [harness.report_due(f"c{number}@example.com") for number in range(3)]
    deliveries = deliver_due(harness.delivery_context())
    assert next(deliveries).state is State.SENT
    deliveries.close()
    assert [harness.state(each) for each in ids] == [
        (State.SENT, Reason.ACCEPTED),
        (State.SCHEDULED, Reason.SHUTDOWN),
        (State.SCHEDULED, Reason.SHUTDOWN),
    ]


def test_told_to_stop_while_it_is_staged_it_is_given_back() -> None:
    stop = threading.Event()
    harness = AppHarness(MailScript(while_staged=stop.set))
    harness.report_due()
    left = harness.app.delivery.once(stop)
    assert [(each.state, each.reason) for each in left] == [(State.SCHEDULED, Reason.SHUTDOWN)]
    assert (harness.mailer.committed, len(harness.mailer.abandoned)) == ([], 1)


class EagerPool:
    """A worker pool whose work is done before its results are asked for."""

    size = 1

    def __init__(self) -> None:
        self._done: deque[DeliveryResult] = deque()

    def begin(self, work: Work[DeliveryResult], *, ahead: bool = False) -> None:  # noqa: ARG002 - all begins at once
        self._done.append(run_to_end(work(lambda: None)))

    def next_done(self, seconds: float) -> DeliveryResult | None:  # noqa: ARG002 - all is done
        return self._done.popleft() if self._done else None

    def finish(self, seconds: float) -> Iterator[DeliveryResult]:  # noqa: ARG002 - all is done
        while self._done:
            yield self._done.popleft()


class FullPool(EagerPool):
    """A worker pool that takes no more than two pieces of work."""

    def begin(self, work: Work[DeliveryResult], *, ahead: bool = False) -> None:
        if len(self._done) == 2:
            raise RuntimeError("can't start new thread")
        super().begin(work, ahead=ahead)


def test_what_the_pool_does_not_take_is_given_back_at_once() -> None:
    harness = AppHarness()
    ids = [harness.report_due(f"c{number}@example.com") for number in range(4)]
    context = attrs.evolve(harness.delivery_context(), worker_pool=FullPool())
    dispatcher = Dispatcher(context, lambda _: None)
    with pytest.raises(RuntimeError):
        dispatcher.take_more()
    assert dispatcher.in_flight == 2
    assert sorted(harness.state(each) for each in ids) == [
        *[(State.SCHEDULED, Reason.SHUTDOWN)] * 2,
        *[(State.SENT, Reason.ACCEPTED)] * 2,
    ]


class ClosedPool(EagerPool):
    """A worker pool that takes no work, as its application is being closed, and storage with it."""

    def __init__(self, storage: FailingStorage) -> None:
        super().__init__()
        self.storage = storage

    def begin(self, work: Work[DeliveryResult], *, ahead: bool = False) -> None:  # noqa: ARG002 - nothing is taken
        self.storage.away = True
        raise StorageUnavailable("closed")


def test_what_can_neither_begin_nor_be_given_back_is_left_to_its_lease() -> None:
    storage = FailingStorage()
    harness = AppHarness(storage=storage)
    invite_id = harness.report_due()
    context = attrs.evolve(harness.delivery_context(), worker_pool=ClosedPool(storage))
    dispatcher = Dispatcher(context, lambda _: None)
    with pytest.raises(StorageUnavailable, match="closed"):
        dispatcher.take_more()
    storage.away = False
    assert not dispatcher.busy
    harness.clock.advance(LEASE)
    harness.deliver()
    assert harness.invitation(invite_id).state is State.SENT


class LateOnce:
    """A clock by which the first delivery begins too late, and later ones in time."""

    def __init__(self) -> None:
        self._asked = 0

    def now(self) -> datetime:
        self._asked += 1
        return NOON + (LEASE if self._asked == 2 else timedelta(0))


def test_what_was_given_back_and_claimed_again_before_anybody_looked_is_in_hand_still() -> None:
    harness = AppHarness()
    invite_id = harness.report_due()
    dispatcher = Dispatcher(
        attrs.evolve(harness.delivery_context(clock=LateOnce()), worker_pool=EagerPool()), lambda _: None
    )
    dispatcher.take_more()
    dispatcher.take_more()
    first = dispatcher.next_result(0)
    assert first
    assert first.item.reason is Reason.LEASE_EXPIRED
    assert dispatcher.busy
    (sent,) = dispatcher.give_back()
    assert (invitation_of(sent).invite_id, sent.state) == (invite_id, State.SENT)
    assert not dispatcher.busy


def test_a_round_acts_when_it_is_called_and_returns_what_it_delivered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap_delivery, "_MOST_RETURNED", 2)
    harness = AppHarness()
    ids = [harness.report_due(f"c{number}@example.com") for number in range(3)]
    told: list[str] = []
    delivered = harness.app.delivery.once(on_change=lambda invitation: told.append(invitation.invite_id))
    assert len(harness.mailer.committed) == 3
    assert told == ids
    assert [each.invite_id for each in delivered] == ids[-2:]
    harness.report_due("d@example.com")
    harness.app.delivery.once()
    assert len(harness.mailer.committed) == 4

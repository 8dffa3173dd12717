"""Faults of rendering, storage and the mailer on the way (ADR-7)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import attrs
import pytest
from tests.builders import an_invitation, scheduled
from tests.core.usecases.failing_storage import FailingStorage
from tests.core.usecases.harness import LEASE, AppHarness, MailScript

from reviewinvite_core import accepted
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.ports import Letter, Message, NotRenderable, RefusedForNow, Rejected, UnitOfWork, Unreachable
from reviewinvite_core.usecases.delivery.dispatcher import deliver_due

T = TypeVar("T")

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


class FailingRenderer:
    """A renderer that fails for one customer, as a template might."""

    def render(self, letter: Letter) -> Message:
        if letter.recipient.startswith("bert"):
            raise NotRenderable("a template")
        return Message(message_id=letter.invite_id, sender="s@example.com", recipient=letter.recipient, content=b"")


def test_what_cannot_be_rendered_is_rejected_and_harms_no_other() -> None:
    harness = AppHarness()
    for name in ("anna", "bert", "cees"):
        harness.report_due(f"{name}@example.com")
    delivered = list(deliver_due(harness.delivery_context(renderer=FailingRenderer())))
    assert [(each.state, each.reason) for each in delivered] == [
        (State.SENT, Reason.ACCEPTED),
        (State.REJECTED, Reason.NOT_RENDERABLE),
        (State.SENT, Reason.ACCEPTED),
    ]


@pytest.mark.parametrize("sealed", [None, b"", b"damaged" * 20])
def test_without_an_address_that_can_be_read_it_is_rejected_and_harms_no_other(sealed: bytes | None) -> None:
    harness = AppHarness()
    shop = accepted(harness.app.shops.show("bakkerij-1"))
    unreadable = an_invitation(shop, due_after=timedelta(0), sealed_address=sealed)
    scheduled(harness.storage, unreadable)
    other = harness.report_due("bert@example.com")
    harness.deliver()
    assert harness.state(unreadable.invite_id) == (State.REJECTED, Reason.NOT_RENDERABLE)
    assert harness.invitation(other).state is State.SENT
    assert [message.recipient for message in harness.mailer.committed] == ["bert@example.com"]


def a_fault() -> None:
    raise RuntimeError("anna@example.com")


def test_a_fault_in_one_delivery_harms_no_other_and_is_raised_in_the_end() -> None:
    harness = AppHarness(MailScript(while_staged=a_fault))
    ids = [harness.report_due(f"c{number}@example.com") for number in range(9)]
    left: list[Invitation] = []
    with pytest.raises(RuntimeError):
        harness.app.delivery.once(on_change=left.append)
    assert len(left) == 9
    assert [harness.invitation(each).state for each in ids] == [State.SCHEDULED, *[State.SENT] * 8]
    first = harness.invitation(ids[0])
    assert (first.reason, first.reply, first.claim) == (Reason.FAULT, "RuntimeError", None)
    harness.clock.set(first.due_at)
    assert [each.state for each in harness.deliver()] == [State.SENT]


def test_a_fault_after_the_end_of_the_message_leaves_it_in_doubt() -> None:
    harness = AppHarness(MailScript(while_handed_over=a_fault))
    invite_id = harness.report_due()
    with pytest.raises(RuntimeError):
        harness.deliver()
    assert harness.state(invite_id) == (State.UNCERTAIN, Reason.ANSWER_LOST)
    harness.clock.advance(DAY)
    assert harness.deliver() == []


def test_a_fault_that_lasts_ends_after_three_days() -> None:
    harness = AppHarness(*[MailScript(while_staged=a_fault)] * 200)
    invite_id = harness.report_due()
    begun = last_try = harness.clock.now()
    while harness.invitation(invite_id).state is State.SCHEDULED:
        with pytest.raises(RuntimeError):
            harness.deliver()
        last_try = harness.clock.now()
        harness.clock.set(max(harness.invitation(invite_id).due_at, last_try + SECOND))
    assert harness.invitation(invite_id).reason is Reason.RETRIES_EXHAUSTED
    assert 3 * DAY <= last_try - begun <= 3 * DAY + 4 * HOUR


def test_when_storage_fails_at_the_fence_nothing_goes_out() -> None:
    storage = FailingStorage()
    harness = AppHarness(MailScript(while_staged=lambda: setattr(storage, "away", True)), storage=storage)
    invite_id = harness.report_due()
    with pytest.raises(StorageUnavailable):
        harness.deliver()
    assert (harness.mailer.committed, len(harness.mailer.abandoned)) == ([], 1)
    storage.away = False
    harness.clock.advance(LEASE)
    harness.deliver()
    assert harness.invitation(invite_id).state is State.SENT


class StopMeanwhile:
    """A stop signal that is set by hand; a wait takes no time, and calls `meanwhile` with the number of waits."""

    def __init__(self, meanwhile: Callable[[int], object]) -> None:
        self.meanwhile = meanwhile
        self.requested = False
        self.waits = 0

    def is_set(self) -> bool:
        return self.requested

    def wait(self, timeout: float) -> bool:
        assert timeout == 1
        self.waits += 1
        self.meanwhile(self.waits)
        return self.requested


@pytest.mark.parametrize(
    ("script", "state"),
    [
        (MailScript(), State.SENT),
        (MailScript(answer=Rejected("550 5.2.1")), State.REJECTED),
        (MailScript(answer=RefusedForNow("451")), State.SCHEDULED),
        (MailScript(at_stage=Rejected("550 5.2.1")), State.REJECTED),
        (MailScript(at_stage=Unreachable("gaierror")), State.SCHEDULED),
    ],
)
def test_a_known_answer_waits_until_storage_is_back(script: MailScript, state: State) -> None:
    def go_away() -> None:
        storage.away = True

    def come_back(waits: int) -> None:
        storage.away = waits < 60

    storage = FailingStorage()
    if script.at_stage:
        script = attrs.evolve(script, while_staged=go_away)
    else:
        script = attrs.evolve(script, while_handed_over=go_away)
    harness = AppHarness(script, storage=storage)
    invite_id = harness.report_due()
    troubles: list[Exception] = []
    stop = StopMeanwhile(come_back)
    (left,) = deliver_due(harness.delivery_context(stop), on_trouble=troubles.append)
    assert left == harness.invitation(invite_id)
    assert left.state is state
    assert stop.waits == len(troubles) == 60


def test_a_known_answer_waits_for_storage_no_longer_than_the_lease() -> None:
    storage = FailingStorage()
    harness = AppHarness(MailScript(while_handed_over=lambda: setattr(storage, "away", True)), storage=storage)
    invite_id = harness.report_due()
    stop = StopMeanwhile(lambda _: harness.clock.advance(SECOND))
    with pytest.raises(StorageUnavailable):
        harness.app.delivery.once(stop)
    assert stop.waits == LEASE.total_seconds()
    storage.away = False
    harness.deliver()
    assert harness.invitation(invite_id).state is State.UNCERTAIN
    assert len(harness.mailer.committed) == 1


def test_told_to_stop_a_known_answer_waits_for_storage_no_longer() -> None:
    storage = FailingStorage()
    harness = AppHarness(MailScript(while_handed_over=lambda: setattr(storage, "away", True)), storage=storage)
    harness.report_due()
    stop = StopMeanwhile(lambda _: setattr(stop, "requested", True))
    with pytest.raises(StorageUnavailable):
        harness.app.delivery.once(stop)
    assert stop.waits == 1


class FaultyStorage(MemoryStorage):
    """Storage whose next calls raise the given faults, one each."""

    faults: tuple[Exception, ...] = ()

    def run(self, unit: UnitOfWork[T]) -> T:
        if self.faults:
            fault, *rest = self.faults
            self.faults = tuple(rest)
            raise fault
        return super().run(unit)


@pytest.mark.parametrize("fault", [RuntimeError(), StorageUnavailable("away")])
def test_what_may_be_out_is_never_taken_for_unsent_when_its_answer_cannot_be_recorded(fault: Exception) -> None:
    storage = FaultyStorage()
    harness = AppHarness(
        MailScript(while_handed_over=lambda: setattr(storage, "faults", (fault,) * 2)), storage=storage
    )
    invite_id = harness.report_due()
    stop = StopMeanwhile(lambda _: setattr(stop, "requested", True))  # it is the last wait for storage
    with pytest.raises(type(fault)):
        harness.app.delivery.once(stop)
    storage.faults = ()
    assert harness.invitation(invite_id).state is State.HANDING_OVER
    harness.clock.advance(LEASE)
    harness.deliver()
    assert harness.invitation(invite_id).state is State.UNCERTAIN
    assert len(harness.mailer.committed) == 1

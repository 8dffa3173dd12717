"""What is due leaves once, whatever happens on the way (ADR-7)."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from datetime import datetime, timedelta
from typing import TypeVar, cast

import attrs
import pytest
from tests.core.usecases.harness import LEASE, AppHarness, Killed, MailScript, kill, present
from tests.results import accepted

from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.domain.errors import LimitReached, StorageUnavailable
from reviewinvite_core.domain.invitations import Claim, Invitation, Reason, State, invitation_lock
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    Invitations,
    Letter,
    LockedUnit,
    Message,
    NotRenderable,
    Refused,
    RefusedForNow,
    Store,
    UnitOfWork,
    Unreachable,
)
from reviewinvite_core.testing.builders import NOON, a_suppression, an_invitation, an_order_report, scheduled
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.attempt import DeliveryResult
from reviewinvite_core.usecases.delivery.claim import claim_due
from reviewinvite_core.usecases.delivery.dispatcher import PREFETCH_HIGH, PREFETCH_LOW, Dispatcher, deliver_due
from reviewinvite_core.usecases.delivery.outcomes import record_outcome
from reviewinvite_core.usecases.delivery.sweep import MOST_AT_ONCE, recover_abandoned
from reviewinvite_core.usecases.invitations.list import InvitationQuery
from reviewinvite_core.usecases.orders.schedule import Reported

T = TypeVar("T")

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


def deliver_till_killed(harness: AppHarness) -> None:
    with contextlib.suppress(Killed):
        harness.deliver()


def test_a_due_invitation_leaves_once() -> None:
    harness = AppHarness()
    invite_id = harness.report_due(order_number="1001")
    delivered = harness.deliver()
    assert [(each.invite_id, each.state, each.reason, each.reply) for each in delivered] == [
        (invite_id, State.SENT, Reason.ACCEPTED, "250 2.0.0")
    ]
    assert harness.deliver() == []
    (message,) = harness.mailer.committed
    assert message.recipient == "anna@example.com"
    assert message.message_id == f"<{invite_id}@localhost>"
    assert b"1001" in message.content
    assert harness.reasons(invite_id) == [Reason.REPORTED, Reason.CLAIMED, Reason.FENCED, Reason.ACCEPTED]


def test_nothing_leaves_before_it_is_due() -> None:
    harness = AppHarness()
    reported = harness.report()
    harness.clock.set(reported.scheduled_for - timedelta(microseconds=1))
    assert harness.deliver() == []
    harness.clock.set(reported.scheduled_for)
    assert [each.state for each in harness.deliver()] == [State.SENT]


def test_all_that_is_due_leaves_longest_due_first() -> None:
    harness = AppHarness()
    for number in range(120):  # more than one claim takes
        harness.report(f"c{number}@example.com", delay=(number * 7 % 120) / 100)
    harness.clock.advance(2 * DAY)
    delivered = harness.deliver()
    assert len(delivered) == len(harness.mailer.committed) == 120
    assert [each.due_at for each in delivered] == sorted(each.due_at for each in delivered)


@pytest.mark.parametrize("answer", [Unreachable("gaierror"), RefusedForNow("451 4.7.1")])
def test_what_fails_before_the_end_is_tried_again_later(answer: Unreachable | RefusedForNow) -> None:
    harness = AppHarness(MailScript(at_stage=answer))
    invite_id = harness.report_due()
    (left,) = harness.deliver()
    assert left.state is State.SCHEDULED
    assert left.reason is (Reason.UNREACHABLE if isinstance(answer, Unreachable) else Reason.REFUSED_FOR_NOW)
    assert left.reply == ("gaierror" if isinstance(answer, Unreachable) else "451 4.7.1")
    assert accepted(harness.app.show_invitation(invite_id)).history[-1].reply == left.reply
    assert left.claim is None
    assert timedelta(seconds=45) <= left.due_at - harness.clock.now() <= timedelta(seconds=60)
    assert left.scheduled_for < left.due_at
    assert harness.deliver() == []
    harness.clock.set(left.due_at)
    assert [each.state for each in harness.deliver()] == [State.SENT]
    assert len(harness.mailer.committed) == 1
    assert harness.invitation(invite_id).attempts == 2


def test_pauses_grow_from_try_to_try() -> None:
    harness = AppHarness(*[MailScript(at_stage=Unreachable())] * 5)
    harness.report_due()
    pauses = []
    for _ in range(5):
        (left,) = harness.deliver()
        pauses.append(left.due_at - harness.clock.now())
        harness.clock.set(left.due_at)
    for shorter, longer in itertools.pairwise(pauses):
        assert longer > shorter


@pytest.mark.parametrize("script", [MailScript(at_stage=Refused("550 5.1.1")), MailScript(answer=Refused("550 5.1.1"))])
def test_a_permanent_refusal_is_the_end(script: MailScript) -> None:
    harness = AppHarness(script)
    harness.report_due()
    (left,) = harness.deliver()
    assert (left.state, left.reason, left.reply) == (State.REJECTED, Reason.REFUSED, "550 5.1.1")
    harness.clock.advance(30 * DAY)
    assert harness.deliver() == []
    assert len(harness.mailer.staged) == 1


def test_a_temporary_refusal_of_the_end_is_tried_again_later() -> None:
    harness = AppHarness(MailScript(answer=RefusedForNow("452 4.2.2")))
    harness.report_due()
    (left,) = harness.deliver()
    assert (left.state, left.reason, left.reply) == (State.SCHEDULED, Reason.REFUSED_FOR_NOW, "452 4.2.2")
    harness.clock.set(left.due_at)
    assert [each.state for each in harness.deliver()] == [State.SENT]


def test_a_lost_answer_is_uncertain_and_never_sent_again() -> None:
    harness = AppHarness(MailScript(answer=AnswerLost()))
    invite_id = harness.report_due()
    (left,) = harness.deliver()
    assert (left.state, left.reason) == (State.UNCERTAIN, Reason.ANSWER_LOST)
    harness.clock.advance(30 * DAY)
    assert harness.deliver() == []
    assert len(harness.mailer.committed) == 1
    assert harness.invitation(invite_id).state is State.UNCERTAIN


@pytest.mark.parametrize("at_the_end", [False, True])
def test_after_three_days_of_tries_it_is_given_up(at_the_end: bool) -> None:
    failing = MailScript(answer=RefusedForNow("451")) if at_the_end else MailScript(at_stage=RefusedForNow("451"))
    harness = AppHarness(*[failing] * 200)
    harness.report_due()
    begun = last_try = harness.clock.now()
    (left,) = harness.deliver()
    while left.state is State.SCHEDULED:
        harness.clock.set(max(left.due_at, last_try + SECOND))
        last_try = harness.clock.now()
        (left,) = harness.deliver()
    assert (left.state, left.reason, left.reply) == (State.REJECTED, Reason.RETRIES_EXHAUSTED, "451")
    assert 3 * DAY <= last_try - begun <= 3 * DAY + timedelta(hours=4)
    assert left.attempts > 15
    assert harness.deliver() == []


REFUSED_FOR_NOW = MailScript(at_stage=RefusedForNow("451"))


def let_pass_inactive(harness: AppHarness) -> None:
    harness.app.set_shop("bakkerij-1", ShopChanges(active=False))
    harness.clock.advance(10 * DAY)
    harness.app.set_shop("bakkerij-1", ShopChanges(active=True))


def let_pass_without_worker(harness: AppHarness) -> None:
    harness.clock.advance(10 * DAY)


def let_a_worker_die(harness: AppHarness) -> None:
    harness.mailer.scripts.insert(0, MailScript(while_staged=kill))
    harness.clock.advance(HOUR)
    deliver_till_killed(harness)
    harness.clock.advance(3 * DAY)
    recovered = list(harness.transactions.run(recover_abandoned))
    assert [each.reason for each in recovered] == [Reason.LEASE_EXPIRED]


@pytest.mark.parametrize("let_pass", [let_pass_inactive, let_pass_without_worker, let_a_worker_die])
def test_time_in_which_nothing_was_tried_is_not_counted_as_trying(let_pass: Callable[[AppHarness], None]) -> None:
    harness = AppHarness(*[REFUSED_FOR_NOW] * 2)
    harness.report_due()
    assert [each.reason for each in harness.deliver()] == [Reason.REFUSED_FOR_NOW]
    let_pass(harness)
    (left,) = harness.deliver()
    assert (left.state, left.reason) == (State.SCHEDULED, Reason.REFUSED_FOR_NOW)
    assert left.first_tried_at == harness.clock.now()


def test_found_inactive_at_the_fence_its_tries_begin_again() -> None:
    become_inactive = MailScript(while_staged=lambda: harness.app.set_shop("bakkerij-1", ShopChanges(active=False)))
    harness = AppHarness(REFUSED_FOR_NOW, become_inactive, REFUSED_FOR_NOW)
    harness.report_due()
    harness.deliver()
    harness.clock.advance(HOUR)
    (left,) = harness.deliver()
    assert (left.reason, left.first_tried_at) == (Reason.SHOP_INACTIVE, None)


def test_cancelled_while_it_is_staged_nothing_goes_out() -> None:
    harness = AppHarness(MailScript(while_staged=lambda: harness.app.cancel_invitation(invite_id)))
    invite_id = harness.report_due()
    assert [each.state for each in harness.deliver()] == [State.CANCELLED]
    assert (len(harness.mailer.staged), len(harness.mailer.abandoned), harness.mailer.committed) == (1, 1, [])
    assert harness.reasons(invite_id) == [Reason.REPORTED, Reason.CLAIMED, Reason.CANCELLED]


def test_a_shop_that_became_inactive_while_it_is_staged_sends_nothing_until_it_is_active_again() -> None:
    harness = AppHarness(MailScript(while_staged=lambda: harness.app.set_shop("bakkerij-1", ShopChanges(active=False))))
    harness.report_due()
    (left,) = harness.deliver()
    assert (left.state, left.reason, left.claim) == (State.SCHEDULED, Reason.SHOP_INACTIVE, None)
    assert harness.mailer.committed == []
    assert len(harness.mailer.abandoned) == 1
    harness.clock.advance(DAY)
    assert harness.deliver() == []
    harness.app.set_shop("bakkerij-1", ShopChanges(active=True))
    assert [each.state for each in harness.deliver()] == [State.SENT]


@pytest.mark.parametrize("everywhere", [False, True])
def test_an_address_suppressed_while_it_is_staged_is_not_written_to(everywhere: bool) -> None:
    def suppress() -> None:
        shop = None if everywhere else 1
        suppression = a_suppression(shop, address_hash=harness.invitation(invite_id).address_hash)
        harness.in_transaction(lambda store: store.suppressions.add(suppression))

    harness = AppHarness(MailScript(while_staged=suppress))
    invite_id = harness.report_due()
    other = harness.report_due("bert@example.com")
    left = harness.deliver()
    assert [(each.invite_id, each.state, each.reason) for each in left] == [
        (invite_id, State.SUPPRESSED, Reason.OPTED_OUT),
        (other, State.SENT, Reason.ACCEPTED),
    ]
    assert [message.recipient for message in harness.mailer.committed] == ["bert@example.com"]
    assert len(harness.mailer.abandoned) == 1


def test_an_address_erased_while_it_is_staged_is_not_written_to() -> None:
    def erase() -> None:
        harness.in_transaction(lambda store: store.invitations.forget_address(harness.invitation(invite_id)))

    harness = AppHarness(MailScript(while_staged=erase))
    invite_id = harness.report_due()
    (left,) = harness.deliver()
    assert (left.state, left.reason) == (State.CANCELLED, Reason.ERASED)
    assert (harness.mailer.committed, len(harness.mailer.abandoned)) == ([], 1)


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


def claimed_now(harness: AppHarness) -> int:
    return len(accepted(harness.app.list_invitations(InvitationQuery(state=State.CLAIMED))))


def test_the_fence_names_its_invitation_and_so_do_answers_and_cancelling() -> None:
    storage = RecordingLocks()
    harness = AppHarness(storage=storage)
    invite_id = harness.report_due()
    own = frozenset({invitation_lock(invite_id)})
    storage.locks.clear()
    harness.deliver()
    claim, fence, record = storage.locks[5:8]  # five chores come first
    assert (claim, fence, record) == (frozenset(), own, own)
    storage.locks.clear()
    harness.app.cancel_invitation(invite_id.upper())
    harness.app.cancel_invitation("no id")
    assert storage.locks == [own, frozenset()]


class RecordingLocks(MemoryStorage):
    """Storage that records the locks of each unit of work; None for a plain one."""

    def __init__(self) -> None:
        super().__init__()
        self.locks: list[frozenset[int] | None] = []

    def run(self, unit: UnitOfWork[T]) -> T:
        self.locks.append(unit.locks if isinstance(unit, LockedUnit) else None)
        return super().run(unit)


def test_a_lease_that_ran_out_while_it_was_staged_sends_nothing() -> None:
    harness = AppHarness(MailScript(while_staged=lambda: harness.clock.advance(LEASE)))
    invite_id = harness.report_due()
    delivered = list(deliver_due(harness.delivery_context()))
    assert [each.state for each in delivered] == [State.CLAIMED]
    assert harness.mailer.committed == []
    assert len(harness.mailer.abandoned) == 1
    assert [each.state for each in harness.deliver()] == [State.SCHEDULED, State.SENT]
    assert len(harness.mailer.committed) == 1
    assert Reason.LEASE_EXPIRED in harness.reasons(invite_id)


def test_a_fence_passed_by_another_worker_lets_nothing_of_ours_out() -> None:
    def another_worker_takes_over() -> None:
        harness.clock.advance(LEASE)
        deliver_till_killed(harness)  # killed after the end of the message, before its answer: still handing over
        assert harness.invitation(invite_id).state is State.HANDING_OVER

    harness = AppHarness(MailScript(while_staged=another_worker_takes_over), MailScript(while_handed_over=kill))
    invite_id = harness.report_due()
    harness.deliver()
    assert len(harness.mailer.staged) == 2
    assert len(harness.mailer.committed) == 1  # the other worker's; ours would be the second e-mail
    assert len(harness.mailer.abandoned) == 1
    assert harness.invitation(invite_id).state is State.HANDING_OVER


@pytest.mark.parametrize("answer", [Refused("550"), RefusedForNow("451"), Unreachable()])
def test_an_answer_that_comes_after_another_worker_took_over_changes_nothing(
    answer: Refused | RefusedForNow | Unreachable,
) -> None:
    theirs: list[Invitation] = []

    def another_worker_takes_over() -> None:
        harness.clock.advance(LEASE)
        deliver_till_killed(harness)
        theirs.append(harness.invitation(invite_id))

    harness = AppHarness(
        MailScript(while_staged=another_worker_takes_over, at_stage=answer), MailScript(while_staged=kill)
    )
    invite_id = harness.report_due()
    harness.deliver()
    assert theirs[0].state is State.CLAIMED
    assert harness.invitation(invite_id) == theirs[0]


def test_an_invitation_that_another_worker_has_sent_is_not_sent_again() -> None:
    def another_worker_takes_over() -> None:
        harness.clock.advance(LEASE)
        harness.deliver()

    harness = AppHarness(MailScript(while_staged=another_worker_takes_over))
    invite_id = harness.report_due()
    harness.deliver()
    assert len(harness.mailer.committed) == 1
    assert harness.reasons(invite_id).count(Reason.FENCED) == 1
    assert harness.invitation(invite_id).state is State.SENT


def test_killed_before_the_fence_it_is_sent_once_after_the_lease() -> None:
    harness = AppHarness(MailScript(while_staged=kill))
    invite_id = harness.report_due()
    deliver_till_killed(harness)
    assert harness.invitation(invite_id).state is State.CLAIMED
    assert harness.deliver() == []
    harness.clock.advance(LEASE)
    assert [each.reason for each in harness.deliver()] == [Reason.LEASE_EXPIRED, Reason.ACCEPTED]
    assert len(harness.mailer.committed) == 1


def test_killed_after_the_fence_it_is_uncertain_after_the_lease_and_never_sent_again() -> None:
    harness = AppHarness(MailScript(while_handed_over=kill))
    invite_id = harness.report_due()
    deliver_till_killed(harness)
    assert harness.invitation(invite_id).state is State.HANDING_OVER
    harness.clock.advance(LEASE - SECOND)
    assert harness.deliver() == []
    harness.clock.advance(SECOND)
    assert [(each.state, each.reason) for each in harness.deliver()] == [(State.UNCERTAIN, Reason.PROCESS_DIED)]
    harness.clock.advance(30 * DAY)
    assert harness.deliver() == []
    assert len(harness.mailer.committed) == 1


def test_the_lease_is_renewed_at_the_fence() -> None:
    leases = []
    harness = AppHarness(
        MailScript(
            while_staged=lambda: harness.clock.advance(LEASE - SECOND),
            while_handed_over=lambda: leases.append(
                present(harness.invitation(invite_id).claim).lease_until - harness.clock.now()
            ),
        )
    )
    invite_id = harness.report_due()
    harness.deliver()
    assert leases == [LEASE]


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (Accepted("250"), State.SENT),
        (Refused("550"), State.REJECTED),
        (RefusedForNow("451"), State.SCHEDULED),
        (AnswerLost(), State.UNCERTAIN),
    ],
)
def test_a_late_answer_of_the_worker_that_holds_the_token_wins_over_uncertain(
    answer: Accepted | Refused | RefusedForNow | AnswerLost, state: State
) -> None:
    def meanwhile() -> None:
        harness.clock.advance(LEASE)
        harness.deliver()  # another worker's tidying finds the lease run out
        assert harness.invitation(invite_id).state is State.UNCERTAIN

    harness = AppHarness(MailScript(while_handed_over=meanwhile, answer=answer))
    invite_id = harness.report_due()
    (left,) = harness.deliver()
    assert left.state is harness.invitation(invite_id).state is state
    assert harness.reasons(invite_id)[3] is Reason.PROCESS_DIED


def test_a_late_answer_loses_against_a_decision_that_was_made_meanwhile() -> None:
    def meanwhile() -> None:
        harness.clock.advance(LEASE)
        harness.deliver()
        uncertain = harness.invitation(invite_id)
        decided = uncertain.moved(State.SENT, Reason.OPERATOR, harness.clock.now())
        assert harness.in_transaction(lambda store: store.invitations.change(uncertain, decided))

    harness = AppHarness(MailScript(while_handed_over=meanwhile, answer=Refused("550")))
    invite_id = harness.report_due()
    harness.deliver()
    assert harness.state(invite_id) == (State.SENT, Reason.OPERATOR)


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
    shop = accepted(harness.app.show_shop("bakkerij-1"))
    unreadable = an_invitation(shop, due_after=timedelta(0), sealed_address=sealed)
    scheduled(harness.storage, unreadable)
    other = harness.report_due("bert@example.com")
    harness.deliver()
    assert harness.state(unreadable.invite_id) == (State.REJECTED, Reason.NOT_RENDERABLE)
    assert harness.invitation(other).state is State.SENT
    assert [message.recipient for message in harness.mailer.committed] == ["bert@example.com"]


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
    deliveries = harness.app.delivery.once()
    assert next(deliveries).state is State.SENT
    assert isinstance(deliveries, Generator)
    deliveries.close()
    assert [harness.state(each) for each in ids] == [
        (State.SENT, Reason.ACCEPTED),
        (State.SCHEDULED, Reason.SHUTDOWN),
        (State.SCHEDULED, Reason.SHUTDOWN),
    ]


def a_fault() -> None:
    raise RuntimeError("anna@example.com")


def test_a_fault_in_one_delivery_harms_no_other_and_is_raised_in_the_end() -> None:
    harness = AppHarness(MailScript(while_staged=a_fault))
    ids = [harness.report_due(f"c{number}@example.com") for number in range(9)]
    left: list[Invitation] = []
    with pytest.raises(RuntimeError):
        left.extend(harness.app.delivery.once())
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


class FailingStorage(MemoryStorage):
    """Storage that is unavailable while `away` is set."""

    away = False

    def run(self, unit: UnitOfWork[T]) -> T:
        if self.away:
            raise StorageUnavailable("away")
        return super().run(unit)


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
        (MailScript(answer=Refused("550")), State.REJECTED),
        (MailScript(answer=RefusedForNow("451")), State.SCHEDULED),
        (MailScript(at_stage=Refused("550")), State.REJECTED),
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
        list(harness.app.delivery.once(stop))
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
        list(harness.app.delivery.once(stop))
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
        list(harness.app.delivery.once(stop))
    storage.faults = ()
    assert harness.invitation(invite_id).state is State.HANDING_OVER
    harness.clock.advance(LEASE)
    harness.deliver()
    assert harness.invitation(invite_id).state is State.UNCERTAIN
    assert len(harness.mailer.committed) == 1


def test_told_to_stop_while_it_is_staged_it_is_given_back() -> None:
    stop = threading.Event()
    harness = AppHarness(MailScript(while_staged=stop.set))
    harness.report_due()
    left = list(harness.app.delivery.once(stop))
    assert [(each.state, each.reason) for each in left] == [(State.SCHEDULED, Reason.SHUTDOWN)]
    assert (harness.mailer.committed, len(harness.mailer.abandoned)) == ([], 1)


def test_an_invitation_overdue_by_more_than_60_days_expires() -> None:
    harness = AppHarness()
    reported = harness.report(delay=1)
    harness.app.set_shop("bakkerij-1", ShopChanges(active=False))
    harness.clock.set(reported.scheduled_for + 60 * DAY)
    assert harness.deliver() == []
    harness.clock.advance(timedelta(microseconds=1))
    assert [(each.state, each.reason) for each in harness.deliver()] == [(State.EXPIRED, Reason.OVERDUE)]
    harness.app.set_shop("bakkerij-1", ShopChanges(active=True))
    assert harness.deliver() == []
    assert harness.mailer.staged == []


def test_however_many_are_overdue_they_expire_and_none_is_sent() -> None:
    harness = AppHarness()
    for number in range(MOST_AT_ONCE + 1):
        harness.report_due(f"c{number}@example.com", order_number=str(number))
    harness.clock.advance(60 * DAY + SECOND)
    assert [each.state for each in harness.deliver()] == [State.EXPIRED] * (MOST_AT_ONCE + 1)
    assert harness.mailer.staged == []


def test_what_is_overdue_is_not_sent_even_before_it_has_expired() -> None:
    harness = AppHarness()
    invite_id = harness.report_due()
    harness.clock.advance(60 * DAY + SECOND)
    assert list(deliver_due(harness.delivery_context())) == []
    assert harness.invitation(invite_id).state is State.SCHEDULED


def test_told_to_stop_no_more_than_begun_expires() -> None:
    harness = AppHarness()
    for number in range(MOST_AT_ONCE + 1):
        harness.report_due(f"c{number}@example.com", order_number=str(number))
    harness.clock.advance(60 * DAY + SECOND)
    stop = threading.Event()
    deliveries = harness.app.delivery.once(stop)
    next(deliveries)
    stop.set()
    assert len(list(deliveries)) == MOST_AT_ONCE - 1


def test_what_was_claimed_by_a_clock_that_was_ahead_is_not_held_until_then() -> None:
    harness = AppHarness(MailScript(while_staged=kill))
    invite_id = harness.report_due()
    harness.clock.advance(30 * DAY)
    with pytest.raises(Killed):
        harness.deliver()
    harness.clock.advance(-30 * DAY)
    harness.deliver()
    assert harness.invitation(invite_id).state is State.SENT


def take(harness: AppHarness, most: int, since: datetime | None) -> tuple[list[timedelta], datetime | None]:
    """Claim invitations; return how long ago each was to be sent, and where the next search begins."""
    taken = harness.transactions.run(
        lambda work: claim_due(work, "http://127.0.0.1", most, since=since, high_water_mark=None)
    )
    return [harness.clock.now() - each.invitation.scheduled_for for each in taken.assignments], taken.since


def test_a_search_goes_on_where_the_last_one_ended() -> None:
    harness = AppHarness()
    for number in range(4):
        harness.report(f"c{number}@example.com", order_number=str(number), delay=number)
    harness.clock.advance(3 * DAY)
    taken, since = take(harness, 2, None)
    assert (taken, since) == ([3 * DAY, 2 * DAY], harness.clock.now() - 2 * DAY)
    taken, since = take(harness, 3, since)
    assert (taken, since) == ([DAY, 0 * DAY], harness.clock.now() - 60 * SECOND)
    harness.report_due(order_number="late")
    harness.clock.advance(59 * SECOND)
    taken, since = take(harness, 1, since)
    assert taken == [59 * SECOND]
    harness.clock.advance(-HOUR)  # a clock that was wrong
    harness.report_due(order_number="by the wrong clock")
    harness.clock.advance(59 * SECOND)
    assert take(harness, 1, since)[0] == [59 * SECOND]


def test_an_old_search_still_finds_nothing_that_is_overdue() -> None:
    harness = AppHarness()
    harness.report_due()
    since = harness.clock.now() - DAY
    harness.clock.advance(60 * DAY + SECOND)
    assert take(harness, 1, since)[0] == []


def test_a_shop_that_is_active_again_within_60_days_sends_what_waited() -> None:
    harness = AppHarness()
    reported = harness.report(delay=1)
    harness.app.set_shop("bakkerij-1", ShopChanges(active=False))
    harness.clock.set(reported.scheduled_for + 60 * DAY)
    harness.deliver()
    harness.app.set_shop("bakkerij-1", ShopChanges(active=True))
    assert [each.state for each in harness.deliver()] == [State.SENT]


def test_a_clock_that_was_set_right_again_refuses_nobody_for_long() -> None:
    harness = AppHarness(orders_per_minute=1)
    assert isinstance(harness.app.receive_order(harness.key, an_order_report()), Reported)
    harness.clock.advance(-365 * DAY)
    assert isinstance(harness.app.receive_order(harness.key, an_order_report()), LimitReached)
    harness.deliver()  # tidies
    assert isinstance(harness.app.receive_order(harness.key, an_order_report()), Reported)
    assert isinstance(harness.app.receive_order(harness.key, an_order_report()), LimitReached)


def test_tidying_leaves_what_still_binds() -> None:
    harness = AppHarness(orders_per_minute=1)
    harness.app.receive_order(harness.key, an_order_report())
    harness.clock.advance(59 * SECOND)
    harness.deliver()
    assert isinstance(harness.app.receive_order(harness.key, an_order_report()), LimitReached)


def test_a_claim_carries_a_token_of_its_own_and_the_lease() -> None:
    claims: list[Claim] = []
    harness = AppHarness(
        MailScript(while_staged=lambda: claims.append(present(harness.invitation(ids[0]).claim))),
        MailScript(while_staged=lambda: claims.append(present(harness.invitation(ids[1]).claim))),
    )
    ids = [harness.report_due(f"c{number}@example.com") for number in range(2)]
    harness.deliver()
    assert claims[0].token != claims[1].token
    assert {len(claim.token) for claim in claims} == {16}
    assert {claim.lease_until for claim in claims} == {harness.clock.now() + LEASE}


class EagerPool:
    """A worker pool whose work is done before its results are asked for."""

    size = 1

    def __init__(self) -> None:
        self._done: deque[DeliveryResult] = deque()

    def begin(self, work: Callable[[], DeliveryResult]) -> None:
        self._done.append(work())

    def next_done(self, seconds: float) -> DeliveryResult | None:  # noqa: ARG002 - all is done
        return self._done.popleft() if self._done else None

    def finish(self, seconds: float) -> Iterator[DeliveryResult]:  # noqa: ARG002 - all is done
        while self._done:
            yield self._done.popleft()


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
    hands = Dispatcher(
        attrs.evolve(harness.delivery_context(clock=LateOnce()), worker_pool=EagerPool()), lambda _: None
    )
    hands.take_more()
    hands.take_more()
    first = hands.next_result(0)
    assert first
    assert first.invitation.reason is Reason.LEASE_EXPIRED
    assert hands.busy
    (sent,) = hands.give_back()
    assert (sent.invite_id, sent.state) == (invite_id, State.SENT)
    assert not hands.busy


@attrs.frozen
class Overtaken:
    """Invitations that another transaction finds abandoned just before a change of theirs is recorded."""

    inner: Invitations

    def find(self, shop_number: int, invite_id: str) -> Invitation | None:
        return self.inner.find(shop_number, invite_id)

    def change(self, before: Invitation, after: Invitation) -> bool:
        if before.state is State.HANDING_OVER:
            doubtful = before.moved(State.UNCERTAIN, Reason.PROCESS_DIED, before.changed_at, claim=before.claim)
            assert self.inner.change(before, doubtful)
        return self.inner.change(before, after)


@attrs.frozen
class OvertakenStore:
    invitations: Overtaken


def test_an_answer_wins_over_a_lease_that_ends_between_its_look_and_its_word() -> None:
    harness = AppHarness(MailScript(while_handed_over=kill))
    invite_id = harness.report_due()
    deliver_till_killed(harness)
    ours = harness.invitation(invite_id)
    assert ours.state is State.HANDING_OVER

    def overtaken(work: UnitContext) -> Invitation:
        store = OvertakenStore(Overtaken(work.store.invitations))
        return record_outcome(attrs.evolve(work, store=cast(Store, store)), ours, State.SENT, Reason.ACCEPTED)

    assert harness.transactions.run(overtaken).state is State.SENT
    assert harness.reasons(invite_id)[-2:] == [Reason.PROCESS_DIED, Reason.ACCEPTED]

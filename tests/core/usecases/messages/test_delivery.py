"""Messages are delivered ahead of invitations, through the same fence, and never after they expired."""

from __future__ import annotations

import attrs
import pytest
from tests.core.usecases.delivery.stepped_delivery import InMemoryMark
from tests.core.usecases.harness import LEASE, AppHarness, MailScript, deliver_till_killed, kill, present
from tests.messages import queue

from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import Notice, NoticeKind
from reviewinvite_core.domain.timing import backoff
from reviewinvite_core.ports import RefusedForNow, Rejected, Unreachable
from reviewinvite_core.usecases.delivery.dispatcher import Dispatcher
from reviewinvite_core.usecases.delivery.sweep import NOTICES_KEPT

MEMBER = "member@example.com"
DEAD = Rejected("550 5.1.1", no_mailbox=True)


def stored(harness: AppHarness, message: Notice) -> Notice:
    """Return the message as it is stored now."""
    return present(harness.in_transaction(lambda store: store.notices.find(message.message_id)))


def state(harness: AppHarness, message: Notice) -> tuple[State, Reason | None]:
    now = stored(harness, message)
    return now.state, now.reason


def recipients(harness: AppHarness) -> list[str]:
    """Return to whom messages were handed over, in order."""
    return [each.recipient for each in harness.mailer.committed]


def test_messages_go_ahead_of_invitations_and_links_ahead_of_notices(harness: AppHarness) -> None:
    invite_id = harness.report_due()
    harness.clock.advance(LEASE / 2)
    notice = queue(harness.app, NoticeKind.KEY_CREATED, to="owner@example.com")
    link = queue(harness.app, to=MEMBER)
    assert [each.invite_id for each in harness.deliver()] == [invite_id]
    assert recipients(harness) == [MEMBER, "owner@example.com", "anna@example.com"]
    for message in (notice, link):
        assert state(harness, message) == (State.SENT, Reason.ACCEPTED)
        assert stored(harness, message).sealed is None


def test_a_message_overtakes_invitations_that_are_claimed_already() -> None:
    queued: list[Notice] = []
    harness = AppHarness(MailScript(while_staged=lambda: queued.append(queue(harness.app, to=MEMBER))))
    customers = [f"c{number}@example.com" for number in range(12)]
    for email in customers:
        harness.report_due(email)
    harness.deliver()
    sent = recipients(harness)
    assert sent.index(MEMBER) == 1
    assert sorted(sent) == sorted([MEMBER, *customers])


def test_a_mailbox_that_is_gone_for_a_message_is_not_suppressed_for_invitations() -> None:
    harness = AppHarness(MailScript(at_stage=DEAD))
    message = queue(harness.app, to=MEMBER)
    harness.deliver()
    assert state(harness, message) == (State.REJECTED, Reason.REFUSED)
    assert harness.app.privacy.export(MEMBER).suppressions == []


def test_nothing_is_sent_once_it_has_expired_and_the_content_goes(harness: AppHarness) -> None:
    message = queue(harness.app, expires_after=LEASE)
    harness.clock.advance(LEASE)
    harness.deliver()
    assert (recipients(harness), harness.mailer.staged) == ([], [])
    assert state(harness, message) == (State.EXPIRED, Reason.OVERDUE)
    assert stored(harness, message).sealed is None


def test_a_message_that_expires_while_it_is_transmitted_is_broken_off() -> None:
    harness = AppHarness(MailScript(while_staged=lambda: harness.clock.advance(LEASE / 3)))
    message = queue(harness.app, expires_after=LEASE / 3)
    harness.deliver()
    assert (recipients(harness), len(harness.mailer.abandoned)) == ([], 1)
    assert state(harness, message) == (State.EXPIRED, Reason.OVERDUE)


@pytest.mark.parametrize("answer", [RefusedForNow("451 4.7.1"), Unreachable("TimeoutError")])
def test_what_is_refused_for_now_is_tried_again_until_it_expires(answer: RefusedForNow | Unreachable) -> None:
    harness = AppHarness(MailScript(at_stage=answer), MailScript(at_stage=answer))
    message = queue(harness.app, expires_after=2 * backoff(1, jitter=0) + backoff(2, jitter=0))
    for attempt in (1, 2):
        harness.deliver()
        assert stored(harness, message).attempts == attempt
        harness.clock.advance(backoff(attempt, jitter=0))
    harness.deliver()
    assert recipients(harness) == [MEMBER]


def test_a_refusal_is_final_and_keeps_only_its_code() -> None:
    harness = AppHarness(MailScript(answer=Rejected("550 5.2.1")))
    message = queue(harness.app)
    harness.deliver()
    now = stored(harness, message)
    assert (now.state, now.reason, now.reply, now.sealed) == (State.REJECTED, Reason.REFUSED, "550 5.2.1", None)


def test_a_worker_killed_during_the_hand_over_leaves_a_message_uncertain() -> None:
    harness = AppHarness(MailScript(while_handed_over=kill))
    message = queue(harness.app, expires_after=9 * LEASE)
    deliver_till_killed(harness)
    assert state(harness, message) == (State.HANDING_OVER, Reason.FENCED)
    harness.clock.advance(LEASE)
    harness.deliver()
    assert state(harness, message) == (State.UNCERTAIN, Reason.PROCESS_DIED)
    assert recipients(harness) == [MEMBER]


def test_a_worker_killed_before_the_fence_leaves_a_message_to_the_next_one() -> None:
    harness = AppHarness(MailScript(while_staged=kill))
    message = queue(harness.app, expires_after=9 * LEASE)
    deliver_till_killed(harness)
    harness.clock.advance(LEASE)
    harness.deliver()
    assert state(harness, message) == (State.SENT, Reason.ACCEPTED)
    assert recipients(harness) == [MEMBER]


def test_an_address_that_is_erased_during_the_transmission_gets_nothing() -> None:
    harness = AppHarness(MailScript(while_staged=lambda: harness.app.privacy.erase_address(MEMBER)))
    message = queue(harness.app, to=MEMBER)
    harness.deliver()
    assert (recipients(harness), state(harness, message)) == ([], (State.CANCELLED, Reason.ERASED))


def test_content_that_cannot_be_read_is_given_up(harness: AppHarness) -> None:
    message = queue(harness.app)
    harness.in_transaction(lambda store: store.notices.forget_content(message.message_id))
    harness.deliver()
    assert state(harness, message) == (State.REJECTED, Reason.NOT_RENDERABLE)


def test_a_mark_that_runs_ahead_during_the_transmission_stops_the_message() -> None:
    mark = InMemoryMark()

    def run_ahead() -> None:
        before = mark.recall()
        mark.let_out = attrs.evolve(before, mark=attrs.evolve(before.mark, number=9, forgotten=9))

    harness = AppHarness(MailScript(while_staged=run_ahead), mark=mark)
    message = queue(harness.app)
    with pytest.raises(DeliveryPaused):
        harness.deliver()
    assert (recipients(harness), state(harness, message)) == ([], (State.SCHEDULED, Reason.PAUSED))


def test_a_message_in_the_mark_has_no_shop() -> None:
    mark = InMemoryMark()
    harness = AppHarness(mark=mark)
    message = queue(harness.app)
    harness.deliver()
    (named,) = mark.recall().named
    assert (named.shop_number, named.invite_id, named.early) == (0, message.message_id, False)


def test_what_is_claimed_at_a_stop_waits_again(harness: AppHarness) -> None:
    message = queue(harness.app)
    dispatcher = Dispatcher(harness.delivery_context(), lambda _: None)
    assert dispatcher.take_more()
    (given_back,) = dispatcher.give_back()
    assert given_back == stored(harness, message)
    assert state(harness, message) == (State.SCHEDULED, Reason.SHUTDOWN)


def test_a_message_is_deleted_a_week_after_it_expired(harness: AppHarness) -> None:
    sent = queue(harness.app, expires_after=LEASE)
    harness.deliver()
    for wait, kept in ((LEASE + NOTICES_KEPT, 1), (LEASE, 0)):
        harness.clock.advance(wait)
        harness.deliver()
        assert len(harness.app.privacy.export(MEMBER).notices) == kept
    assert harness.in_transaction(lambda store: store.notices.find(sent.message_id)) is None

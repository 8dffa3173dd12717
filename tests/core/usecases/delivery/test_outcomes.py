"""What becomes of an invitation after each answer of the mail server, and when it is tried again. Spec: §6."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.core.usecases.harness import AppHarness, MailScript, deliver_till_killed, kill

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import RefusedForNow, Rejected, Unreachable
from reviewinvite_core.usecases.delivery.sweep import recover_abandoned

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


def test_all_that_is_due_leaves_longest_due_first() -> None:
    harness = AppHarness()
    for number in range(120):  # more than one claim takes
        harness.report(f"c{number}@example.com", delay_days=(number * 7 % 120) / 100)
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
    assert accepted(harness.app.invitations.show(OPERATOR, invite_id)).history[-1].reply == left.reply
    assert left.claim is None
    assert timedelta(seconds=45) <= left.due_at - harness.clock.now() <= timedelta(seconds=60)
    assert left.scheduled_for < left.due_at
    assert harness.deliver() == []
    harness.clock.set(left.due_at)
    assert [each.state for each in harness.deliver()] == [State.SENT]
    assert len(harness.mailer.committed) == 1
    assert harness.invitation(invite_id).attempts == 2


@pytest.mark.parametrize(
    "script", [MailScript(at_stage=Rejected("550 5.1.1")), MailScript(answer=Rejected("550 5.1.1"))]
)
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


@pytest.mark.parametrize("at_the_end", [False, True])
def test_after_three_days_of_tries_it_is_given_up(at_the_end: bool) -> None:
    full = RefusedForNow("452 4.2.2")  # a refusal that names the mailbox
    failing = MailScript(answer=full) if at_the_end else MailScript(at_stage=full)
    harness = AppHarness(*[failing] * 200)
    harness.report_due()
    begun = last_try = harness.clock.now()
    (left,) = harness.deliver()
    while left.state is State.SCHEDULED:
        harness.clock.set(max(left.due_at, last_try + SECOND))
        last_try = harness.clock.now()
        (left,) = harness.deliver()
    assert (left.state, left.reason, left.reply) == (State.REJECTED, Reason.RETRIES_EXHAUSTED, "452 4.2.2")
    assert 3 * DAY <= last_try - begun <= 3 * DAY + timedelta(hours=4)
    assert left.attempts > 15
    assert harness.deliver() == []


REFUSED_FOR_NOW = MailScript(at_stage=RefusedForNow("451"))


def let_pass_inactive(harness: AppHarness) -> None:
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    harness.clock.advance(10 * DAY)
    harness.app.shops.update("bakkerij-1", ShopChanges(active=True))


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
    become_inactive = MailScript(while_staged=lambda: harness.app.shops.update("bakkerij-1", ShopChanges(active=False)))
    harness = AppHarness(REFUSED_FOR_NOW, become_inactive, REFUSED_FOR_NOW)
    harness.report_due()
    harness.deliver()
    harness.clock.advance(HOUR)
    (left,) = harness.deliver()
    assert (left.reason, left.first_tried_at) == (Reason.SHOP_INACTIVE, None)

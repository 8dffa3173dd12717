"""A shop invites one address at most once in a number of days. Spec: §2, ADR-47."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import attrs
import pytest
from tests.core.usecases.delivery.stepped_delivery import run_to_end
from tests.core.usecases.harness import AppHarness, MailScript
from tests.waiting import TIMEOUT_SECONDS, run_concurrently

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.orders import OrderReport, Reported, SnippetReport
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import AnswerLost, Rejected
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.attempt import DeliveryAttempt
from reviewinvite_core.usecases.delivery.claim import claim_due
from reviewinvite_core.usecases.delivery.committer import DirectCommitter, JointCommit
from reviewinvite_core.usecases.orders.snippet import Acknowledged

T = TypeVar("T")

DAY = timedelta(days=1)
WAITS = (State.SCHEDULED, Reason.REPORTED)
TOO_SOON = (State.SUPPRESSED, Reason.RECENTLY_INVITED)
SENT = (State.SENT, Reason.ACCEPTED)


@pytest.fixture
def shop(harness: AppHarness) -> AppHarness:
    """An application whose shop invites an address at most once in 30 days."""
    set_days(harness, 30)
    return harness


def set_days(harness: AppHarness, days: int) -> None:
    accepted(harness.app.shops.update("bakkerij-1", ShopChanges(frequency_days=days)))


def reported(harness: AppHarness, number: str, email: str = "anna@example.com", delay: float = 5) -> str:
    return harness.report(email, order_number=number, delay_days=delay).invite_id


@pytest.mark.parametrize("delay", [0, 34.999, 35, 60])
def test_a_second_order_counts_from_when_both_are_due(shop: AppHarness, delay: float) -> None:
    first, second = reported(shop, "1"), reported(shop, "2", delay=delay)
    assert shop.state(first) == WAITS
    assert shop.state(second) == (WAITS if delay >= 35 else TOO_SOON)


def test_what_was_sent_late_counts_from_when_it_was_sent(shop: AppHarness) -> None:
    late = reported(shop, "1", delay=0)
    shop.clock.advance(20 * DAY)
    shop.deliver()
    shop.clock.advance(20 * DAY)
    assert shop.state(late) == SENT
    assert shop.state(reported(shop, "2")) == TOO_SOON
    assert shop.state(reported(shop, "3", delay=10.01)) == WAITS


def test_what_did_not_leave_does_not_count(shop: AppHarness) -> None:
    shop.app.invitations.cancel(OPERATOR, reported(shop, "1"))
    shop.mailer.scripts.append(MailScript(at_stage=Rejected("550 5.2.1")))
    reported(shop, "2", delay=0)
    shop.deliver()
    assert shop.state(reported(shop, "3")) == WAITS


def test_an_erased_address_is_recognised(shop: AppHarness) -> None:
    reported(shop, "1", delay=0)
    shop.deliver()
    shop.app.privacy.erase_address("anna@example.com")
    assert shop.state(reported(shop, "2")) == TOO_SOON


def test_orders_that_are_imported_together_lead_to_one_invitation(shop: AppHarness) -> None:
    answers = _imported(shop, "1", "2", "1", "3")
    assert [each.duplicate for each in answers] == [False, False, True, False]
    assert answers[2].invite_id == answers[0].invite_id
    assert [shop.state(each.invite_id) for each in answers] == [WAITS, TOO_SOON, WAITS, TOO_SOON]


def test_an_order_from_a_page_is_acknowledged_and_suppressed(shop: AppHarness) -> None:
    shop.app.domains.add("bakkerij-1", "bakkerij.example.nl", assume_verified=True)
    reported(shop, "1")
    report = SnippetReport(site_id="bakkerij-1", order=_order("2"))
    answer = shop.app.orders.report_from_snippet(ClientAddress("203.0.113.7"), "https://bakkerij.example.nl", report)
    assert isinstance(answer, Acknowledged)
    assert shop.state(reported(shop, "2")) == TOO_SOON


def test_an_opt_out_says_so_first(shop: AppHarness) -> None:
    reported(shop, "1")
    shop.app.privacy.suppress("anna@example.com", None)
    assert shop.state(reported(shop, "2")) == (State.SUPPRESSED, Reason.OPTED_OUT)


def test_a_rule_that_is_set_later_holds_for_what_waits(harness: AppHarness) -> None:
    first, second = reported(harness, "1", delay=0), reported(harness, "2", delay=1)
    set_days(harness, 30)
    harness.deliver()
    harness.clock.advance(DAY)
    harness.deliver()
    assert (harness.state(first), harness.state(second)) == (SENT, TOO_SOON)
    assert len(harness.mailer.committed) == 1


def test_what_is_in_doubt_counts_and_what_is_refused_at_the_fence_does_not_hold_back_itself(shop: AppHarness) -> None:
    set_days(shop, 0)
    shop.mailer.scripts.append(MailScript(answer=AnswerLost()))
    first, second = reported(shop, "1", delay=0), reported(shop, "2", delay=1)
    set_days(shop, 30)
    shop.deliver()
    shop.clock.advance(DAY)
    shop.deliver()
    assert (shop.invitation(first).state, shop.state(second)) == (State.UNCERTAIN, TOO_SOON)
    shop.app.invitations.resolve_by_resending(first)
    shop.deliver()
    assert shop.state(first) == SENT


def test_of_two_that_are_handed_over_at_once_one_goes(concurrent_harness: AppHarness) -> None:
    harness = concurrent_harness
    both = [reported(harness, number, delay=0) for number in "12"]
    set_days(harness, 30)
    config, far = harness.app.delivery._config, harness.clock.now() + DAY
    claimed = harness.transactions.run(lambda ctx: claim_due(ctx, config.base_url, 2, since=None, high_water_mark=None))
    staged = threading.Barrier(2)
    harness.mailer.scripts += [MailScript(while_staged=lambda: staged.wait(TIMEOUT_SECONDS))] * 2
    attempt = DeliveryAttempt(
        DirectCommitter(JointCommit(harness.transactions, None)), config, threading.Event(), lambda _: None
    )
    run_concurrently(2, lambda number: run_to_end(attempt.deliver(claimed.assignments[number], far)))
    assert sorted(harness.state(each) for each in both) == sorted([SENT, TOO_SOON])
    assert len(harness.mailer.committed) == 1


@attrs.define
class LockRecorder:
    """Runs steps on another runner, and keeps the locks of those that may share a commit."""

    runner: TransactionRunner
    locks: list[frozenset[int]] = attrs.field(factory=list)

    def run(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        return self.runner.run(step, locks=locks)

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        self.locks.append(locks)
        return self.runner.run_batched(step, locks=locks)


@pytest.mark.parametrize(("other", "shared"), [("anna@example.com", True), ("bert@example.com", False)])
def test_the_fences_of_one_recipient_exclude_each_other(other: str, shared: bool) -> None:
    harness = AppHarness()
    reported(harness, "1", delay=0)
    reported(harness, "2", other, delay=0)
    recorder, config = LockRecorder(harness.transactions), harness.app.delivery._config
    attempt = DeliveryAttempt(DirectCommitter(JointCommit(recorder, None)), config, threading.Event(), lambda _: None)
    claimed = harness.transactions.run(lambda ctx: claim_due(ctx, config.base_url, 2, since=None, high_water_mark=None))
    fences = []
    for assignment in claimed.assignments:
        recorder.locks.clear()
        run_to_end(attempt.deliver(assignment, harness.clock.now() + DAY))
        fences.append(recorder.locks[0])
    assert bool(fences[0] & fences[1]) == shared


def _order(number: str) -> OrderReport:
    return OrderReport(email="anna@example.com", order_number=number)


def _imported(harness: AppHarness, *numbers: str) -> list[Reported]:
    return [
        accepted(each) for each in harness.app.orders.import_many(harness.caller, [_order(each) for each in numbers])
    ]

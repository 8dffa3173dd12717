"""What is swept before deliveries: overdue invitations and spent admissions."""

from __future__ import annotations

import itertools
import threading
from datetime import timedelta

from tests.core.usecases.harness import AppHarness, invitation_of

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.orders import Reported
from reviewinvite_core.domain.refusals import LimitReached
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.testing.builders import an_order_report
from reviewinvite_core.usecases.delivery.claim import claim_due
from reviewinvite_core.usecases.delivery.dispatcher import deliver_due
from reviewinvite_core.usecases.delivery.sweep import MOST_AT_ONCE, STEPS_A_SECOND, Sweeper, sweep_rate_limit_log

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def test_an_invitation_overdue_by_more_than_60_days_expires() -> None:
    harness = AppHarness()
    reported = harness.report(delay_days=1)
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    harness.clock.set(reported.scheduled_for + 60 * DAY)
    assert harness.deliver() == []
    harness.clock.advance(timedelta(microseconds=1))
    assert [(each.state, each.reason) for each in harness.deliver()] == [(State.EXPIRED, Reason.OVERDUE)]
    harness.app.shops.update("bakkerij-1", ShopChanges(active=True))
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
    assert len(harness.app.delivery.once(stop, on_change=lambda _: stop.set())) == MOST_AT_ONCE


def test_a_clock_that_was_set_right_again_refuses_nobody_for_long() -> None:
    harness = AppHarness(orders_per_minute=1)
    assert isinstance(harness.app.orders.report(harness.key, an_order_report()), Reported)
    harness.clock.advance(-365 * DAY)
    harness.deliver()  # tidies
    refused = harness.app.orders.report(harness.key, an_order_report())
    assert isinstance(refused, LimitReached)
    assert refused.retry_after_seconds == 60
    harness.clock.set(refused.retry_at)
    assert isinstance(harness.app.orders.report(harness.key, an_order_report()), Reported)
    assert isinstance(harness.app.orders.report(harness.key, an_order_report()), LimitReached)


def test_a_clock_that_was_set_right_again_needs_no_worker_for_that() -> None:
    harness = AppHarness(orders_per_minute=1)
    assert isinstance(harness.app.orders.report(harness.key, an_order_report()), Reported)
    harness.clock.advance(-365 * DAY)
    refused = harness.app.orders.report(harness.key, an_order_report())
    assert isinstance(refused, LimitReached)
    harness.clock.set(refused.retry_at)
    assert isinstance(harness.app.orders.report(harness.key, an_order_report()), Reported)


def test_tidying_leaves_what_still_binds() -> None:
    harness = AppHarness(orders_per_minute=1)
    harness.app.orders.report(harness.key, an_order_report())
    harness.clock.advance(59 * SECOND)
    harness.deliver()
    assert isinstance(harness.app.orders.report(harness.key, an_order_report()), LimitReached)


def test_after_a_busy_minute_a_second_sweeps_a_bounded_number_of_rows() -> None:
    harness = AppHarness()
    many = 3 * STEPS_A_SECOND * MOST_AT_ONCE
    busy = [LimitKey(1, f"orders:{number}") for number in range(many)]
    harness.in_transaction(lambda store: store.rate_limit_log.admit(busy, harness.clock.now()))
    harness.clock.advance(timedelta(minutes=5))

    def rows() -> int:
        return len(harness.in_transaction(lambda store: store.rate_limit_log.nth_newest(busy, 1)))

    sweeper = Sweeper(harness.delivery_context())
    sweeper.begin()
    left = [rows()]
    while left[-1]:
        list(sweeper.sweep(harness.clock.now()))
        left.append(rows())
        list(sweeper.sweep(harness.clock.now()))  # in the same second
        assert left[-1] == rows()
        harness.clock.advance(SECOND)
    swept = [before - after for before, after in itertools.pairwise(left)]
    assert sum(swept) == many
    assert max(swept) <= STEPS_A_SECOND * MOST_AT_ONCE
    assert min(swept[1:-1]) == STEPS_A_SECOND * MOST_AT_ONCE


def test_no_step_of_a_sweep_deletes_or_changes_more_than_its_share() -> None:
    harness = AppHarness()
    busy = [LimitKey(1, f"orders:{number}") for number in range(2 * MOST_AT_ONCE)]
    ahead = [LimitKey(2, f"orders:{number}") for number in range(2 * MOST_AT_ONCE)]
    now = harness.clock.now()
    harness.in_transaction(lambda store: store.rate_limit_log.admit(busy, now - DAY))
    harness.in_transaction(lambda store: store.rate_limit_log.admit(ahead, now + DAY))
    handled = [harness.transactions.run(sweep_rate_limit_log) for _ in range(5)]
    assert handled == [*([MOST_AT_ONCE] * 4), 0]


def test_a_new_round_begins_with_what_workers_left_behind() -> None:
    harness = AppHarness()
    many = [LimitKey(1, f"orders:{number}") for number in range(2 * STEPS_A_SECOND * MOST_AT_ONCE)]
    harness.in_transaction(lambda store: store.rate_limit_log.admit(many, harness.clock.now() - DAY))
    invite_id = harness.report_due()
    harness.transactions.run(lambda ctx: claim_due(ctx, "", 1, since=None, high_water_mark=None))
    sweeper = Sweeper(harness.delivery_context())
    sweeper.begin()
    assert list(sweeper.sweep(harness.clock.now())) == []
    harness.clock.advance(timedelta(minutes=20))
    sweeper.begin()
    assert [invitation_of(each).invite_id for each in sweeper.sweep(harness.clock.now())] == [invite_id]

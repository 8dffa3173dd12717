"""A clock that was ahead for a while has nothing expire and no address erased."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from tests.core.usecases.harness import AppHarness, do_nothing, kept
from tests.logs import captured_logs

from reviewinvite_core.bootstrap.compose import build
from reviewinvite_core.domain.errors import ClockJumped
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.testing.builders import NOON
from reviewinvite_core.usecases.delivery.clock_guard import TRUSTED_AFTER, ClockGuard

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


class FakeTime:
    """Elapsed time, and the wall clock of an application, which can be set independently of it."""

    def __init__(self) -> None:
        self.seconds = 1_000.0
        self.harness = AppHarness(monotonic=lambda: self.seconds)

    def advance(self, span: timedelta) -> None:
        self.seconds += span.total_seconds()
        self.harness.clock.advance(span)


@pytest.fixture
def fake_time() -> FakeTime:
    return FakeTime()


class StopAfterEvents:
    """A stop signal that is set once every event has happened: one at each wait of the worker."""

    def __init__(self, *events: Callable[[], object]) -> None:
        self.events = list(events)

    def is_set(self) -> bool:
        return not self.events

    def wait(self, timeout: float) -> bool:
        assert timeout > 0
        self.events.pop(0)()
        return self.is_set()


def work(harness: AppHarness, *events: Callable[[], object]) -> tuple[list[Invitation], list[Exception]]:
    changed: list[Invitation] = []
    troubles: list[Exception] = []
    polls = [poll for event in events for poll in (event, do_nothing)]  # the worker notices each one poll later
    stop = StopAfterEvents(*polls, do_nothing)
    harness.app.delivery.continually(stop, on_change=changed.append, on_trouble=troubles.append)
    return changed, troubles


def test_a_clock_that_was_ahead_destroys_nothing(fake_time: FakeTime) -> None:
    harness = fake_time.harness
    invite_id = harness.report().invite_id
    changed, troubles = work(
        harness,
        lambda: fake_time.advance(2 * TRUSTED_AFTER),
        lambda: harness.clock.advance(365 * DAY),
        lambda: fake_time.advance(MINUTE),
        lambda: harness.clock.advance(-365 * DAY),
        lambda: fake_time.advance(5 * DAY),
    )
    assert [type(each) for each in troubles] == [ClockJumped, ClockJumped]
    assert "365 days ahead" in str(troubles[0])
    assert "365 days back" in str(troubles[1])
    assert [each.state for each in changed] == [State.SENT]
    assert kept(harness, invite_id)


def test_a_worker_that_starts_by_a_clock_that_is_ahead_destroys_nothing(fake_time: FakeTime) -> None:
    harness = fake_time.harness
    invite_id = harness.report().invite_id
    harness.clock.advance(365 * DAY)
    assert harness.deliver() == []
    assert work(harness, lambda: fake_time.advance(TRUSTED_AFTER - MINUTE)) == ([], [])
    assert harness.invitation(invite_id).state is State.SCHEDULED
    assert kept(harness, invite_id)


def test_a_service_that_was_down_for_weeks_gives_up_what_is_overdue_after_an_hour(fake_time: FakeTime) -> None:
    harness = fake_time.harness
    overdue, sent = harness.report().invite_id, harness.report_due("bert@example.com", order_number="2")
    harness.deliver()
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    harness.clock.advance(91 * DAY)
    fake_time.seconds = 5.0  # another boot
    harness.rebuild(mark=None)
    changed, troubles = work(harness, lambda: fake_time.advance(TRUSTED_AFTER - MINUTE))
    assert (changed, troubles, kept(harness, sent)) == ([], [], True)
    changed, troubles = work(harness, lambda: fake_time.advance(MINUTE))
    assert [(each.invite_id, each.state) for each in changed] == [(overdue, State.EXPIRED)]
    assert (troubles, kept(harness, sent)) == ([], False)


def test_a_clock_that_creeps_away_in_small_steps_is_not_believed_either(fake_time: FakeTime) -> None:
    guard = ClockGuard(lambda: fake_time.seconds)
    assert not guard.is_trusted(NOON)
    fake_time.seconds += 3600
    assert guard.is_trusted(NOON + TRUSTED_AFTER)
    assert guard.is_trusted(NOON + TRUSTED_AFTER + DAY)
    assert not guard.is_trusted(NOON + TRUSTED_AFTER + 2 * DAY)
    assert not guard.is_trusted(NOON + TRUSTED_AFTER + 2 * DAY)


def test_the_machines_clock_is_not_believed_at_once() -> None:
    harness = AppHarness()
    harness.clock.set(datetime.now(UTC) - 100 * DAY)
    overdue = harness.report().invite_id
    app = build(harness.settings, storage=harness.storage, mailer=harness.mailer)
    assert app.delivery.once() == []
    assert harness.invitation(overdue).state is State.SCHEDULED
    assert kept(harness, overdue)
    app.close()
    harness.clock.set(datetime.now(UTC))  # a clock that is given is believed at once
    assert [each.state for each in harness.deliver()] == [State.EXPIRED]


def test_a_jump_is_a_warning_in_the_log(fake_time: FakeTime) -> None:
    with captured_logs() as logged:
        jump = partial(fake_time.harness.clock.advance, 3 * DAY)
        fake_time.harness.app.delivery.continually(StopAfterEvents(jump, do_nothing, do_nothing))
    (line,) = logged
    assert (line["event"], line["log_level"]) == ("clock jumped", "warning")
    assert "3 days ahead" in line["cause"]

"""A clock that was ahead for a while has nothing expire and no address erased."""

from __future__ import annotations

from datetime import timedelta

import pytest
import structlog
from tests.core.usecases.stage import Play, nothing

from reviewinvite_core.compose import build
from reviewinvite_core.domain.errors import ClockJumped
from reviewinvite_core.domain.invitations import Invitation, State
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.settings import Settings
from reviewinvite_core.testing.builders import NOON
from reviewinvite_core.usecases.believe_clock import BELIEVED_AFTER, ClockBelief

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


class Time:
    """Time as it passes, and the clock, which can be set besides."""

    def __init__(self) -> None:
        self.seconds = 1_000.0
        self.play = Play(pace=lambda: self.seconds)

    def passes(self, span: timedelta) -> None:
        self.seconds += span.total_seconds()
        self.play.clock.advance(span)


@pytest.fixture
def time() -> Time:
    return Time()


def kept(play: Play, invite_id: str) -> bool:
    return play.now(invite_id).sealed_address is not None


class Script:
    """A wish to stop, made when all that happens between the looks of a worker has happened."""

    def __init__(self, *happenings: object) -> None:
        self.happenings = list(happenings)

    def is_set(self) -> bool:
        return not self.happenings

    def wait(self, timeout: float) -> bool:
        assert timeout > 0
        self.happenings.pop(0)()
        return self.is_set()


def work(play: Play, *happenings: object) -> tuple[list[Invitation], list[Exception]]:
    changed: list[Invitation] = []
    troubles: list[Exception] = []
    looks = [look for happening in happenings for look in (happening, nothing)]  # a worker sees each one look later
    stop = Script(*looks, nothing)
    play.app.delivery.continually(stop, on_change=changed.append, on_trouble=troubles.append)
    return changed, troubles


def test_a_clock_that_was_ahead_destroys_nothing(time: Time) -> None:
    play = time.play
    invite_id = play.report().invite_id
    changed, troubles = work(
        play,
        lambda: time.passes(2 * BELIEVED_AFTER),
        lambda: play.clock.advance(365 * DAY),
        lambda: time.passes(MINUTE),
        lambda: play.clock.advance(-365 * DAY),
        lambda: time.passes(5 * DAY),
    )
    assert [type(each) for each in troubles] == [ClockJumped, ClockJumped]
    assert "365 days ahead" in str(troubles[0])
    assert "365 days back" in str(troubles[1])
    assert [each.state for each in changed] == [State.SENT]
    assert kept(play, invite_id)


def test_a_worker_that_starts_by_a_clock_that_is_ahead_destroys_nothing(time: Time) -> None:
    play = time.play
    invite_id = play.report().invite_id
    play.clock.advance(365 * DAY)
    assert play.deliver() == []
    assert work(play, lambda: time.passes(BELIEVED_AFTER - MINUTE)) == ([], [])
    assert play.now(invite_id).state is State.SCHEDULED
    assert kept(play, invite_id)


def test_a_service_that_was_down_for_weeks_gives_up_what_is_overdue_after_an_hour(time: Time) -> None:
    play = time.play
    overdue, sent = play.report().invite_id, play.report_due("bert@example.com", order_number="2")
    play.deliver()
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    play.clock.advance(91 * DAY)
    time.seconds = 5.0  # another boot
    play.rebuild(mark=None)
    changed, troubles = work(play, lambda: time.passes(BELIEVED_AFTER - MINUTE))
    assert (changed, troubles, kept(play, sent)) == ([], [], True)
    changed, troubles = work(play, lambda: time.passes(MINUTE))
    assert [(each.invite_id, each.state) for each in changed] == [(overdue, State.EXPIRED)]
    assert (troubles, kept(play, sent)) == ([], False)


def test_a_clock_that_creeps_away_in_small_steps_is_not_believed_either(time: Time) -> None:
    belief = ClockBelief(lambda: time.seconds)
    assert not belief.believes(NOON)
    time.seconds += 3600
    assert belief.believes(NOON + BELIEVED_AFTER)
    assert belief.believes(NOON + BELIEVED_AFTER + DAY)
    assert not belief.believes(NOON + BELIEVED_AFTER + 2 * DAY)
    assert not belief.believes(NOON + BELIEVED_AFTER + 2 * DAY)


def test_the_machines_clock_is_not_believed_at_once() -> None:
    app = build(Settings(database_url="memory:", secret="a secret for tests, long enough"))
    assert app.delivery._clock is not None
    app.close()


def test_a_jump_is_a_warning_in_the_log(time: Time) -> None:
    with structlog.testing.capture_logs() as logged:
        time.play.app.delivery.continually(Script(lambda: time.play.clock.advance(3 * DAY), nothing, nothing))
    (line,) = logged
    assert (line["event"], line["log_level"]) == ("clock jumped", "warning")
    assert "3 days ahead" in line["cause"]

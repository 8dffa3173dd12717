"""The worker goes on until it is told to stop, and waits for storage that is away."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
import structlog
from tests.core.usecases.stage import LEASE, Killed, Play, Scene, kill

from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.memory.invitations import MemoryInvitations
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitations import Invitation, State
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import Unreachable
from reviewinvite_core.testing.builders import ManualClock


class StopAfter:
    """A wish to stop that is made after so many waits; waiting takes no time."""

    def __init__(self, waits: int) -> None:
        self.waits = waits

    def is_set(self) -> bool:
        return self.waits <= 0

    def wait(self, timeout: float) -> bool:
        assert timeout > 0
        self.waits -= 1
        return self.is_set()


def work(play: Play, stop: object) -> tuple[list[Invitation], list[Exception]]:
    changed: list[Invitation] = []
    troubles: list[Exception] = []
    play.app.delivery.continually(stop, on_change=changed.append, on_trouble=troubles.append)
    return changed, troubles


def test_it_delivers_what_is_due_and_tells_each() -> None:
    play = Play()
    play.report_due()
    changed, troubles = work(play, StopAfter(3))
    assert [each.state for each in changed] == [State.SENT]
    assert troubles == []


@pytest.mark.parametrize("listener", ["on_change", "on_trouble", "on_progress"])
def test_a_listener_that_fails_ends_no_deliveries(listener: str) -> None:
    asked: list[object] = []

    def fail(what: object) -> None:
        asked.append(what)
        raise BrokenPipeError

    play = Play(Scene(while_staged=a_fault))
    play.report_due("anna@example.com")
    then = play.report_due("bert@example.com", order_number="2")
    play.app.delivery.continually(StopAfter(5), **{listener: fail})
    assert asked
    assert play.now(then).state is State.SENT


def test_it_tidies_before_it_delivers() -> None:
    play = Play(Scene(while_staged=kill))
    play.report_due()
    with pytest.raises(Killed):
        play.deliver()
    play.clock.advance(LEASE)
    changed, _ = work(play, StopAfter(1))
    assert [each.state for each in changed] == [State.SCHEDULED, State.SENT]


def test_it_tidies_every_30_seconds_however_much_there_is_to_deliver() -> None:
    busy = Scene(while_handed_over=lambda: play.clock.advance(timedelta(seconds=10)))
    play = Play(Scene(while_staged=kill), *[busy] * 5)
    abandoned = play.report_due()
    with pytest.raises(Killed):
        play.deliver()
    play.clock.advance(LEASE - timedelta(seconds=25))
    for number in range(5):
        play.report_due(f"c{number}@example.com", order_number=str(number))
    changed, _ = work(play, StopAfter(1))
    assert [each.state for each in changed] == [State.SENT] * 3 + [State.SCHEDULED] + [State.SENT] * 3
    assert changed[3].invite_id == changed[6].invite_id == abandoned


class TickingStop(StopAfter):
    """Waiting takes its time, on a clock that is moved by hand."""

    def __init__(self, clock: ManualClock, waits: int) -> None:
        super().__init__(waits)
        self.clock = clock

    def wait(self, timeout: float) -> bool:
        self.clock.advance(timedelta(seconds=timeout))
        return super().wait(timeout)


class NotingInvitations(MemoryInvitations):
    """Notes how far back each search for what is due goes."""

    searched: list[timedelta]

    def due(self, since: datetime, now: datetime, limit: int) -> Sequence[Invitation]:
        self.searched.append(now - since)
        return super().due(since, now, limit)


def test_what_an_inactive_shop_has_waiting_is_walked_every_30_seconds_and_not_at_every_poll() -> None:
    storage = MemoryStorage()
    noting = NotingInvitations(storage._journal, storage._store.shops)
    noting.searched = []
    storage._store.invitations = noting
    play = Play(storage=storage)
    work(play, TickingStop(play.clock, 123))
    walks = [place for place, span in enumerate(noting.searched) if span == timedelta(days=60)]
    assert len(walks) == 3
    assert all(30 <= (later - earlier) / 2 <= 30.5 for earlier, later in itertools.pairwise(walks))
    assert {span for span in noting.searched if span < timedelta(days=60)} == {timedelta(seconds=60.5)}


def test_a_shop_that_is_active_again_is_served_within_30_seconds() -> None:
    play = Play()
    play.report_due()
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    play.clock.advance(timedelta(days=1))
    active_again = play.clock.now() + timedelta(seconds=40)

    class Reopening(TickingStop):
        def wait(self, timeout: float) -> bool:
            if self.clock.now() == active_again:
                play.app.set_shop("bakkerij-1", ShopChanges(active=True))
            return super().wait(timeout)

    changed, _ = work(play, Reopening(play.clock, 200))
    assert [each.state for each in changed] == [State.SENT]
    assert changed[0].changed_at - active_again <= timedelta(seconds=30)


class AwayForAWhile(MemoryStorage):
    """Fails so many times, once `failures` is set."""

    failures = 0

    def run(self, unit):
        if self.failures:
            self.failures -= 1
            raise StorageUnavailable("away")
        return super().run(unit)


def test_it_waits_for_storage_that_is_away_and_goes_on() -> None:
    storage = AwayForAWhile()
    play = Play(storage=storage)
    play.report_due()
    storage.failures = 3
    changed, troubles = work(play, StopAfter(5))
    assert len(troubles) == 3
    assert [each.state for each in changed] == [State.SENT]


def a_fault() -> None:
    raise RuntimeError("anna@example.com")


@pytest.mark.parametrize("scene", [Scene(while_staged=a_fault), Scene(while_handed_over=a_fault)])
def test_a_fault_that_nobody_foresaw_costs_a_pause_and_not_the_deliveries_to_come(scene: Scene) -> None:
    play = Play(scene)
    play.report_due("anna@example.com")
    other = play.report_due("bert@example.com", order_number="1002")
    changed, troubles = work(play, StopAfter(3))
    assert [type(each) for each in troubles] == [RuntimeError]
    assert play.now(other).state is State.SENT
    assert changed[-1].invite_id == other


def test_a_fault_is_logged_by_its_name_and_never_by_its_words() -> None:
    play = Play(Scene(while_staged=a_fault))
    play.report_due()
    with structlog.testing.capture_logs() as logged:
        play.app.delivery.continually(StopAfter(1))
    assert logged[-1] == {"event": "delivery failed", "cause": "RuntimeError", "log_level": "error"}
    assert "anna" not in str(logged)


def test_a_mail_server_out_of_reach_is_logged_as_a_warning_with_its_cause() -> None:
    play = Play(Scene(at_stage=Unreachable("gaierror")))
    play.report_due()
    with structlog.testing.capture_logs() as logged:
        play.app.delivery.continually(StopAfter(1))
    (note,) = logged
    assert (note["log_level"], note["reason"], note["reply"]) == ("warning", "unreachable", "gaierror")


def test_told_to_stop_at_once_it_begins_nothing() -> None:
    play = Play()
    play.report_due()
    assert work(play, StopAfter(0)) == ([], [])
    assert play.mailer.staged == []


def test_told_to_stop_while_it_delivers_it_gives_the_rest_back() -> None:
    stop = threading.Event()
    play = Play(Scene(while_handed_over=stop.set))
    for number in range(3):
        play.report_due(f"c{number}@example.com")
    changed, _ = work(play, stop)
    assert [each.state for each in changed] == [State.SENT, State.SCHEDULED, State.SCHEDULED]

"""The worker runs until it is stopped, and waits while storage is unavailable."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar, cast

import attrs
import pytest
from tests.core.usecases.harness import LEASE, AppHarness, Killed, MailScript, kill
from tests.logs import captured_logs

from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import Invitations, StopSignal, Store, UnitOfWork, Unreachable
from reviewinvite_core.testing.builders import ManualClock

T = TypeVar("T")


class StopAfter:
    """A stop signal that is set after some number of waits, each of which takes no time."""

    def __init__(self, waits: int) -> None:
        self.waits = waits

    def is_set(self) -> bool:
        return self.waits <= 0

    def wait(self, timeout: float) -> bool:
        assert timeout > 0
        self.waits -= 1
        return self.is_set()


def work(harness: AppHarness, stop: StopSignal) -> tuple[list[Invitation], list[Exception]]:
    changed: list[Invitation] = []
    troubles: list[Exception] = []
    harness.app.delivery.continually(stop, on_change=changed.append, on_trouble=troubles.append)
    return changed, troubles


def test_it_delivers_what_is_due_and_tells_each() -> None:
    harness = AppHarness()
    harness.report_due()
    changed, troubles = work(harness, StopAfter(3))
    assert [each.state for each in changed] == [State.SENT]
    assert troubles == []


@pytest.mark.parametrize("listener", ["on_change", "on_trouble", "on_progress"])
def test_a_listener_that_fails_ends_no_deliveries(listener: str) -> None:
    asked: list[object] = []

    def fail(what: object) -> None:
        asked.append(what)
        raise BrokenPipeError

    harness = AppHarness(MailScript(while_staged=a_fault))
    harness.report_due("anna@example.com")
    then = harness.report_due("bert@example.com", order_number="2")
    listeners: dict[str, Any] = {listener: fail}
    harness.app.delivery.continually(StopAfter(5), **listeners)
    assert asked
    assert harness.invitation(then).state is State.SENT


def test_it_tidies_before_it_delivers() -> None:
    harness = AppHarness(MailScript(while_staged=kill))
    harness.report_due()
    with pytest.raises(Killed):
        harness.deliver()
    harness.clock.advance(LEASE)
    changed, _ = work(harness, StopAfter(1))
    assert [each.state for each in changed] == [State.SCHEDULED, State.SENT]


def test_it_tidies_every_30_seconds_however_much_there_is_to_deliver() -> None:
    busy = MailScript(while_handed_over=lambda: harness.clock.advance(timedelta(seconds=10)))
    harness = AppHarness(MailScript(while_staged=kill), *[busy] * 5)
    abandoned = harness.report_due()
    with pytest.raises(Killed):
        harness.deliver()
    harness.clock.advance(LEASE - timedelta(seconds=25))
    for number in range(5):
        harness.report_due(f"c{number}@example.com", order_number=str(number))
    changed, _ = work(harness, StopAfter(1))
    assert [each.state for each in changed] == [State.SENT] * 3 + [State.SCHEDULED] + [State.SENT] * 3
    assert changed[3].invite_id == changed[6].invite_id == abandoned


class TickingStop(StopAfter):
    """A stop signal whose waits take time on a manual clock."""

    def __init__(self, clock: ManualClock, waits: int) -> None:
        super().__init__(waits)
        self.clock = clock

    def wait(self, timeout: float) -> bool:
        self.clock.advance(timedelta(seconds=timeout))
        return super().wait(timeout)


class RecordingSearches(MemoryStorage):
    """Storage that records how far back each search for due invitations goes."""

    def __init__(self) -> None:
        super().__init__()
        self.searches: list[timedelta] = []

    def run(self, unit: UnitOfWork[T]) -> T:
        return super().run(lambda store: unit(cast(Store, RecordingStore(store, self.searches))))


@attrs.frozen
class RecordingStore:
    """A store whose invitations record their searches."""

    inner: Store
    searches: list[timedelta]

    @property
    def invitations(self) -> RecordingInvitations:
        return RecordingInvitations(self.inner.invitations, self.searches)

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)


@attrs.frozen
class RecordingInvitations:
    """Invitations that record how far back each search for due ones goes."""

    inner: Invitations
    searches: list[timedelta]

    def due(self, since: datetime, now: datetime, limit: int) -> Sequence[Invitation]:
        self.searches.append(now - since)
        return self.inner.due(since, now, limit)

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)


def test_what_an_inactive_shop_has_waiting_is_walked_every_30_seconds_and_not_at_every_poll() -> None:
    storage = RecordingSearches()
    harness = AppHarness(storage=storage)
    work(harness, TickingStop(harness.clock, 123))
    walks = [place for place, span in enumerate(storage.searches) if span == timedelta(days=60)]
    assert len(walks) == 3
    assert all(30 <= (later - earlier) / 2 <= 30.5 for earlier, later in itertools.pairwise(walks))
    assert {span for span in storage.searches if span < timedelta(days=60)} == {timedelta(seconds=60.5)}


def test_a_shop_that_is_active_again_is_served_within_30_seconds() -> None:
    harness = AppHarness()
    harness.report_due()
    harness.app.shops.update("bakkerij-1", ShopChanges(active=False))
    harness.clock.advance(timedelta(days=1))
    active_again = harness.clock.now() + timedelta(seconds=40)

    class Reopening(TickingStop):
        def wait(self, timeout: float) -> bool:
            if self.clock.now() == active_again:
                harness.app.shops.update("bakkerij-1", ShopChanges(active=True))
            return super().wait(timeout)

    changed, _ = work(harness, Reopening(harness.clock, 200))
    assert [each.state for each in changed] == [State.SENT]
    assert changed[0].changed_at - active_again <= timedelta(seconds=30)


class TemporarilyAway(MemoryStorage):
    """Storage that is unavailable for the next `failures` calls."""

    failures = 0

    def run(self, unit: UnitOfWork[T]) -> T:
        if self.failures:
            self.failures -= 1
            raise StorageUnavailable("away")
        return super().run(unit)


def test_it_waits_for_storage_that_is_away_and_goes_on() -> None:
    storage = TemporarilyAway()
    harness = AppHarness(storage=storage)
    harness.report_due()
    storage.failures = 3
    changed, troubles = work(harness, StopAfter(5))
    assert len(troubles) == 3
    assert [each.state for each in changed] == [State.SENT]


def a_fault() -> None:
    raise RuntimeError("anna@example.com")


@pytest.mark.parametrize("script", [MailScript(while_staged=a_fault), MailScript(while_handed_over=a_fault)])
def test_a_fault_that_nobody_foresaw_costs_a_pause_and_not_the_deliveries_to_come(script: MailScript) -> None:
    harness = AppHarness(script)
    harness.report_due("anna@example.com")
    other = harness.report_due("bert@example.com", order_number="1002")
    changed, troubles = work(harness, StopAfter(3))
    assert [type(each) for each in troubles] == [RuntimeError]
    assert harness.invitation(other).state is State.SENT
    assert changed[-1].invite_id == other


def test_faults_that_come_together_cost_one_pause() -> None:
    harness = AppHarness(*[MailScript(while_staged=a_fault)] * 8)
    for number in range(9):
        harness.report_due(f"c{number}@example.com", order_number=str(number))
    changed, troubles = work(harness, StopAfter(2))
    assert len(troubles) == 8
    assert [each.reason for each in changed] == [Reason.FAULT] * 8 + [Reason.ACCEPTED]


def test_a_fault_is_logged_by_its_name_and_never_by_its_words() -> None:
    harness = AppHarness(MailScript(while_staged=a_fault))
    harness.report_due()
    with captured_logs() as logged:
        harness.app.delivery.continually(StopAfter(1))
    assert logged[-1] == {"event": "delivery failed", "cause": "RuntimeError", "log_level": "error"}
    assert "anna" not in str(logged)


def test_a_mail_server_out_of_reach_is_logged_as_a_warning_with_its_cause() -> None:
    harness = AppHarness(MailScript(at_stage=Unreachable("gaierror")))
    harness.report_due()
    with captured_logs() as logged:
        harness.app.delivery.continually(StopAfter(1))
    (note,) = logged
    assert (note["log_level"], note["reason"], note["reply"]) == ("warning", "unreachable", "gaierror")


def test_told_to_stop_at_once_it_begins_nothing() -> None:
    harness = AppHarness()
    harness.report_due()
    assert work(harness, StopAfter(0)) == ([], [])
    assert harness.mailer.staged == []


def test_told_to_stop_while_it_delivers_it_gives_the_rest_back() -> None:
    stop = threading.Event()
    harness = AppHarness(MailScript(while_handed_over=stop.set))
    for number in range(3):
        harness.report_due(f"c{number}@example.com")
    changed, _ = work(harness, stop)
    assert [each.state for each in changed] == [State.SENT, State.SCHEDULED, State.SCHEDULED]

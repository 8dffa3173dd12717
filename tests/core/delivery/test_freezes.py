"""A worker that stands still at any point for longer than its lease, and then goes on as if nothing had happened."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import suppress

import pytest
from tests.core.delivery.conftest import MakeHouse
from tests.core.delivery.doomed_worker import Point
from tests.core.delivery.house import House, Nursery, wait_until

from reviewinvite_core import Reason, State

DUE = 10
AFTER_THE_FENCE = [Point.FENCED, Point.MARKED, Point.DOT, Point.ANSWERING, Point.ANSWERED]
NTH = {Point.CLAIMING: [1, 2], Point.MARKING: [1, 2]}  # four sessions may share a write of the mark


def freeze(house: House, nursery: Nursery, point: Point, nth: int) -> None:
    """Let a worker freeze there, and its leases run out."""
    nursery.start(house.order(point, nth, by=signal.SIGSTOP))
    wait_until(lambda: nursery.is_frozen)
    house.let_leases_end()


def thaw(nursery: Nursery) -> None:
    """Let the worker go on, to its end."""
    nursery.resume()
    assert nursery.ended() == 0


def ends_soon(nursery: Nursery) -> bool:
    """Whether the worker ends while the other one is frozen: not where that one has locked what it wants."""
    with suppress(AssertionError):
        wait_until(lambda: nursery.has_ended, 1.0)
    return nursery.has_ended


def cases() -> list[tuple[Point, int]]:
    return [(point, nth) for point in Point for nth in NTH.get(point, [1, 7])]


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
@pytest.mark.parametrize(("point", "nth"), cases())
def test_a_worker_that_froze_past_its_lease_sends_nothing_that_another_has_taken_over(
    make_house: MakeHouse, workers: Sequence[Nursery], engine: str, point: Point, nth: int
) -> None:
    house = make_house(engine=engine, connections=4)
    frozen, other = workers[:2]
    house.report_due(DUE)
    freeze(house, frozen, point, nth)
    other.start(house.order())
    if ends_soon(other) and engine == "sqlite":  # PostgreSQL passes over the rows that the frozen one has locked
        assert house.count(State.SENT) + house.count(State.UNCERTAIN) == DUE
        assert house.count(State.UNCERTAIN) <= house.connections
    thaw(frozen)
    assert other.ended() == 0
    house.finish(other)
    assert house.every_invitation_arrived_once_and_is_sent()


@pytest.mark.parametrize("point", AFTER_THE_FENCE)
def test_what_a_frozen_worker_has_out_is_uncertain_until_its_late_answer_wins(
    make_house: MakeHouse, workers: Sequence[Nursery], point: Point
) -> None:
    house = make_house(connections=1)
    frozen, other = workers[:2]
    house.report_due(3)
    freeze(house, frozen, point, 1)
    assert other.run(house.order()) == 0
    (doubtful,) = house.in_state(State.UNCERTAIN)
    assert house.count(State.SENT) == 2
    thaw(frozen)
    record = house.app.show_invitation(doubtful)
    assert [change.reason for change in record.history] == [
        Reason.REPORTED,
        Reason.CLAIMED,
        Reason.FENCED,
        Reason.PROCESS_DIED,
        Reason.ACCEPTED,
    ]
    assert house.every_invitation_arrived_once_and_is_sent()


def test_a_lease_that_ran_out_at_the_fence_keeps_a_message_in_though_nobody_has_taken_it_over(
    make_house: MakeHouse, workers: Sequence[Nursery]
) -> None:
    house = make_house(connections=1)
    house.report_due(3)
    freeze(house, workers[0], Point.STAGED, 1)
    thaw(workers[0])
    (late,) = house.in_state(State.CLAIMED)
    assert set(house.arrivals()) == set(house.states()) - {late}
    house.finish(workers[0])
    assert house.every_invitation_arrived_once_and_is_sent()

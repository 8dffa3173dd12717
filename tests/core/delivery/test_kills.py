"""`kill -9` at every point of a delivery: nothing goes out twice, nothing is lost, and what is in doubt can be seen."""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence

import pytest
from tests.core.delivery.conftest import MakeHouse
from tests.core.delivery.doomed_worker import Point
from tests.core.delivery.house import FREE, House, Nursery

from reviewinvite_core import State

DUE = 12
CLAIMS = 2  # at least so often a worker looks for something to claim while so many are due

# A worker does not wait until the wire has carried what it wrote: at IN_BODY it may have come to the fence by itself.
BEFORE_THE_FENCE = [Point.CLAIMING, Point.CLAIMED, Point.STAGING, Point.IN_BODY, Point.STAGED, Point.FENCING]
BEFORE_THE_DOT = [Point.FENCED, Point.MARKING, Point.MARKED]
AFTER_THE_DOT = [Point.DOT, Point.ANSWERING, Point.ANSWERED, Point.RECORDING]

KILLS = [20, pytest.param(200, marks=pytest.mark.soak)]
KILLS_ON_POSTGRES = [4, pytest.param(200, marks=pytest.mark.soak)]


def surely_reached(point: Point, house: House) -> int:
    """How often at least a worker comes to the point; its sessions may share a write of the mark."""
    return {Point.CLAIMING: CLAIMS, Point.MARKING: DUE // house.connections}.get(point, DUE)


def kill_again_and_again(house: House, nursery: Nursery, point: Point, kills: int) -> None:
    """Kill a worker at its n-th coming to the point, and look what it has left; so many times."""
    dice = random.Random(f"{point} {house.connections}")  # noqa: S311 - it decides about a test
    for _ in range(kills):
        house.report_due(DUE - house.count(*FREE))
        before, fence, doubtful = house.arrivals(), house.fence(), house.in_state(State.UNCERTAIN)
        left_in_doubt = house.in_state(State.HANDING_OVER)
        nth = dice.randint(1, surely_reached(point, house))

        assert nursery.run(house.order(point, nth)) == -signal.SIGKILL

        arrived, out = house.arrivals(), house.in_state(State.HANDING_OVER)
        assert {each: times for each, times in arrived.items() if times > 1} == {}
        assert house.in_state(*FREE).isdisjoint(arrived)  # they will be sent
        assert house.in_state(State.SENT) <= set(arrived)
        assert len(out) <= house.connections
        assert house.in_state(State.UNCERTAIN) == doubtful | left_in_doubt
        newer = (arrived - before).total()
        assert house.mark() <= house.fence()
        assert not newer or house.mark() >= fence + newer  # or an older copy of the database would not be noticed
        if house.connections == 1:
            assert point is Point.IN_BODY or len(out) == (point in BEFORE_THE_DOT + AFTER_THE_DOT)
            assert len(out & set(arrived)) == (point in AFTER_THE_DOT)
        house.let_leases_end()


def the_end_is_good(house: House, nursery: Nursery, point: Point, kills: int) -> None:
    """All is sent or, for the sessions that were open, in doubt; and all has arrived once when that is settled."""
    house.finish(nursery)
    doubtful = house.in_state(State.UNCERTAIN)
    assert len(doubtful) <= kills * house.connections
    assert house.in_state(State.SENT) | doubtful == set(house.states())
    if house.connections == 1 and point is not Point.IN_BODY:
        assert len(doubtful) == (0 if point in [*BEFORE_THE_FENCE, Point.RECORDED] else kills)
    house.settle_what_is_uncertain()
    house.finish(nursery)
    assert house.every_invitation_arrived_once_and_is_sent()


@pytest.mark.parametrize("kills", KILLS)
@pytest.mark.parametrize("point", Point)
def test_a_killed_worker_sends_nothing_twice_and_loses_nothing(
    make_house: MakeHouse, workers: Sequence[Nursery], point: Point, kills: int
) -> None:
    house = make_house(connections=4)
    kill_again_and_again(house, workers[0], point, kills)
    the_end_is_good(house, workers[0], point, kills)


@pytest.mark.parametrize("kills", [4, pytest.param(40, marks=pytest.mark.soak)])
@pytest.mark.parametrize("point", Point)
def test_with_one_session_a_kill_costs_one_uncertain_behind_the_fence_and_none_before_it(
    make_house: MakeHouse, workers: Sequence[Nursery], point: Point, kills: int
) -> None:
    house = make_house(connections=1)
    kill_again_and_again(house, workers[0], point, kills)
    the_end_is_good(house, workers[0], point, kills)


@pytest.mark.parametrize("kills", KILLS_ON_POSTGRES)
@pytest.mark.parametrize("point", Point)
def test_on_postgres_a_killed_worker_sends_nothing_twice_and_loses_nothing(
    make_house: MakeHouse, workers: Sequence[Nursery], point: Point, kills: int
) -> None:
    house = make_house(engine="postgres", connections=4)
    kill_again_and_again(house, workers[0], point, kills)
    the_end_is_good(house, workers[0], point, kills)

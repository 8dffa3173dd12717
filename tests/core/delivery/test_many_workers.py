"""Four workers at once on one database, killed at random and started again."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Sequence

import pytest
from tests.core.delivery.conftest import MakeHouse
from tests.core.delivery.doomed_worker import Point
from tests.core.delivery.house import FREE, House, Nursery

from reviewinvite_core import State


def work_and_be_killed(house: House, workers: Sequence[Nursery], seed: str) -> int:
    """Keep all workers working, each until it is killed at some point, and none left to do; how many were killed."""
    dice = random.Random(seed)  # noqa: S311 - it decides about a test
    points = list(Point)

    def start(worker: Nursery) -> None:
        worker.start(house.order(dice.choice(points), dice.randint(1, 15)))

    for worker in workers:
        start(worker)
    kills = 0
    while house.count(*FREE):
        for worker in workers:
            if worker.has_ended:
                killed = worker.ended() == -signal.SIGKILL
                kills += killed
                if not killed:
                    house.let_leases_end()  # what is left is in the hands of the dead
                start(worker)
        time.sleep(0.02)
    return kills + sum(worker.ended() == -signal.SIGKILL for worker in workers)


@pytest.mark.parametrize("due", [300, pytest.param(6000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_four_workers_that_are_killed_again_and_again_share_the_work(
    make_house: MakeHouse, workers: Sequence[Nursery], engine: str, due: int
) -> None:
    house = make_house(engine=engine, connections=4)
    house.report_due(due)
    kills = work_and_be_killed(house, workers, engine)
    assert kills >= due / 60
    house.finish(workers[0])
    doubtful = house.in_state(State.UNCERTAIN)
    assert len(doubtful) <= kills * house.connections
    assert house.in_state(State.SENT) | doubtful == set(house.states())
    assert house.in_state(State.SENT) <= set(house.arrivals())
    house.settle_what_is_uncertain()
    house.finish(workers[0])
    assert house.every_invitation_arrived_once_and_is_sent()


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_four_workers_that_nobody_kills_leave_nothing_in_doubt(
    make_house: MakeHouse, workers: Sequence[Nursery], engine: str
) -> None:
    house = make_house(engine=engine, connections=2)
    house.report_due(100)
    for worker in workers:
        worker.start(house.order())
    assert [worker.ended() for worker in workers] == [0, 0, 0, 0]
    assert house.every_invitation_arrived_once_and_is_sent()

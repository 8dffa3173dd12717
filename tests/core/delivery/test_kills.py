"""`kill -9` at every point of a delivery: nothing is sent twice, nothing is lost, and what is in doubt is marked so."""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence

import pytest
from tests.budgets import in_full, in_soak
from tests.core.delivery.crash_harness import UNSENT, CrashHarness, MakeCrashHarness, WorkerForkServer
from tests.core.delivery.crashing_worker import CrashPoint

from reviewinvite_core import State

DUE = 12
CLAIMS = 2  # a worker claims at least that often while `DUE` are due

# At the other points one session leaves one message in doubt or none: the answer to the one before may not be durable
# until the next fence is (ADR-49), and a worker does not wait until its bytes have arrived.
BEFORE_THE_DOT = [CrashPoint.FENCED, CrashPoint.MARKING, CrashPoint.MARKED]
AFTER_THE_DOT = [CrashPoint.DOT, CrashPoint.ANSWERING, CrashPoint.ANSWERED, CrashPoint.RECORDING]

POINTS_AND_KILLS = [
    (CrashPoint.DOT, 2),  # one session takes each point in the default run
    *(in_full(point, 20) for point in CrashPoint),
    *(in_soak(point, 200) for point in CrashPoint),
]
KILLS_OF_ONE_SESSION = [1, in_full(4), in_soak(40)]
KILLS_ON_POSTGRES = [in_full(4), in_soak(200)]


def surely_reached(point: CrashPoint, harness: CrashHarness) -> int:
    """Return how often a worker reaches the point at least; its sessions may share a write of the mark."""
    return {CrashPoint.CLAIMING: CLAIMS, CrashPoint.MARKING: DUE // harness.connections}.get(point, DUE)


def kill_repeatedly(harness: CrashHarness, fork_server: WorkerForkServer, point: CrashPoint, kills: int) -> None:
    """Kill a worker at its n-th arrival at the point and check what it left, `kills` times."""
    dice = random.Random(f"{point} {harness.connections}")  # noqa: S311 - it decides about a test
    for _ in range(kills):
        harness.report_due(DUE - harness.count(*UNSENT))
        before, fence, doubtful = harness.arrivals(), harness.last_fence(), harness.in_state(State.UNCERTAIN)
        left_in_doubt = harness.in_state(State.HANDING_OVER)
        nth = dice.randint(1, surely_reached(point, harness))

        assert fork_server.run(harness.job(point, nth)) == -signal.SIGKILL

        arrived, out = harness.arrivals(), harness.in_state(State.HANDING_OVER)
        assert {each: times for each, times in arrived.items() if times > 1} == {}
        assert harness.in_state(*UNSENT).isdisjoint(arrived)  # they will be sent
        assert harness.in_state(State.SENT) <= set(arrived)
        assert len(out) <= harness.connections
        assert harness.in_state(State.UNCERTAIN) == doubtful | left_in_doubt
        newer = (arrived - before).total()
        assert harness.high_water_mark() <= harness.last_fence()
        # or an older copy of the database would not be noticed
        assert not newer or harness.high_water_mark() >= fence + newer
        if harness.connections == 1:
            assert len(out) == 1 or point not in BEFORE_THE_DOT + AFTER_THE_DOT
            assert len(out & set(arrived)) == 1 or point not in AFTER_THE_DOT
            assert out.isdisjoint(arrived) or point not in BEFORE_THE_DOT
        harness.expire_leases()


def assert_good_end(harness: CrashHarness, fork_server: WorkerForkServer, point: CrashPoint, kills: int) -> None:
    """Check that all is sent or, for the open sessions, in doubt; and has arrived once when that is resolved."""
    harness.deliver_all(fork_server)
    doubtful = harness.in_state(State.UNCERTAIN)
    assert len(doubtful) <= kills * harness.connections
    assert harness.in_state(State.SENT) | doubtful == set(harness.states())
    if harness.connections == 1 and point in BEFORE_THE_DOT + AFTER_THE_DOT:
        assert len(doubtful) == kills
    harness.resolve_uncertain()
    harness.deliver_all(fork_server)
    harness.assert_all_sent_once()


@pytest.mark.parametrize(("point", "kills"), POINTS_AND_KILLS)
def test_a_killed_worker_sends_nothing_twice_and_loses_nothing(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer], point: CrashPoint, kills: int
) -> None:
    harness = make_crash_harness(connections=4)
    kill_repeatedly(harness, fork_servers[0], point, kills)
    assert_good_end(harness, fork_servers[0], point, kills)


@pytest.mark.parametrize("kills", KILLS_OF_ONE_SESSION)
@pytest.mark.parametrize("point", CrashPoint)
def test_with_one_session_a_kill_costs_one_uncertain_behind_the_fence_and_at_most_one_before_it(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer], point: CrashPoint, kills: int
) -> None:
    harness = make_crash_harness(connections=1)
    kill_repeatedly(harness, fork_servers[0], point, kills)
    assert_good_end(harness, fork_servers[0], point, kills)


@pytest.mark.parametrize("kills", KILLS_ON_POSTGRES)
@pytest.mark.parametrize("point", CrashPoint)
def test_on_postgres_a_killed_worker_sends_nothing_twice_and_loses_nothing(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer], point: CrashPoint, kills: int
) -> None:
    harness = make_crash_harness(engine="postgres", connections=4)
    kill_repeatedly(harness, fork_servers[0], point, kills)
    assert_good_end(harness, fork_servers[0], point, kills)

"""Four workers at once on one database, killed at random and started again."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Sequence

import pytest
from tests.budgets import in_full, in_soak
from tests.core.delivery.crash_harness import UNSENT, CrashHarness, MakeCrashHarness, WorkerForkServer
from tests.core.delivery.crashing_worker import CrashPoint

from reviewinvite_core import State


def work_while_being_killed(harness: CrashHarness, fork_servers: Sequence[WorkerForkServer], seed: str) -> int:
    """Keep all workers running, each until it is killed, until all is delivered; return how many were killed."""
    dice = random.Random(seed)  # noqa: S311 - it decides about a test
    points = list(CrashPoint)

    def start(worker: WorkerForkServer) -> None:
        worker.start(harness.job(dice.choice(points), dice.randint(1, 15)))

    for worker in fork_servers:
        start(worker)
    kills = 0
    while harness.count(*UNSENT):
        for worker in fork_servers:
            if worker.has_ended:
                killed = worker.wait() == -signal.SIGKILL
                kills += killed
                if not killed:
                    harness.expire_leases()  # what is left is in the hands of the dead
                start(worker)
        time.sleep(0.02)
    return kills + sum(worker.wait() == -signal.SIGKILL for worker in fork_servers)


@pytest.mark.parametrize("due", [in_full(300), in_soak(6000)])
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_four_workers_that_are_killed_again_and_again_share_the_work(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer], engine: str, due: int
) -> None:
    harness = make_crash_harness(engine=engine, connections=4)
    harness.report_due(due)
    kills = work_while_being_killed(harness, fork_servers, engine)
    assert kills >= due / 60
    harness.deliver_all(fork_servers[0])
    doubtful = harness.in_state(State.UNCERTAIN)
    assert len(doubtful) <= kills * harness.connections
    assert harness.in_state(State.SENT) | doubtful == set(harness.states())
    assert harness.in_state(State.SENT) <= set(harness.arrivals())
    harness.resolve_uncertain()
    harness.deliver_all(fork_servers[0])
    harness.assert_all_sent_once()


@pytest.mark.parametrize("engine", ["sqlite", in_full("postgres")])
def test_four_workers_that_nobody_kills_leave_nothing_in_doubt(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer], engine: str
) -> None:
    harness = make_crash_harness(engine=engine, connections=2)
    harness.report_due(100)
    for worker in fork_servers:
        worker.start(harness.job())
    assert [worker.wait() for worker in fork_servers] == [0, 0, 0, 0]
    harness.assert_all_sent_once()

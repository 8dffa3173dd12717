"""A worker that freezes at any point for longer than its lease, and then goes on as if nothing had happened."""

from __future__ import annotations

import signal
from collections.abc import Sequence

import pytest
from tests.budgets import in_full
from tests.core.delivery.crash_harness import CrashHarness, MakeCrashHarness, WorkerForkServer
from tests.core.delivery.crashing_worker import CrashPoint
from tests.waiting import happens, wait_until

from reviewinvite_core import OPERATOR, Reason, State, accepted

DUE = 10
AFTER_THE_FENCE = [CrashPoint.FENCED, CrashPoint.MARKED, CrashPoint.DOT, CrashPoint.ANSWERING, CrashPoint.ANSWERED]
REPRESENTATIVE = ("sqlite", CrashPoint.DOT, 7)
NTH = {CrashPoint.CLAIMING: [1, 2], CrashPoint.MARKING: [1, 2]}  # four sessions may share a write of the mark


def freeze(harness: CrashHarness, fork_server: WorkerForkServer, point: CrashPoint, nth: int) -> None:
    """Let a worker freeze there, and its leases expire."""
    fork_server.start(harness.job(point, nth, by=signal.SIGSTOP))
    wait_until(lambda: fork_server.is_frozen)
    harness.expire_leases()


def thaw(fork_server: WorkerForkServer) -> None:
    """Resume the worker, and wait for its end."""
    fork_server.resume()
    assert fork_server.wait() == 0


def ends_soon(fork_server: WorkerForkServer) -> bool:
    """Return whether the worker ends while the other one is frozen, which may have locked what it needs."""
    return happens(lambda: fork_server.has_ended, 1.0)


CASES = [
    (engine, point, nth) if (engine, point, nth) == REPRESENTATIVE else in_full(engine, point, nth)
    for engine in ("sqlite", "postgres")
    for point in CrashPoint
    for nth in NTH.get(point, [1, 7])
]


@pytest.mark.parametrize(("engine", "point", "nth"), CASES)
def test_a_worker_that_froze_past_its_lease_sends_nothing_that_another_has_taken_over(
    make_crash_harness: MakeCrashHarness,
    fork_servers: Sequence[WorkerForkServer],
    engine: str,
    point: CrashPoint,
    nth: int,
) -> None:
    harness = make_crash_harness(engine=engine, connections=4)
    frozen, other = fork_servers[:2]
    harness.report_due(DUE)
    freeze(harness, frozen, point, nth)
    other.start(harness.job())
    if ends_soon(other) and engine == "sqlite":  # PostgreSQL passes over the rows that the frozen one has locked
        assert harness.count(State.SENT) + harness.count(State.UNCERTAIN) == DUE
        assert harness.count(State.UNCERTAIN) <= harness.connections
    thaw(frozen)
    assert other.wait() == 0
    harness.deliver_all(other)
    harness.assert_all_sent_once()


@pytest.mark.parametrize("point", [each if each is CrashPoint.FENCED else in_full(each) for each in AFTER_THE_FENCE])
def test_what_a_frozen_worker_has_out_is_uncertain_until_its_late_answer_wins(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer], point: CrashPoint
) -> None:
    harness = make_crash_harness(connections=1)
    frozen, other = fork_servers[:2]
    harness.report_due(3)
    freeze(harness, frozen, point, 1)
    assert other.run(harness.job()) == 0
    (doubtful,) = harness.in_state(State.UNCERTAIN)
    assert harness.count(State.SENT) == 2
    thaw(frozen)
    record = accepted(harness.app.invitations.show(OPERATOR, doubtful))
    assert [change.reason for change in record.history] == [
        Reason.REPORTED,
        Reason.CLAIMED,
        Reason.FENCED,
        Reason.PROCESS_DIED,
        Reason.ACCEPTED,
    ]
    harness.assert_all_sent_once()


def test_a_lease_that_ran_out_at_the_fence_keeps_a_message_in_though_nobody_has_taken_it_over(
    make_crash_harness: MakeCrashHarness, fork_servers: Sequence[WorkerForkServer]
) -> None:
    harness = make_crash_harness(connections=1)
    harness.report_due(3)
    freeze(harness, fork_servers[0], CrashPoint.STAGED, 1)
    thaw(fork_servers[0])
    (late,) = harness.in_state(State.CLAIMED)
    assert set(harness.arrivals()) == set(harness.states()) - {late}
    harness.deliver_all(fork_servers[0])
    harness.assert_all_sent_once()

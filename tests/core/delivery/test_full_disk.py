"""A disk that is full, and a mark that cannot be written, in the midst of deliveries."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.budgets import in_full
from tests.core.delivery.crash_harness import UNSENT, CrashHarness, WorkerForkServer
from tests.core.delivery.crashing_worker import MARK_UNWRITTEN, CrashPoint
from tests.disks import fill, small_disk, unwritable
from tests.smtp_server import SmtpTestServer, smtp_server
from tests.waiting import wait_until

from reviewinvite_core import Reason, State

DUE = 120
FULL_SECONDS = 1.5  # so that all delivery threads meet it


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SmtpTestServer]:
    with smtp_server(tmp_path / "log", keep=False) as started:
        yield started


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 megabytes: room enough for a log of the database that nobody can empty meanwhile."""
    with small_disk(tmp_path / "small") as folder:
        yield folder


POINTS = [CrashPoint.CLAIMED, CrashPoint.STAGED, CrashPoint.FENCED, CrashPoint.DOT, CrashPoint.ANSWERED]


@pytest.mark.parametrize("point", [each if each is CrashPoint.ANSWERED else in_full(each) for each in POINTS])
def test_a_disk_that_is_full_for_a_while_loses_nothing_and_sends_nothing_twice(
    room: Path, tmp_path: Path, server: SmtpTestServer, fork_servers: Sequence[WorkerForkServer], point: CrashPoint
) -> None:
    harness = CrashHarness(tmp_path, server, database_url=f"sqlite:///{room / 'reviewinvite.db'}", connections=4)
    harness.report_due(DUE)
    worker = fork_servers[0]
    worker.start(harness.job(point, 5, by=signal.SIGSTOP))
    wait_until(lambda: worker.is_frozen)
    ballast = fill(room)
    worker.resume()
    time.sleep(FULL_SECONDS)
    assert not worker.has_ended
    assert harness.count(*UNSENT) > 0  # it could not go on
    ballast.unlink()
    assert worker.wait() == 0
    harness.deliver_all(worker)
    # what was out when the disk was full has its answer recorded as soon as there is room: nothing is in doubt
    harness.assert_all_sent_once()
    harness.close()


def test_a_worker_killed_while_the_disk_is_full_leaves_in_doubt_what_was_out_and_no_more(
    room: Path, tmp_path: Path, server: SmtpTestServer, fork_servers: Sequence[WorkerForkServer]
) -> None:
    harness = CrashHarness(tmp_path, server, database_url=f"sqlite:///{room / 'reviewinvite.db'}", connections=4)
    harness.report_due(DUE)
    worker = fork_servers[0]
    worker.start(harness.job(CrashPoint.ANSWERED, 5, by=signal.SIGSTOP))
    wait_until(lambda: worker.is_frozen)
    ballast = fill(room)
    worker.resume()
    time.sleep(FULL_SECONDS)
    worker.kill()
    assert worker.wait() == -signal.SIGKILL
    ballast.unlink()
    harness.deliver_all(worker)
    assert 0 < harness.count(State.UNCERTAIN) <= harness.connections
    harness.resolve_uncertain()
    harness.deliver_all(worker)
    harness.assert_all_sent_once()
    harness.close()


def test_nothing_leaves_while_the_mark_cannot_be_written_and_all_does_afterwards(
    tmp_path: Path, server: SmtpTestServer, fork_servers: Sequence[WorkerForkServer]
) -> None:
    (tmp_path / "kept").mkdir()
    harness = CrashHarness(tmp_path, server, connections=4, mark=tmp_path / "kept" / "mark")
    harness.report_due(1)
    harness.deliver_all(fork_servers[0])
    assert harness.high_water_mark() == 1
    harness.report_due(12)
    with unwritable(harness.mark_path.parent):
        assert fork_servers[0].run(harness.job()) == MARK_UNWRITTEN
    assert len(harness.arrivals()) == 1
    waiting = [each for each in harness.invitations().values() if each.state is State.SCHEDULED]
    assert {each.reason for each in waiting} == {Reason.MARK_UNWRITTEN}
    assert len(waiting) == 12
    harness.deliver_all(fork_servers[0])
    harness.assert_all_sent_once()
    harness.close()

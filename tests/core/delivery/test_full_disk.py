"""A disk that is full, and a mark that cannot be written, in the midst of deliveries."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.core.delivery.doomed_worker import MARK_UNWRITTEN, Point
from tests.core.delivery.house import FREE, House, Nursery, wait_until
from tests.smtp_server import SmtpTestServer, smtp_server

from reviewinvite_core import Reason, State

DUE = 120
FULL_SECONDS = 1.5  # long enough for all hands to meet it


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SmtpTestServer]:
    with smtp_server(tmp_path / "log", keep=False) as started:
        yield started


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 megabytes: room enough for a log of the database that nobody can empty meanwhile."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a file system")
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let root mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Fill a file system to the last byte."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return ballast


@pytest.mark.parametrize("point", [Point.CLAIMED, Point.STAGED, Point.FENCED, Point.DOT, Point.ANSWERED])
def test_a_disk_that_is_full_for_a_while_loses_nothing_and_sends_nothing_twice(
    small_disk: Path, tmp_path: Path, server: SmtpTestServer, workers: Sequence[Nursery], point: Point
) -> None:
    house = House(tmp_path, server, database_url=f"sqlite:///{small_disk / 'reviewinvite.db'}", connections=4)
    house.report_due(DUE)
    worker = workers[0]
    worker.start(house.order(point, 5, by=signal.SIGSTOP))
    wait_until(lambda: worker.is_frozen)
    ballast = fill(small_disk)
    worker.resume()
    time.sleep(FULL_SECONDS)
    assert not worker.has_ended
    assert house.count(*FREE) > 0  # it could not go on
    ballast.unlink()
    assert worker.ended() == 0
    house.finish(worker)
    # what was out when the disk was full has its answer recorded as soon as there is room: nothing is in doubt
    assert house.every_invitation_arrived_once_and_is_sent()
    house.close()


def test_a_worker_killed_while_the_disk_is_full_leaves_in_doubt_what_was_out_and_no_more(
    small_disk: Path, tmp_path: Path, server: SmtpTestServer, workers: Sequence[Nursery]
) -> None:
    house = House(tmp_path, server, database_url=f"sqlite:///{small_disk / 'reviewinvite.db'}", connections=4)
    house.report_due(DUE)
    worker = workers[0]
    worker.start(house.order(Point.ANSWERED, 5, by=signal.SIGSTOP))
    wait_until(lambda: worker.is_frozen)
    ballast = fill(small_disk)
    worker.resume()
    time.sleep(FULL_SECONDS)
    worker.kill()
    assert worker.ended() == -signal.SIGKILL
    ballast.unlink()
    house.finish(worker)
    assert 0 < house.count(State.UNCERTAIN) <= house.connections
    house.settle_what_is_uncertain()
    house.finish(worker)
    assert house.every_invitation_arrived_once_and_is_sent()
    house.close()


@contextmanager
def unwritable(mark: Path) -> Iterator[None]:
    """Nobody may write the mark; for root, whom no permission stops, by a mount that forbids it."""
    if os.geteuid() != 0:
        mark.chmod(0o400)
        yield
        mark.chmod(0o600)
        return
    folder = str(mark.parent)
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let root mount a file system")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_nothing_leaves_while_the_mark_cannot_be_written_and_all_does_afterwards(
    tmp_path: Path, server: SmtpTestServer, workers: Sequence[Nursery]
) -> None:
    (tmp_path / "kept").mkdir()
    house = House(tmp_path, server, connections=4, mark=tmp_path / "kept" / "mark")
    house.report_due(1)
    house.finish(workers[0])
    assert house.mark() == 1
    house.report_due(12)
    with unwritable(house.mark_path):
        assert workers[0].run(house.order()) == MARK_UNWRITTEN
    assert len(house.arrivals()) == 1
    waiting = [each for each in house.invitations().values() if each.state is State.SCHEDULED]
    assert {each.reason for each in waiting} == {Reason.MARK_UNWRITTEN}
    assert len(waiting) == 12
    house.finish(workers[0])
    assert house.every_invitation_arrived_once_and_is_sent()
    house.close()

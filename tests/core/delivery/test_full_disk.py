"""A disk that is full, and a mark that cannot be written, in the midst of deliveries."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.core.delivery.doomed_worker import MARK_UNWRITTEN, Point
from tests.core.delivery.house import FREE, House, Nursery, wait_until
from tests.disks import fill, small_disk, unwritable
from tests.smtp_server import SmtpTestServer, smtp_server

from reviewinvite_core import Reason, State

DUE = 120
FULL_SECONDS = 1.5  # long enough for all hands to meet it


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SmtpTestServer]:
    with smtp_server(tmp_path / "log", keep=False) as started:
        yield started


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 megabytes: room enough for a log of the database that nobody can empty meanwhile."""
    with small_disk(tmp_path / "small") as folder:
        yield folder


@pytest.mark.parametrize("point", [Point.CLAIMED, Point.STAGED, Point.FENCED, Point.DOT, Point.ANSWERED])
def test_a_disk_that_is_full_for_a_while_loses_nothing_and_sends_nothing_twice(
    room: Path, tmp_path: Path, server: SmtpTestServer, workers: Sequence[Nursery], point: Point
) -> None:
    house = House(tmp_path, server, database_url=f"sqlite:///{room / 'reviewinvite.db'}", connections=4)
    house.report_due(DUE)
    worker = workers[0]
    worker.start(house.order(point, 5, by=signal.SIGSTOP))
    wait_until(lambda: worker.is_frozen)
    ballast = fill(room)
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
    room: Path, tmp_path: Path, server: SmtpTestServer, workers: Sequence[Nursery]
) -> None:
    house = House(tmp_path, server, database_url=f"sqlite:///{room / 'reviewinvite.db'}", connections=4)
    house.report_due(DUE)
    worker = workers[0]
    worker.start(house.order(Point.ANSWERED, 5, by=signal.SIGSTOP))
    wait_until(lambda: worker.is_frozen)
    ballast = fill(room)
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


def test_nothing_leaves_while_the_mark_cannot_be_written_and_all_does_afterwards(
    tmp_path: Path, server: SmtpTestServer, workers: Sequence[Nursery]
) -> None:
    (tmp_path / "kept").mkdir()
    house = House(tmp_path, server, connections=4, mark=tmp_path / "kept" / "mark")
    house.report_due(1)
    house.finish(workers[0])
    assert house.mark() == 1
    house.report_due(12)
    with unwritable(house.mark_path.parent):
        assert workers[0].run(house.order()) == MARK_UNWRITTEN
    assert len(house.arrivals()) == 1
    waiting = [each for each in house.invitations().values() if each.state is State.SCHEDULED]
    assert {each.reason for each in waiting} == {Reason.MARK_UNWRITTEN}
    assert len(waiting) == 12
    house.finish(workers[0])
    assert house.every_invitation_arrived_once_and_is_sent()
    house.close()

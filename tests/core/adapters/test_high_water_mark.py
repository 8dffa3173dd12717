"""The hand-over mark's file: durable, shared by processes, and never taken for less than it says (ADR-20)."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.waiting import wait_until

from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import HighWaterMark
from reviewinvite_core.ports import HighWaterMarkUnwritten
from reviewinvite_core.testing.builders import NOON, CountingEntropy

DAY = timedelta(days=1)


class CountedSyncs:
    """Syncs to disk, counts how often, and lets the first one begin only when it is allowed to."""

    def __init__(self) -> None:
        self.count = 0
        self.begun, self.allowed = threading.Event(), threading.Event()

    def __call__(self, file: int) -> None:
        self.count += 1
        self.begun.set()
        assert self.allowed.wait(60)
        os.fdatasync(file)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "reviewinvite.mark"


def mark_at(path: Path, seed: int = 0) -> HighWaterMarkFile:
    return HighWaterMarkFile(path, CountingEntropy(seed))


def test_it_is_made_with_a_name_for_the_host_and_for_its_owner_alone(path: Path) -> None:
    assert mark_at(path).read() is None
    made = mark_at(path).make()
    assert (made.number, made.horizon, len(made.host)) == (0, None, 32)
    assert mark_at(path).read() == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert path.stat().st_size < 512


def test_making_it_again_gives_the_one_that_is_there(path: Path) -> None:
    first = mark_at(path).make()
    mark_at(path).advance(3, NOON)
    assert mark_at(path, seed=1).make() == HighWaterMark(host=first.host, number=3, horizon=NOON)


def test_two_hosts_have_two_names(tmp_path: Path) -> None:
    assert mark_at(tmp_path / "one").make().host != mark_at(tmp_path / "two", seed=1).make().host


def test_it_only_ever_rises(path: Path) -> None:
    host = mark_at(path).make().host
    steps = ((5, NOON), (3, NOON + DAY), (9, NOON - DAY), (9, NOON + DAY))
    expected = ((5, NOON), (5, NOON + DAY), (9, NOON + DAY), (9, NOON + DAY))
    for (number, horizon), (highest, latest) in zip(steps, expected, strict=True):
        mark_at(path).advance(number, horizon)
        assert mark_at(path).read() == HighWaterMark(host=host, number=highest, horizon=latest)


def test_those_who_come_while_the_disk_is_busy_share_one_sync(path: Path) -> None:
    syncs = CountedSyncs()
    mark = HighWaterMarkFile(path, CountingEntropy(), sync=syncs)
    mark.make()
    first = threading.Thread(target=mark.advance, args=(1, NOON))
    first.start()
    assert syncs.begun.wait(60)
    others = [threading.Thread(target=mark.advance, args=(number, NOON)) for number in range(2, 22)]
    for thread in others:
        thread.start()
    wait_until(lambda: len(mark._asked) == len(others))  # nothing public tells how many wait
    syncs.allowed.set()
    for thread in (first, *others):
        thread.join()
    assert syncs.count == 2
    found = mark.read()
    assert found is not None
    assert found.number == 21


def test_what_another_process_wrote_is_synced_once_since_that_one_may_have_been_killed_before(path: Path) -> None:
    syncs = CountedSyncs()
    syncs.allowed.set()
    mark = HighWaterMarkFile(path, CountingEntropy(), sync=syncs)
    mark.make()
    mark.advance(3, NOON)
    assert syncs.count == 1
    HighWaterMarkFile(path, CountingEntropy(), sync=lambda _: None).advance(9, NOON)  # written, and never on disk
    mark.advance(4, NOON)
    assert syncs.count == 2
    mark.advance(5, NOON)
    assert syncs.count == 2


def test_while_one_process_writes_another_waits(path: Path) -> None:
    syncs = CountedSyncs()
    first = HighWaterMarkFile(path, CountingEntropy(), sync=syncs)
    first.make()
    writing = threading.Thread(target=first.advance, args=(5, NOON))
    writing.start()
    assert syncs.begun.wait(60)
    other = threading.Thread(target=mark_at(path).advance, args=(4, NOON))  # it would take 5 for durable
    other.start()
    other.join(0.3)
    assert other.is_alive()
    syncs.allowed.set()
    for thread in (writing, other):
        thread.join(60)
    found = first.read()
    assert found is not None
    assert found.number == 5


def test_what_is_half_written_is_read_again_when_the_other_process_has_written_it(path: Path) -> None:
    mark = mark_at(path)
    made = mark.make()
    line = path.read_bytes()
    found: list[HighWaterMark | None] = []
    with path.open("r+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(line[:60] + b"9")
        reading = threading.Thread(target=lambda: found.append(mark.read()))
        reading.start()
        reading.join(0.3)
        assert reading.is_alive()
        file.seek(0)
        file.write(line)
    reading.join(60)
    assert found == [made]


ADVANCE = """
import sys
from pathlib import Path
from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile
from reviewinvite_core.testing.builders import NOON, CountingEntropy
mark = HighWaterMarkFile(Path(sys.argv[1]), CountingEntropy())
for number in range(int(sys.argv[2]), 400, 2):
    mark.advance(number, NOON)
    found = mark.read()
    assert found.number >= number, found
"""


def test_processes_that_advance_it_at_once_leave_the_highest_number(path: Path, interpreter: str) -> None:
    mark_at(path).make()
    processes = [subprocess.Popen([interpreter, "-c", ADVANCE, str(path), str(first)]) for first in (1, 2)]
    assert [process.wait(300) for process in processes] == [0, 0]
    found = mark_at(path).read()
    assert found is not None
    assert found.number == 399


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[:0],
        lambda line: line[:-1],
        lambda line: line + b"\n",
        lambda line: line.replace(b"7 ", b"1 "),
        lambda line: b"\0" * len(line),
        lambda line: b"\xff" + line[1:],
    ],
)
def test_one_that_is_damaged_is_an_error_and_never_taken_for_none(path: Path, damage: Callable[[bytes], bytes]) -> None:
    mark = mark_at(path)
    mark.make()
    mark.advance(7, NOON)
    path.write_bytes(damage(path.read_bytes()))
    for use in (mark.read, mark.make):
        with pytest.raises(ConfigurationError, match=r"reviewinvite\.mark is damaged.*db reconcile"):
            use()
    with pytest.raises(HighWaterMarkUnwritten, match="it is damaged"):
        mark.advance(8, NOON)


def test_one_that_was_removed_cannot_be_advanced_and_is_not_made_by_that(path: Path) -> None:
    mark = mark_at(path)
    mark.make()
    path.unlink()
    with pytest.raises(HighWaterMarkUnwritten, match="no such file"):
        mark.advance(1, NOON)
    assert mark.read() is None


def test_a_sync_that_fails_is_told_to_all_who_waited_for_it_and_the_next_one_is_tried(path: Path) -> None:
    fails = [True]

    def sync(file: int) -> None:
        if fails:
            raise OSError(28, "No space left on device")

    mark = HighWaterMarkFile(path, CountingEntropy(), sync=sync)
    mark.make()
    with pytest.raises(HighWaterMarkUnwritten, match=f"{path} cannot be written: no space left on device"):
        mark.advance(5, NOON)
    found = mark.read()
    assert found is not None
    assert found.number == 0  # or another process would take 5 for durable, and not sync what is below it
    fails.clear()
    mark.advance(2, NOON)
    found = mark.read()
    assert found is not None
    assert found.number == 2


def test_a_place_where_it_cannot_be_is_an_error_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere/mark cannot be created: no such file"):
        mark_at(tmp_path / "nowhere" / "mark").make()
    with pytest.raises(ConfigurationError, match="cannot be read: is a directory"):
        mark_at(tmp_path).read()

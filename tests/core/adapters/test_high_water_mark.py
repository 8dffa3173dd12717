"""The hand-over mark's file: durable, shared by processes, and never taken for less than it says (ADR-20)."""

from __future__ import annotations

import fcntl
import itertools
import os
import stat
import subprocess
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.builders import a_hand_over
from tests.older_high_water_marks import write_first_edition
from tests.waiting import wait_until

from reviewinvite_core.adapters.high_water_mark.file import HighWaterMarkFile
from reviewinvite_core.adapters.high_water_mark.layout import CAPACITY
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import HandOver, HighWaterMark, RecordedHandOvers
from reviewinvite_core.ports import HighWaterMarkUnwritten
from reviewinvite_core.testing.builders import NOON, CountingEntropy

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
HOST = "5" * 32
FIRST_EDITION = Path(__file__).parents[2] / "data" / "first_edition"


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
    assert (made.number, made.forgotten, made.horizon, len(made.host)) == (0, 0, None, 32)
    assert mark_at(path).read() == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert path.stat().st_size == 131_072
    assert path.stat().st_blocks * 512 >= 131_072  # so that a full disk does not matter to it


def test_making_it_again_gives_the_one_that_is_there(path: Path) -> None:
    first = mark_at(path).make()
    mark_at(path).advance([a_hand_over(3)])
    assert mark_at(path, seed=1).make() == HighWaterMark(host=first.host, number=3)


def test_two_hosts_have_two_names(tmp_path: Path) -> None:
    assert mark_at(tmp_path / "one").make().host != mark_at(tmp_path / "two", seed=1).make().host


def test_it_only_ever_rises_and_names_what_comes_late_as_well(path: Path) -> None:
    host = mark_at(path).make().host
    let_out = [a_hand_over(5), a_hand_over(3, NOON + DAY, at=NOON), a_hand_over(9), a_hand_over(9, NOON - DAY)]
    for count, highest in enumerate((5, 5, 9, 9), start=1):
        mark_at(path).advance([let_out[count - 1]])
        mark = HighWaterMark(host=host, number=highest)
        assert mark_at(path).read() == mark
        assert mark_at(path).recall() == RecordedHandOvers(mark=mark, named=tuple(let_out[:count]))


def test_when_it_is_full_it_forgets_the_oldest_and_names_all_above_them(path: Path) -> None:
    mark = mark_at(path)
    mark.make()
    early = a_hand_over(1, NOON + 60 * DAY, at=NOON)
    fill(mark, [early, *(a_hand_over(number, NOON + number * SECOND) for number in range(2, CAPACITY + 1))])
    assert mark.recall().mark.forgotten == 0
    mark.advance([a_hand_over(CAPACITY + 1)])
    let_out = mark_at(path).recall()
    assert (let_out.mark.number, let_out.mark.forgotten) == (CAPACITY + 1, CAPACITY // 2 + 1)
    assert let_out.mark.horizon == NOON + let_out.mark.forgotten * SECOND
    assert {each.number for each in let_out.named} == {1, *range(let_out.mark.forgotten + 1, CAPACITY + 2)}
    assert early in let_out.named


def fill(mark: HighWaterMarkFile, hand_overs: Sequence[HandOver]) -> None:
    """Name them all, with one sync for many."""
    mark.advance(hand_overs)


def test_whichever_sectors_a_crash_leaves_unwritten_all_that_had_left_is_known(path: Path) -> None:
    """Between two syncs the header may reach the disk without what was written beside it, and the other way round."""
    synced = [b""]
    mark = HighWaterMarkFile(path, CountingEntropy(), sync=lambda _: synced.append(path.read_bytes()))
    mark.make()
    let_out = [a_hand_over(number, NOON + number * SECOND) for number in range(1, CAPACITY + 4)]
    fill(mark, let_out[: CAPACITY - 1])
    for number in range(CAPACITY, CAPACITY + 4):  # the area is full in between
        del synced[:-1]
        mark.advance([let_out[number - 1]])
        for before, after in itertools.pairwise(synced):
            for header, rest in itertools.product((before, after), repeat=2):
                path.write_bytes(header[:512] + rest[512:])
                require_known(mark_at(path).recall(), let_out[: number - 1])
        path.write_bytes(synced[-1])
    assert len(synced) == 2


def require_known(found: RecordedHandOvers, had_left: Sequence[HandOver]) -> None:
    """Require that each of them may have left, for every older copy that does not know it."""
    for each in had_left:
        since = found.since(each.number - 1)
        named = (each.shop_number, each.invite_id) in since.named
        assert named or (since.horizon is not None and each.scheduled_for <= since.horizon)


def test_one_of_the_first_edition_is_read_as_one_that_names_nothing(path: Path) -> None:
    write_first_edition(path, HOST, 7, NOON)
    assert mark_at(path).read() == HighWaterMark(host=HOST, number=7, forgotten=7, horizon=NOON)
    assert mark_at(path).recall().named == ()
    assert mark_at(path).make().host == HOST


@pytest.mark.parametrize("length", [511, 512, 513, 4096, 131_072])
def test_a_line_that_was_being_lengthened_still_counts_and_becomes_a_line_again(path: Path, length: int) -> None:
    write_first_edition(path, HOST, 7, NOON)
    with path.open("r+b") as file:
        file.truncate(length)
    assert mark_at(path).read() == HighWaterMark(host=HOST, number=7, forgotten=7, horizon=NOON)
    mark_at(path).advance([a_hand_over(8, NOON)])
    assert mark_at(path).recall().mark.number == 8
    assert path.stat().st_size == 112


def test_that_of_the_first_edition_in_the_kept_data_opens(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    path.write_bytes((FIRST_EDITION / "reviewinvite.mark").read_bytes())
    found = mark_at(path).read()
    assert found is not None
    assert found.number == found.forgotten > 0


def test_those_who_come_while_the_disk_is_busy_share_one_sync(path: Path) -> None:
    syncs = CountedSyncs()
    mark = HighWaterMarkFile(path, CountingEntropy(), sync=syncs)
    mark.make()
    first = threading.Thread(target=mark.advance, args=([a_hand_over(1)],))
    first.start()
    assert syncs.begun.wait(60)
    others = [threading.Thread(target=mark.advance, args=([a_hand_over(number)],)) for number in range(2, 22)]
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


def test_what_another_process_wrote_is_synced_too_since_that_one_may_have_been_killed_before(path: Path) -> None:
    syncs = CountedSyncs()
    syncs.allowed.set()
    mark = HighWaterMarkFile(path, CountingEntropy(), sync=syncs)
    mark.make()
    HighWaterMarkFile(path, CountingEntropy(), sync=lambda _: None).advance([a_hand_over(9)])  # written, never on disk
    mark.advance([a_hand_over(4)])
    assert syncs.count == 1


def test_while_one_process_writes_another_waits(path: Path) -> None:
    syncs = CountedSyncs()
    first = HighWaterMarkFile(path, CountingEntropy(), sync=syncs)
    first.make()
    writing = threading.Thread(target=first.advance, args=([a_hand_over(5)],))
    writing.start()
    assert syncs.begun.wait(60)
    other = threading.Thread(target=mark_at(path).advance, args=([a_hand_over(4)],))  # it would take 5 for durable
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
from reviewinvite_core.adapters.high_water_mark.file import HighWaterMarkFile
from tests.builders import a_hand_over
from reviewinvite_core.testing.builders import CountingEntropy
mark = HighWaterMarkFile(Path(sys.argv[1]), CountingEntropy())
for number in range(int(sys.argv[2]), 400, 2):
    mark.advance([a_hand_over(number)])
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
    assert {each.number for each in mark_at(path).recall().named} == set(range(1, 400))


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[:0],
        lambda line: line[:-1],
        lambda line: line + b"\n",
        lambda line: line.replace(b"7 ", b"1 "),
        lambda line: line[:511] + b"x" + line[512:],
        lambda line: line[:512],
        lambda line: line[:131_000],
        lambda line: b"\0" * len(line),
        lambda line: b"\xff" + line[1:],
    ],
)
def test_one_that_is_damaged_is_an_error_and_never_taken_for_none(path: Path, damage: Callable[[bytes], bytes]) -> None:
    mark = mark_at(path)
    mark.make()
    mark.advance([a_hand_over(7)])
    path.write_bytes(damage(path.read_bytes()))
    for use in (mark.read, mark.recall, mark.make):
        with pytest.raises(ConfigurationError, match=r"reviewinvite\.mark is damaged.*db reconcile"):
            use()
    with pytest.raises(HighWaterMarkUnwritten, match="it is damaged"):
        mark.advance([a_hand_over(8)])


@pytest.mark.parametrize("at", [512, 520, 540, 575])
def test_a_name_that_is_damaged_is_an_error(path: Path, at: int) -> None:
    mark = mark_at(path)
    mark.make()
    mark.advance([a_hand_over(7)])
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"reviewinvite\.mark is damaged.*db reconcile"):
        mark.recall()


def test_names_that_are_damaged_are_noticed_when_room_is_made(path: Path) -> None:
    mark = mark_at(path)
    mark.make()
    fill(mark, [a_hand_over(number) for number in range(1, CAPACITY + 1)])
    content = bytearray(path.read_bytes())
    content[512] ^= 1
    path.write_bytes(content)
    with pytest.raises(HighWaterMarkUnwritten, match="it is damaged"):
        mark.advance([a_hand_over(CAPACITY + 1)])


def test_one_that_was_removed_cannot_be_advanced_and_is_not_made_by_that(path: Path) -> None:
    mark = mark_at(path)
    mark.make()
    path.unlink()
    with pytest.raises(HighWaterMarkUnwritten, match="no such file"):
        mark.advance([a_hand_over(1)])
    assert mark.read() is None


def test_a_sync_that_fails_is_told_to_all_who_waited_for_it_and_the_next_one_is_tried(path: Path) -> None:
    fails = [True]

    def sync(file: int) -> None:
        if fails:
            raise OSError(28, "No space left on device")

    mark = HighWaterMarkFile(path, CountingEntropy(), sync=sync)
    mark.make()
    with pytest.raises(HighWaterMarkUnwritten, match=f"{path} cannot be written: no space left on device"):
        mark.advance([a_hand_over(5)])
    found = mark.read()
    assert found is not None
    assert found.number == 0  # or another process would take 5 for durable, and not sync what is below it
    fails.clear()
    mark.advance([a_hand_over(2)])
    found = mark.read()
    assert found is not None
    assert found.number == 2


def test_nobody_takes_a_write_that_was_broken_off_for_done(path: Path) -> None:
    allowed, syncs, raised = threading.Event(), itertools.count(1), []

    def sync(file: int) -> None:
        if next(syncs) == 2:
            raise MemoryError
        assert allowed.wait(60)
        os.fdatasync(file)

    mark = HighWaterMarkFile(path, CountingEntropy(), sync=sync)
    mark.make()

    def advance(number: int) -> None:
        try:
            mark.advance([a_hand_over(number)])
        except (MemoryError, HighWaterMarkUnwritten) as error:
            raised.append(type(error))

    threads = [threading.Thread(target=advance, args=(number,)) for number in range(1, 4)]
    threads[0].start()
    wait_until(mark._writing.locked)
    for thread in threads[1:]:
        thread.start()
    wait_until(lambda: len(mark._asked) == 2)
    allowed.set()
    for thread in threads:
        thread.join(60)
    assert sorted(raised, key=str) == [MemoryError, HighWaterMarkUnwritten]


def test_a_place_where_it_cannot_be_is_an_error_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere/mark cannot be created: no such file"):
        mark_at(tmp_path / "nowhere" / "mark").make()
    with pytest.raises(ConfigurationError, match="cannot be read: is a directory"):
        mark_at(tmp_path).read()

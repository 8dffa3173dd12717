"""The hand-over mark in the format of the last release, with the names beside it, and the way to and fro (ADR-71)."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.builders import a_hand_over
from tests.older_high_water_marks import write_first_edition

from reviewinvite_core.adapters.high_water_mark.file import HighWaterMarkFile
from reviewinvite_core.adapters.high_water_mark.layout import CAPACITY, FILE_BYTES, HEADER_BYTES
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import HandOver, HighWaterMark, RecordedHandOvers
from reviewinvite_core.ports import HighWaterMarkUnwritten
from reviewinvite_core.testing.builders import NOON, CountingEntropy

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
HOST = "5" * 32


class Crashed(Exception):
    """Raised where a process is killed."""


class Mark:
    """The files of a mark, and everything that was handed over under it; `sync` sees every sync."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "reviewinvite.mark"
        self.names = folder / "reviewinvite.mark.names"
        self.sent: list[HandOver] = []
        self.on_sync: Callable[[], None] = lambda: None
        self.file = HighWaterMarkFile(self.path, CountingEntropy(), sync=self._sync)

    def _sync(self, file: int) -> None:
        os.fdatasync(file)
        self.on_sync()

    def send(self, *hand_overs: HandOver) -> None:
        self.file.advance(hand_overs)
        self.sent += hand_overs

    def content(self) -> tuple[bytes, bytes | None]:
        return self.path.read_bytes(), self.names.read_bytes() if self.names.exists() else None

    def put(self, line: bytes, names: bytes | None) -> None:
        self.path.write_bytes(line)
        self.names.unlink(missing_ok=True) if names is None else self.names.write_bytes(names)

    def require_known(self) -> None:
        """Require that each of them may have left, for every older copy that does not know it, and that it pauses."""
        found = self.file.recall()
        read = self.file.read()
        assert read is not None
        for each in self.sent:
            assert read.number >= each.number
            since = found.since(each.number - 1)
            named = (each.shop_number, each.invite_id) in since.named
            assert named or (since.horizon is not None and each.scheduled_for <= since.horizon)

    def require_line(self) -> None:
        """Require what the last release reads: the highest number, and the latest schedule of everything."""
        horizon = max(each.scheduled_for for each in self.sent)
        assert self.path.read_bytes() == line(self.path, max(each.number for each in self.sent), horizon)


def line(beside: Path, number: int, horizon: datetime) -> bytes:
    path = beside.with_name("expected")
    write_first_edition(path, HOST, number, horizon)
    return path.read_bytes()


@pytest.fixture
def mark(tmp_path: Path) -> Mark:
    """Return one that the last release made and nothing was handed over under."""
    made = Mark(tmp_path)
    write_first_edition(made.path, HOST, 0, datetime(1970, 1, 1, tzinfo=NOON.tzinfo))
    return made


def test_until_the_upgrade_is_finished_the_last_release_can_read_it_and_all_names_are_known(mark: Mark) -> None:
    mark.path.chmod(0o640)
    late = a_hand_over(3, NOON + 60 * DAY, at=NOON)
    for some in ([a_hand_over(1), a_hand_over(2)], [late], [a_hand_over(4)]):
        mark.send(*some)
        mark.require_line()
        assert mark.file.recall() == RecordedHandOvers(
            mark=HighWaterMark(host=HOST, number=len(mark.sent)), named=tuple(mark.sent)
        )
    assert mark.file.is_of_last_release()
    assert mark.names.stat().st_mode == mark.path.stat().st_mode  # whoever may use the one may use the other
    assert mark.names.stat().st_size == FILE_BYTES


def test_what_the_last_release_had_sent_is_forgotten_and_its_horizon_kept(mark: Mark) -> None:
    write_first_edition(mark.path, HOST, 7, NOON + DAY)
    mark.send(a_hand_over(8))
    known = HighWaterMark(host=HOST, number=8, forgotten=7, horizon=NOON + DAY)
    assert mark.file.recall() == RecordedHandOvers(mark=known, named=(a_hand_over(8),))


def test_the_names_and_the_line_are_both_synced_before_anything_leaves(mark: Mark) -> None:
    synced: list[tuple[bytes, bytes | None]] = []
    mark.send(a_hand_over(1))
    mark.on_sync = lambda: synced.append(mark.content())
    mark.send(a_hand_over(2), a_hand_over(3))  # together they share the syncs
    assert len(synced) == 2
    assert synced[-1] == mark.content()


def test_whichever_sectors_a_crash_leaves_unwritten_all_that_had_left_is_known(mark: Mark) -> None:
    let_out = [a_hand_over(number, NOON + number * SECOND) for number in range(1, CAPACITY + 2)]
    mark.send(*let_out[:100])
    for first in range(100, CAPACITY, 100):
        mark.send(*let_out[first : min(first + 100, CAPACITY - 1)])
    for number in range(CAPACITY, CAPACITY + 2):  # the area of the names is full in between
        contents = [mark.content()]
        mark.on_sync = lambda contents=contents: contents.append(mark.content())  # type: ignore[misc]
        mark.file.advance([let_out[number - 1]])
        mark.on_sync = lambda: None
        for before, after in itertools.pairwise(contents):
            for mixed in mixtures(before, after):
                mark.put(*mixed)
                mark.require_known()
        mark.put(*contents[-1])
        mark.sent.append(let_out[number - 1])
        mark.require_line()


def mixtures(
    before: tuple[bytes, bytes | None], after: tuple[bytes, bytes | None]
) -> Sequence[tuple[bytes, bytes | None]]:
    """Return what may be on disk between two syncs: of each sector either the earlier or the later content."""
    if before[1] is None or after[1] is None:
        return [before, after]
    parts = [(before[1][:HEADER_BYTES], after[1][:HEADER_BYTES]), (before[1][HEADER_BYTES:], after[1][HEADER_BYTES:])]
    return [(each, b"".join(names)) for each in (before[0], after[0]) for names in itertools.product(*parts)]


def test_what_the_last_release_sends_in_between_is_never_overlooked(mark: Mark) -> None:
    mark.send(a_hand_over(1), a_hand_over(2, NOON + 2 * DAY))
    meanwhile = [a_hand_over(3, NOON + 9 * DAY), a_hand_over(4)]
    write_first_edition(mark.path, HOST, 4, NOON + 9 * DAY)  # it went back, and sent these
    mark.sent += meanwhile
    mark.require_known()
    mark.send(a_hand_over(5))
    mark.require_known()
    mark.require_line()
    mark.file.finish_upgrade()
    mark.require_known()


def test_names_of_another_mark_are_not_taken_for_its_own(mark: Mark, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Mark(tmp_path / "other")
    write_first_edition(other.path, "6" * 32, 5, NOON)
    other.send(a_hand_over(6))
    mark.put(line(mark.path, 5, NOON), other.names.read_bytes())
    assert mark.file.recall().named == ()
    mark.send(a_hand_over(6))
    assert mark.file.recall().mark == HighWaterMark(host=HOST, number=6, forgotten=5, horizon=NOON)


def test_without_its_names_it_still_covers_all_that_left(mark: Mark) -> None:
    mark.send(a_hand_over(1), a_hand_over(2, NOON + 2 * DAY))
    mark.names.unlink()
    mark.require_known()
    mark.send(a_hand_over(3))
    mark.require_known()


@pytest.mark.parametrize("damage", [lambda names: names[:300], lambda names: names[:520] + b"x" + names[521:]])
def test_names_that_are_damaged_are_an_error_that_says_which_file_to_remove(
    mark: Mark, damage: Callable[[bytes], bytes]
) -> None:
    mark.send(a_hand_over(1))
    mark.names.write_bytes(damage(mark.names.read_bytes()))
    with pytest.raises(ConfigurationError, match=r"mark\.names, are damaged: remove this file, and leave the mark"):
        mark.file.recall()
    if len(mark.names.read_bytes()) < HEADER_BYTES:
        with pytest.raises(HighWaterMarkUnwritten, match=r"mark\.names is damaged"):
            mark.file.advance([a_hand_over(2)])
    mark.names.unlink()
    mark.require_known()


def test_finishing_takes_the_names_into_the_mark_and_preparing_gives_them_back(mark: Mark) -> None:
    mark.send(a_hand_over(1), a_hand_over(2, NOON + 60 * DAY, at=NOON), a_hand_over(3))
    recorded = mark.file.recall()
    assert mark.file.finish_upgrade()
    assert not mark.names.exists()
    assert not mark.file.is_of_last_release()
    assert mark.file.recall() == recorded
    assert not mark.file.finish_upgrade()
    mark.send(a_hand_over(4))
    assert not mark.names.exists()
    recorded = mark.file.recall()
    assert mark.file.prepare_rollback()
    mark.require_line()
    assert mark.file.recall() == recorded
    assert not mark.file.prepare_rollback()
    mark.send(a_hand_over(5))
    mark.require_line()


def test_a_new_one_can_be_prepared_for_the_last_release_even_after_it_forgot_some(tmp_path: Path) -> None:
    mark = Mark(tmp_path)
    host = mark.file.make().host
    for first in range(1, CAPACITY + 200, 100):
        mark.send(*(a_hand_over(number, NOON + number * SECOND) for number in range(first, first + 100)))
    assert mark.file.recall().mark.forgotten
    mark.file.prepare_rollback()
    latest = mark.sent[-1]
    write_first_edition(tmp_path / "expected", host, latest.number, latest.scheduled_for)
    assert mark.path.read_bytes() == (tmp_path / "expected").read_bytes()
    mark.require_known()


@pytest.mark.parametrize("at", [1, 2])  # each has two syncs
@pytest.mark.parametrize("change", ["finish_upgrade", "prepare_rollback"])
def test_a_change_of_format_that_is_interrupted_loses_nothing_and_can_be_repeated(
    mark: Mark, change: str, at: int
) -> None:
    mark.send(a_hand_over(1), a_hand_over(2, NOON + DAY))
    if change == "prepare_rollback":
        mark.file.finish_upgrade()
    syncs = itertools.count(1)

    def crash() -> None:
        if next(syncs) == at:
            raise Crashed

    mark.on_sync = crash
    with pytest.raises(Crashed):
        getattr(mark.file, change)()
    mark.on_sync = lambda: None
    mark.require_known()
    mark.send(a_hand_over(3))
    mark.require_known()
    getattr(mark.file, change)()
    mark.require_known()
    assert mark.names.exists() is (change == "prepare_rollback")
    if change == "prepare_rollback":
        mark.require_line()


def test_one_that_is_missing_or_damaged_is_changed_by_neither(mark: Mark) -> None:
    mark.path.write_bytes(b"reviewinvite-mark")
    for change in (mark.file.finish_upgrade, mark.file.prepare_rollback):
        with pytest.raises(ConfigurationError, match="is damaged"):
            change()
    mark.path.unlink()
    for change in (mark.file.finish_upgrade, mark.file.prepare_rollback):
        with pytest.raises(FileNotFoundError):
            change()
    assert not list(mark.path.parent.iterdir())

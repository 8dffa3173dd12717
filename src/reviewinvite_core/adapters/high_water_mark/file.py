"""The high-water mark as a small file, shared by the processes of this host. ADR-20, ADR-42, ADR-71."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs

from reviewinvite_core.adapters.files import create_exclusively, fsync_path, os_error_text, write_new
from reviewinvite_core.adapters.high_water_mark.layout import (
    CAPACITY,
    HEADER_BYTES,
    LINE_BYTES,
    SLOT_BYTES,
    Header,
    hand_overs_from,
    header_beside,
    header_bytes,
    header_from,
    line_bytes,
    new_file,
    offset_of,
    slots_bytes,
)
from reviewinvite_core.domain.errors import ConfigurationError, HighWaterMarkUnreadable
from reviewinvite_core.domain.handovers import HandOver, HighWaterMark, RecordedHandOvers
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.ports import Entropy, HighWaterMarkUnwritten

MOST_AT_ONCE = CAPACITY // 8  # as much as is free when the file has been compacted


class HighWaterMarkFile:
    """Stores the mark in a file. Implements `ports.HighWaterMarkStore`.

    It is overwritten in place, so that a full disk does no harm.

    Each delivery is named in the next free slot, and the header is updated; one sync makes both durable, and only then
    may the end of the message be sent. A crash between the two writes needs no repair: a delivery that is missing from
    the file was not sent. If no slot is free, the names to keep are copied to the other area and synced before the
    header refers to them (`RecordedHandOvers.compacted`).

    A mark that the last release made stays one that it can read, until `finish_upgrade`: the slots are then in a second
    file, which is written and synced before the line. Every access to that file is under the lock of the first.
    """

    def __init__(self, path: Path, entropy: Entropy, *, sync: Callable[[int], None] = os.fdatasync) -> None:
        self._path = path
        self._names = path.with_name(f"{path.name}.names")
        self._entropy = entropy
        self._sync = sync
        self._asking = threading.Lock()
        self._asked: list[_Wish] = []
        self._writing = threading.Lock()

    def read(self) -> HighWaterMark | None:
        try:
            with self._opened(os.O_RDONLY) as file:
                header = _read_header(file)
                if header is None:  # another process may be writing it right now
                    fcntl.flock(file, fcntl.LOCK_SH)
                    header = _read_header(file)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error) from error
        if header is None:
            raise self._damaged()
        return header.mark

    def recall(self) -> RecordedHandOvers:
        try:
            with self._opened(os.O_RDONLY) as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                return self._recall(file)
        except OSError as error:
            raise self._unreadable(error) from error

    def _recall(self, file: int) -> RecordedHandOvers:
        """Return what an open and locked file says, with the names beside a line."""
        header = _read_header(file)
        if header is None:
            raise self._damaged()
        if header.area is not None:
            return self._recorded(file, header, self._path)
        try:
            with self._opened(os.O_RDONLY, self._names) as names:
                beside = _read_header(names)
                if beside is None:
                    raise self._damaged(self._names)
                return self._recorded(names, header_beside(header.mark, beside), self._names)
        except FileNotFoundError:  # the last release has not been upgraded from, or the file was left behind
            return RecordedHandOvers(mark=header.mark)

    def _recorded(self, file: int, header: Header, path: Path) -> RecordedHandOvers:
        named = _read_names(file, header)
        if named is None:
            raise self._damaged(path)
        return RecordedHandOvers(mark=header.mark, named=tuple(named))

    def _unreadable(self, error: OSError) -> HighWaterMarkUnreadable:
        return HighWaterMarkUnreadable(f"the hand-over mark {self._path} cannot be read: {os_error_text(error)}")

    def _damaged(self, path: Path | None = None) -> HighWaterMarkUnreadable:
        if path == self._names:
            return HighWaterMarkUnreadable(
                f"the names beside the hand-over mark, {path}, are damaged: remove this file, and leave the mark itself"
            )
        return HighWaterMarkUnreadable(
            f"the hand-over mark {self._path} is damaged, so it cannot be told what was sent: remove it, and run "
            "`reviewinvite db reconcile`"
        )

    def is_of_last_release(self) -> bool:
        """Return whether the last release can read the mark; False if there is none.

        Raises: `ConfigurationError`.
        """
        mark = self.read()
        return mark is not None and self._path.stat().st_size == LINE_BYTES

    def finish_upgrade(self) -> bool:
        """Take the names into the mark's own file, which the last release cannot read; False if that was done before.

        It is safe while deliveries run, and to repeat after a crash.

        Raises: `FileNotFoundError` if there is no mark; `ConfigurationError`, `OSError`.
        """
        with self._opened(os.O_RDWR) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            recorded = self._recall(file)
            header = _read_header(file)
            is_line = header is not None and header.area is None
            if is_line:
                content = new_file(recorded.mark, recorded.named)
                _write_at(file, HEADER_BYTES, content[HEADER_BYTES:])  # a line and zeros still counts as the line
                self._sync(file)
                _write_at(file, 0, content[:HEADER_BYTES])
                self._sync(file)
            self._names.unlink(missing_ok=True)
            fsync_path(self._names.parent)
        return is_line

    def prepare_rollback(self) -> bool:
        """Make the mark a line that the last release can read, with the names beside; False if that was done before.

        Raises: `FileNotFoundError` if there is no mark; `ConfigurationError`, `OSError`.
        """
        with self._opened(os.O_RDWR) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            recorded = self._recall(file)
            is_new = os.fstat(file).st_size != LINE_BYTES
            if is_new:
                self._place_names(file, new_file(recorded.mark, recorded.named))
                horizon = max([recorded.mark.horizon or EPOCH, *(each.scheduled_for for each in recorded.named)])
                line = line_bytes(attrs.evolve(recorded.mark, horizon=horizon))
                _write_at(file, 0, line.ljust(HEADER_BYTES, b"\0"))
                self._sync(file)
                os.ftruncate(file, LINE_BYTES)
                self._sync(file)
        return is_new

    def make(self) -> HighWaterMark:
        """Create the mark; if several processes create it at once, all of them get the first one."""
        new = HighWaterMark(host=self._entropy.draw(16).hex(), number=0)
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}-{new.host[:8]}")
        try:
            create_exclusively(self._path, new_file(new), draft=draft)
        except OSError as error:
            message = f"the hand-over mark {self._path} cannot be created: {os_error_text(error)}"
            raise ConfigurationError(message) from error
        high_water_mark = self.read()
        if high_water_mark is None:
            message = f"the hand-over mark {self._path} was removed right after it was created"
            raise ConfigurationError(message)
        return high_water_mark

    def advance(self, hand_overs: Sequence[HandOver]) -> None:
        """Advance the mark; calls that arrive while the disk is busy share the next write."""
        mine = _Wish(hand_overs)
        with self._asking:
            self._asked.append(mine)
        with self._writing:
            if not mine.done:
                with self._asking:
                    wishes, self._asked = self._asked, []
                self._fulfil(wishes)
        if mine.fault:
            message = f"the hand-over mark {self._path} cannot be written: {mine.fault}"
            raise HighWaterMarkUnwritten(message)

    def _fulfil(self, wishes: list[_Wish]) -> None:
        fault = ""
        hand_overs = [each for wish in wishes for each in wish.hand_overs]
        try:
            for first in range(0, len(hand_overs), MOST_AT_ONCE):
                self._write(hand_overs[first : first + MOST_AT_ONCE])
        except (OSError, HighWaterMarkUnwritten) as error:
            fault = os_error_text(error) if isinstance(error, OSError) else str(error)
        for wish in wishes:
            wish.done, wish.fault = True, fault

    def _write(self, hand_overs: Sequence[HandOver]) -> None:
        with self._opened(os.O_RDWR) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            before = _read_header(file)
            if before is None:
                raise HighWaterMarkUnwritten("it is damaged")
            if before.area is not None:
                self._append(file, before, hand_overs)
                return
            with self._names_opened(file, before.mark) as (names, beside):
                self._append(names, beside, hand_overs)
            self._write_line(file, before.mark, hand_overs)

    def _append(self, file: int, before: Header, hand_overs: Sequence[HandOver]) -> None:
        """Name the hand-overs in a file whose header says `before`, and sync it."""
        stored = os.pread(file, HEADER_BYTES, 0)
        if before.free < len(hand_overs):
            before = self._make_room(file, before)
        area = before.area or 0
        number = max(before.mark.number, *(each.number for each in hand_overs))
        after = Header(mark=attrs.evolve(before.mark, number=number), area=area, used=before.used + len(hand_overs))
        _write_at(file, offset_of(area, before.used), slots_bytes(hand_overs))
        self._write_first(file, stored, header_bytes(after))

    def _write_line(self, file: int, before: HighWaterMark, hand_overs: Sequence[HandOver]) -> None:
        """Write and sync the line of the last release; its horizon covers all that was ever handed over."""
        number = max(before.number, *(each.number for each in hand_overs))
        horizon = max(before.horizon or EPOCH, *(each.scheduled_for for each in hand_overs))
        if os.fstat(file).st_size != LINE_BYTES:  # finishing an upgrade was interrupted
            os.ftruncate(file, LINE_BYTES)
        self._write_first(file, line_bytes(before), line_bytes(attrs.evolve(before, number=number, horizon=horizon)))

    def _write_first(self, file: int, stored: bytes, content: bytes) -> None:
        try:
            _write_at(file, 0, content)
            self._sync(file)
        except BaseException:
            with suppress(OSError):  # nobody may take for durable what is not synced
                os.pwrite(file, stored, 0)
            raise

    def _make_room(self, file: int, before: Header) -> Header:
        """Return a header with free slots, not yet written; its slots are durable, and the old header's are kept."""
        named = _read_names(file, before)
        if named is None:
            raise HighWaterMarkUnwritten("it is damaged")
        compacted = RecordedHandOvers(mark=before.mark, named=tuple(named)).compacted(CAPACITY)
        area = 1 - (before.area or 0)
        _write_at(file, offset_of(area, 0), slots_bytes(compacted.named))
        self._sync(file)
        return Header(mark=compacted.mark, area=area, used=len(compacted.named))

    @contextmanager
    def _names_opened(self, file: int, line: HighWaterMark) -> Iterator[tuple[int, Header]]:
        """Open the names beside the line of an open file, and yield them with what is known; create missing ones."""
        if not self._names.exists():
            self._place_names(file, new_file(line))
        with self._opened(os.O_RDWR, self._names) as names:
            header = _read_header(names)
            if header is None or header.area is None:
                raise HighWaterMarkUnwritten(f"{self._names} is damaged, and has to be removed")
            yield names, header_beside(line, header)

    def _place_names(self, file: int, content: bytes) -> None:
        """Replace the names beside an open and locked file; whoever may use that may use them, too."""
        draft = self._names.with_name(f"{self._names.name}.draft")
        draft.unlink(missing_ok=True)
        write_new(draft, content, like=os.fstat(file))
        draft.replace(self._names)
        fsync_path(self._names.parent)

    @contextmanager
    def _opened(self, flags: int, path: Path | None = None) -> Iterator[int]:
        """Open the file under its path each time, so that it is never one that has been removed or replaced."""
        file = os.open(path or self._path, flags | os.O_CLOEXEC)
        try:
            yield file
        finally:
            os.close(file)


@attrs.define
class _Wish:
    hand_overs: Sequence[HandOver]
    done: bool = False
    fault: str = "another thread's write of it was broken off"  # until it is known to be on disk


def _read_header(file: int) -> Header | None:
    return header_from(os.pread(file, HEADER_BYTES, 0), os.fstat(file).st_size)


def _read_names(file: int, header: Header) -> Sequence[HandOver] | None:
    """Return the deliveries that an open file names, or None if a slot is damaged."""
    if header.area is None:
        return None
    return hand_overs_from(os.pread(file, header.used * SLOT_BYTES, offset_of(header.area, 0)))


def _write_at(file: int, offset: int, content: bytes) -> None:
    if os.pwrite(file, content, offset) != len(content):
        raise HighWaterMarkUnwritten("it could only be written in part")

"""The high-water mark as a small file, shared by the processes of this host. ADR-20, ADR-42."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs

from reviewinvite_core.adapters.files import create_exclusively, os_error_text
from reviewinvite_core.adapters.high_water_mark.layout import (
    CAPACITY,
    FILE_BYTES,
    HEADER_BYTES,
    SLOT_BYTES,
    Header,
    hand_overs_from,
    header_bytes,
    header_from,
    new_file,
    offset_of,
    slots_bytes,
)
from reviewinvite_core.domain.errors import ConfigurationError, HighWaterMarkUnreadable
from reviewinvite_core.domain.handovers import HandOver, HighWaterMark, RecordedHandOvers
from reviewinvite_core.ports import Entropy, HighWaterMarkUnwritten

MOST_AT_ONCE = CAPACITY // 8  # as much as is free when the file has been compacted


class HighWaterMarkFile:
    """Stores the mark in a file. Implements `ports.HighWaterMarkStore`.

    It is overwritten in place, so that a full disk does no harm.

    Each delivery is named in the next free slot, and the header is updated; one sync makes both durable, and only then
    may the end of the message be sent. A crash between the two writes needs no repair: a delivery that is missing from
    the file was not sent. If no slot is free, the names to keep are copied to the other area and synced before the
    header refers to them (`RecordedHandOvers.compacted`).
    """

    def __init__(self, path: Path, entropy: Entropy, *, sync: Callable[[int], None] = os.fdatasync) -> None:
        self._path = path
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
                header = _read_header(file)
                named = _read_names(file, header) if header else None
        except OSError as error:
            raise self._unreadable(error) from error
        if header is None or named is None:
            raise self._damaged()
        return RecordedHandOvers(mark=header.mark, named=tuple(named))

    def _unreadable(self, error: OSError) -> HighWaterMarkUnreadable:
        return HighWaterMarkUnreadable(f"the hand-over mark {self._path} cannot be read: {os_error_text(error)}")

    def _damaged(self) -> HighWaterMarkUnreadable:
        return HighWaterMarkUnreadable(
            f"the hand-over mark {self._path} is damaged, so it cannot be told what was sent: remove it, and run "
            "`reviewinvite db reconcile`"
        )

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
            stored = os.pread(file, HEADER_BYTES, 0)
            before = header_from(stored, os.fstat(file).st_size)
            if before is None:
                raise HighWaterMarkUnwritten("it is damaged")
            if before.free < len(hand_overs):
                before = self._make_room(file, before)
            area = before.area or 0
            number = max(before.mark.number, *(each.number for each in hand_overs))
            after = Header(mark=attrs.evolve(before.mark, number=number), area=area, used=before.used + len(hand_overs))
            _write_at(file, offset_of(area, before.used), slots_bytes(hand_overs))
            try:
                _write_at(file, 0, header_bytes(after))
                self._sync(file)
            except BaseException:
                with suppress(OSError):  # nobody may take an unsynced header for durable
                    os.pwrite(file, stored, 0)
                raise

    def _make_room(self, file: int, before: Header) -> Header:
        """Return a header with free slots, not yet written; its slots are durable, and the old header's are kept."""
        if before.area is None:  # of the first edition: extended first; its header follows with the names
            _write_at(file, HEADER_BYTES, bytes(FILE_BYTES - HEADER_BYTES))
            self._sync(file)
            return attrs.evolve(before, area=0)
        named = _read_names(file, before)
        if named is None:
            raise HighWaterMarkUnwritten("it is damaged")
        compacted = RecordedHandOvers(mark=before.mark, named=tuple(named)).compacted(CAPACITY)
        area = 1 - before.area
        _write_at(file, offset_of(area, 0), slots_bytes(compacted.named))
        self._sync(file)
        return Header(mark=compacted.mark, area=area, used=len(compacted.named))

    @contextmanager
    def _opened(self, flags: int) -> Iterator[int]:
        """Open the file under its path each time, so that it is never one that has been removed or replaced."""
        file = os.open(self._path, flags | os.O_CLOEXEC)
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
        return ()
    return hand_overs_from(os.pread(file, header.used * SLOT_BYTES, offset_of(header.area, 0)))


def _write_at(file: int, offset: int, content: bytes) -> None:
    if os.pwrite(file, content, offset) != len(content):
        raise HighWaterMarkUnwritten("it could only be written in part")

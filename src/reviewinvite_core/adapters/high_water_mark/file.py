"""The hand-over mark as a small file, shared by the processes of this host. ADR-20, ADR-42."""

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
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import HandOver, HighWaterMark, LetOut
from reviewinvite_core.ports import Entropy, HighWaterMarkUnwritten

MOST_AT_ONCE = CAPACITY // 8  # as much as is free when the file has been compacted


class HighWaterMarkFile:
    """Implements `ports.HighWaterMarkStore`. It is written over in place, so that a full disk does not matter.

    A hand-over's name goes into the next free slot, and the header is raised; one sync takes both to the disk, and only
    then may the message's end be sent. Of a crash between the two writes nothing has to be mended: what the file then
    lacks has not left. If no slot is free, the names that are kept are copied to the other area and synced, before the
    header says that they are there (`LetOut.compacted`).
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
                if header is None:  # another process may be writing it at this moment
                    fcntl.flock(file, fcntl.LOCK_SH)
                    header = _read_header(file)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error) from error
        if header is None:
            raise self._damaged()
        return header.mark

    def recall(self) -> LetOut:
        try:
            with self._opened(os.O_RDONLY) as file:
                fcntl.flock(file, fcntl.LOCK_SH)
                header = _read_header(file)
                named = _read_names(file, header) if header else None
        except OSError as error:
            raise self._unreadable(error) from error
        if header is None or named is None:
            raise self._damaged()
        return LetOut(mark=header.mark, named=tuple(named))

    def _unreadable(self, error: OSError) -> ConfigurationError:
        return ConfigurationError(f"the hand-over mark {self._path} cannot be read: {os_error_text(error)}")

    def _damaged(self) -> ConfigurationError:
        return ConfigurationError(
            f"the hand-over mark {self._path} is damaged, so it cannot be told what was sent: remove it, and run "
            "`reviewinvite db reconcile`"
        )

    def make(self) -> HighWaterMark:
        """When several processes make it at once, all get the one that was first."""
        new = HighWaterMark(host=self._entropy.draw(16).hex(), number=0)
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}-{new.host[:8]}")
        try:
            create_exclusively(self._path, new_file(new), draft=draft)
        except OSError as error:
            message = f"the hand-over mark {self._path} cannot be made: {os_error_text(error)}"
            raise ConfigurationError(message) from error
        high_water_mark = self.read()
        if high_water_mark is None:
            message = f"the hand-over mark {self._path} has gone again"
            raise ConfigurationError(message)
        return high_water_mark

    def advance(self, hand_over: HandOver) -> None:
        """Who comes while the disk is busy is taken along by the next write, all in one."""
        mine = _Wish(hand_over)
        with self._asking:
            self._asked.append(mine)
        with self._writing:
            if not mine.done:
                with self._asking:
                    wishes, self._asked = self._asked, []
                for first in range(0, len(wishes), MOST_AT_ONCE):
                    self._fulfil(wishes[first : first + MOST_AT_ONCE])
        if mine.fault:
            message = f"the hand-over mark {self._path} cannot be written: {mine.fault}"
            raise HighWaterMarkUnwritten(message)

    def _fulfil(self, wishes: list[_Wish]) -> None:
        fault = ""
        try:
            self._write([wish.hand_over for wish in wishes])
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
                with suppress(OSError):  # nobody may take for durable what is not
                    os.pwrite(file, stored, 0)
                raise

    def _make_room(self, file: int, before: Header) -> Header:
        """Give a header with free slots, not yet written. What it says is on disk, and what the old one says stays."""
        if before.area is None:  # of the first edition: it gets its full length first, and its header with the names
            _write_at(file, HEADER_BYTES, bytes(FILE_BYTES - HEADER_BYTES))
            self._sync(file)
            return attrs.evolve(before, area=0)
        named = _read_names(file, before)
        if named is None:
            raise HighWaterMarkUnwritten("it is damaged")
        compacted = LetOut(mark=before.mark, named=tuple(named)).compacted(CAPACITY)
        area = 1 - before.area
        _write_at(file, offset_of(area, 0), slots_bytes(compacted.named))
        self._sync(file)
        return Header(mark=compacted.mark, area=area, used=len(compacted.named))

    @contextmanager
    def _opened(self, flags: int) -> Iterator[int]:
        """The file that is there now; what is opened now is never one that was removed, or taken away with a lock."""
        file = os.open(self._path, flags | os.O_CLOEXEC)
        try:
            yield file
        finally:
            os.close(file)


@attrs.define
class _Wish:
    hand_over: HandOver
    done: bool = False
    fault: str = ""


def _read_header(file: int) -> Header | None:
    return header_from(os.pread(file, HEADER_BYTES, 0), os.fstat(file).st_size)


def _read_names(file: int, header: Header) -> Sequence[HandOver] | None:
    """The hand-overs that an open file names, or None if one is damaged."""
    if header.area is None:
        return ()
    return hand_overs_from(os.pread(file, header.used * SLOT_BYTES, offset_of(header.area, 0)))


def _write_at(file: int, offset: int, content: bytes) -> None:
    if os.pwrite(file, content, offset) != len(content):
        raise HighWaterMarkUnwritten("it could only be written in part")

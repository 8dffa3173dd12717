"""The high-water mark as a file of one short line, shared by the processes of this host. ADR-20."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import attrs

from reviewinvite_core.adapters.files import create_exclusively, os_error_text
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import HighWaterMark
from reviewinvite_core.domain.timing import EPOCH, from_microseconds, to_microseconds
from reviewinvite_core.ports import Entropy, HighWaterMarkUnwritten

_LINE = re.compile(rb"reviewinvite-mark 1 ([0-9a-f]{32}) ([0-9]{20}) ([0-9]{20}) ([0-9a-f]{16})\n")
_MORE_THAN_A_LINE = 512  # bytes; a line fits in a disk sector, so that it is written whole or not at all


class HighWaterMarkFile:
    """Stores the mark in a file. Implements `ports.HighWaterMarkStore`.

    The line is overwritten in place, so that a full disk does no harm.
    """

    def __init__(self, path: Path, entropy: Entropy, *, sync: Callable[[int], None] = os.fdatasync) -> None:
        self._path = path
        self._entropy = entropy
        self._sync = sync
        self._asking = threading.Lock()
        self._asked: list[_Wish] = []
        self._writing = threading.Lock()
        self._synced: HighWaterMark | None = None  # what this process has synced; another's line may not be on disk yet

    def read(self) -> HighWaterMark | None:
        try:
            with self._opened(os.O_RDONLY) as file:
                high_water_mark = _read_line(file)
                if high_water_mark is None:  # another process may be writing it right now
                    fcntl.flock(file, fcntl.LOCK_SH)
                    high_water_mark = _read_line(file)
        except FileNotFoundError:
            return None
        except OSError as error:
            message = f"the hand-over mark {self._path} cannot be read: {os_error_text(error)}"
            raise ConfigurationError(message) from error
        if high_water_mark is None:
            message = (
                f"the hand-over mark {self._path} is damaged, so it cannot be told what was sent: remove it, and run "
                "`reviewinvite db reconcile`"
            )
            raise ConfigurationError(message)
        return high_water_mark

    def make(self) -> HighWaterMark:
        """Create the mark; if several processes do so at once, all get the first one."""
        new = HighWaterMark(host=self._entropy.draw(16).hex(), number=0)
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}-{new.host[:8]}")
        try:
            create_exclusively(self._path, _line(new), draft=draft)
        except OSError as error:
            message = f"the hand-over mark {self._path} cannot be created: {os_error_text(error)}"
            raise ConfigurationError(message) from error
        high_water_mark = self.read()
        if high_water_mark is None:
            message = f"the hand-over mark {self._path} disappeared again"
            raise ConfigurationError(message)
        return high_water_mark

    def advance(self, number: int, horizon: datetime) -> None:
        """Advance the mark; calls that arrive while the disk is busy share the next write."""
        mine = _Wish(number, horizon)
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
        try:
            self._write(max(wish.number for wish in wishes), max(wish.horizon for wish in wishes))
        except (OSError, HighWaterMarkUnwritten) as error:
            fault = os_error_text(error) if isinstance(error, OSError) else str(error)
        for wish in wishes:
            wish.done, wish.fault = True, fault

    def _write(self, number: int, horizon: datetime) -> None:
        with self._opened(os.O_RDWR) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            before = _read_line(file)
            if before is None:
                raise HighWaterMarkUnwritten("it is damaged")
            latest = max(horizon, before.horizon or horizon)
            if number <= before.number and latest == before.horizon:
                if before != self._synced:  # another process wrote it, perhaps killed before it was on disk
                    self._sync(file)
                    self._synced = before
                return
            after = attrs.evolve(before, number=max(number, before.number), horizon=latest)
            try:
                if os.pwrite(file, _line(after), 0) != len(_line(after)):
                    raise HighWaterMarkUnwritten("it could only be written in part")
                self._sync(file)
                self._synced = after
            except BaseException:
                with suppress(OSError):  # nobody may take an unsynced line for durable
                    os.pwrite(file, _line(before), 0)
                raise

    @contextmanager
    def _opened(self, flags: int) -> Iterator[int]:
        """Open the current file each time, so that it is never one that was removed or locked away."""
        file = os.open(self._path, flags | os.O_CLOEXEC)
        try:
            yield file
        finally:
            os.close(file)


@attrs.define
class _Wish:
    number: int
    horizon: datetime
    done: bool = False
    fault: str = ""


def _line(high_water_mark: HighWaterMark) -> bytes:
    horizon = max(0, to_microseconds(high_water_mark.horizon or EPOCH))
    content = f"reviewinvite-mark 1 {high_water_mark.host} {high_water_mark.number:020} {horizon:020} ".encode()
    return content + _checksum(content) + b"\n"


def _read_line(file: int) -> HighWaterMark | None:
    """Return the mark in an open file, or None if it is damaged."""
    line = os.pread(file, _MORE_THAN_A_LINE, 0)
    found = _LINE.fullmatch(line)
    if found is None or _checksum(line[: found.start(4)]) != found[4]:
        return None
    horizon = int(found[3])
    return HighWaterMark(
        host=found[1].decode(), number=int(found[2]), horizon=from_microseconds(horizon) if horizon else None
    )


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=8).hexdigest().encode()

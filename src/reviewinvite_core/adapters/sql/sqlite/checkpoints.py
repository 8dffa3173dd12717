"""Copy the write-ahead log into the database file on a separate thread, so that few commits wait for it. ADR-51.

SQLite copies the log (a checkpoint) within the COMMIT that makes it too long, and everybody waits for that commit.
Here a thread with its own connection copies it while the writer goes on. It cannot catch up with a busy writer, so the
writer then copies what it has written meanwhile: only a log that has been copied completely is written from its start
again. The thread also leaves all of it to the writer if it cannot copy.

Before SQLite 3.51.3, a copy that begins while a commit starts a completely copied log again can take frames for copied
that are not in the file: committed data is lost. So no copy begins on a log that is copied completely (ADR-73):
processes take turns, and who has the turn first commits a page. Nobody else can copy it, and no log is started again
before it is.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

from reviewinvite_core.domain.errors import StorageUnavailable, UsedAfterFork

CHANGED_ROWS = 4_000  # until the log is copied; 1,000 orders, or about 4,000 pages

UNCOPIED = "PRAGMA user_version = 0"  # writes a page, though nothing changes and nobody reads it
_PASSIVE = "PRAGMA wal_checkpoint(PASSIVE)"  # waits for nobody, and nobody waits for it


class Turn:
    """The right to copy the log of a file, which one thread of one process has at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: tuple[int, threading.Lock] | None = None

    def take(self) -> bool:
        """Return whether the turn is ours now; False if another one has it, or nobody can have it."""
        with suppress(OSError):
            status = self._path.stat()
            descriptor, here = _lock_of(self._path, status.st_dev, status.st_ino)
            if here.acquire(blocking=False):
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    here.release()
                else:
                    self._held = descriptor, here
                    return True
        return False

    def give_back(self) -> None:
        if self._held:
            descriptor, here = self._held
            self._held = None
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            here.release()


@cache
def _lock_of(path: Path, _device: int, _inode: int) -> tuple[int, threading.Lock]:
    """Return a lock between processes and one between threads; see `stale_wal` for why no descriptor is closed."""
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC), threading.Lock()


class Checkpointer:
    """Copies the log of the database file at `path`; `connect` opens a connection to it.

    The writer's own checkpoints have to be off: after one, the log may be copied completely without this knowing.
    """

    def __init__(
        self, path: Path, connect: Callable[[], sqlite3.Connection], *, changed_rows: int = CHANGED_ROWS
    ) -> None:
        self._turn = Turn(path)
        self._connect = connect
        self._changed_rows = changed_rows
        self._changed_at_last_copy = 0
        self._is_end_left = True  # other processes, or an earlier connection, may have left much
        self._copying: threading.Thread | None = None

    def after_commit(self, writer: sqlite3.Connection) -> None:
        """Start to copy if enough has changed, or copy the rest; call it after each commit of the writer."""
        if self._copying and self._copying.is_alive():
            return
        changed = writer.total_changes
        is_new = changed < self._changed_at_last_copy  # a new connection counts from 0
        if not self._is_end_left and not is_new and changed - self._changed_at_last_copy < self._changed_rows:
            return
        in_background, self._changed_at_last_copy = not self._is_end_left and not is_new, changed
        self._is_end_left = True  # until it is known to be copied; if another process copies, the next commit tries
        if not self._turn.take():
            return
        with suppress(sqlite3.Error, RuntimeError):  # what was committed is safe; perhaps no thread can be started
            writer.execute(UNCOPIED)
            if in_background:
                self._copying = threading.Thread(target=self._copy, name="checkpoint", daemon=True)
                self._copying.start()
                return  # the thread gives the turn back
            busy, written, copied = writer.execute(_PASSIVE).fetchone()
            self._is_end_left = bool(busy) or copied < written  # a reader may still need what would be overwritten
        self._turn.give_back()

    def wait(self, seconds: float) -> None:
        """Wait up to `seconds` for the copying thread to end."""
        if self._copying and self._copying.is_alive():
            self._copying.join(seconds)

    def _copy(self) -> None:
        """Copy what the log holds now, once: this may be all of it. A fault harms nothing: the log keeps the rest."""
        try:
            with suppress(sqlite3.Error, StorageUnavailable, UsedAfterFork), closing(self._connect()) as connection:
                connection.execute(_PASSIVE)
        finally:
            self._turn.give_back()

"""Copy the write-ahead log into the database file on a separate thread, so that few commits wait for it. ADR-51.

SQLite copies the log (a checkpoint) within the COMMIT that makes it too long, and everybody waits for that commit.
Here a thread with its own connection copies it while the writer goes on. It cannot catch up with a busy writer, so the
writer then copies what it has written meanwhile: only a log that has been copied completely is written from its start
again. The thread also leaves all of it to the writer if it cannot copy.

Before SQLite 3.51.3, a copy that begins while a commit starts a completely copied log again can take frames for copied
that are not in the file: committed data is lost. The writer cannot commit while it copies. So the thread, which copies
beside commits, begins only after a commit that followed the writer's copy: its frames are not copied yet.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress

from reviewinvite_core.domain.errors import StorageUnavailable, UsedAfterFork

CHANGED_ROWS = 4_000  # until the log is copied; 1,000 orders, or about 4,000 pages

_PASSIVE = "PRAGMA wal_checkpoint(PASSIVE)"  # waits for nobody, and nobody waits for it


class Checkpointer:
    """Copies the log of one database file; `connect` opens a connection to it.

    The writer's own checkpoints have to be off: after one, the log may be copied completely without this knowing.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, changed_rows: int = CHANGED_ROWS) -> None:
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
        if self._is_end_left or changed < self._changed_at_last_copy:  # a new connection counts from 0
            with suppress(sqlite3.Error):  # what was committed is safe, and is copied later
                busy, written, copied = writer.execute(_PASSIVE).fetchone()
                # A reader may still need what would be overwritten, or another process copies: the next commit tries.
                self._is_end_left = bool(busy) or copied < written
            self._changed_at_last_copy = changed
            return  # no thread begins on a log that is copied completely
        if changed - self._changed_at_last_copy < self._changed_rows:
            return
        self._changed_at_last_copy = changed
        self._copying = threading.Thread(target=self._copy, name="checkpoint", daemon=True)
        try:
            self._copying.start()
        except RuntimeError:  # no thread can be started
            self._is_end_left = True

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
            self._is_end_left = True

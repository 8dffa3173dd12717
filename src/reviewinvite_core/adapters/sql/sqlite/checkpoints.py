"""Copy the write-ahead log into the database file on a separate thread, so that few commits wait for it. ADR-51.

SQLite copies the log (a checkpoint) within the COMMIT that makes it too long, and everybody waits for that commit.
Here a thread with its own connection copies it while the writer goes on. The thread never catches up with a busy
writer, so it leaves the last pages to the writer: only a log that has been copied completely is written from its start
again. If the log grows all the same, SQLite copies it within a commit, as usual, at `MOST_PAGES`.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress

from reviewinvite_core.domain.errors import StorageUnavailable, UsedAfterFork

CHANGED_ROWS = 4_000  # until the log is copied; 1,000 orders, or about 4,000 pages
MOST_PAGES = 16_000  # 64 MB
FEW_PAGES = 300  # as many as the writer copies in a millisecond or two
MOST_ROUNDS = 3

_PASSIVE = "PRAGMA wal_checkpoint(PASSIVE)"  # waits for nobody, and nobody waits for it


class Checkpointer:
    """Copies the log of one database file; `connect` opens a connection to it."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, changed_rows: int = CHANGED_ROWS) -> None:
        self._connect = connect
        self._changed_rows = changed_rows
        self._changed_at_last_copy = 0
        self._is_end_left = False
        self._copying: threading.Thread | None = None

    def after_commit(self, writer: sqlite3.Connection) -> None:
        """Start to copy if enough has changed, or copy the last pages; call it after each commit of the writer."""
        changed = writer.total_changes
        if self._is_end_left:
            self._is_end_left = False
            with suppress(sqlite3.Error):  # what was committed is safe, and is copied later
                writer.execute(_PASSIVE)
            # A copy that began while the next commit starts the log again could take what is not in the file for
            # copied, before SQLite 3.51.3. So none begins on a log that may have been copied completely.
            self._changed_at_last_copy = changed
            return
        if changed < self._changed_at_last_copy:  # a new connection counts from 0
            self._changed_at_last_copy = 0
        if changed - self._changed_at_last_copy < self._changed_rows or (self._copying and self._copying.is_alive()):
            return
        self._changed_at_last_copy = changed
        self._copying = threading.Thread(target=self._copy, name="checkpoint", daemon=True)
        with suppress(RuntimeError):  # no thread is to be had: at `MOST_PAGES`, SQLite copies the log itself
            self._copying.start()

    def wait(self, seconds: float) -> None:
        """Wait up to `seconds` for the copying thread to end."""
        if self._copying and self._copying.is_alive():
            self._copying.join(seconds)

    def _copy(self) -> None:
        """Copy most of the log. A fault here harms nothing: the log keeps what has not been copied."""
        with suppress(sqlite3.Error, StorageUnavailable, UsedAfterFork), closing(self._connect()) as connection:
            for _ in range(MOST_ROUNDS):
                _, written, copied = connection.execute(_PASSIVE).fetchone()
                if written - copied <= FEW_PAGES:
                    break
            self._is_end_left = True

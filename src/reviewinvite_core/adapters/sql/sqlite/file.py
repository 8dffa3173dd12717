"""The SQLite file: made for its owner alone, opened, and asked which migrations it has."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reviewinvite_core.adapters.sql.schema import MIGRATION_SET
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable

BUSY_SECONDS = 5.0
STATEMENT_CACHE_SIZE = 512  # compiled; there is one for each number of rows that come together
SMALLEST_PAGE = 512  # bytes; SQLite takes a file that is smaller for an empty one, and writes over it
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_APPLIED = "SELECT name FROM _sqlite_migrations WHERE migration_set = :set"


def connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        isolation_level=None,
        timeout=busy_seconds,
        check_same_thread=False,
        cached_statements=STATEMENT_CACHE_SIZE,
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA secure_delete = ON")  # what is erased is written over
    except BaseException:
        connection.close()
        raise
    return connection


def make_private_file(path: Path) -> None:
    """An empty database file that only its owner can read, where there is none.

    One that is there is not opened: closing it would let go of the locks that this process holds on it, and the next
    process to end would take the write-ahead log away from under the connections here.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600))
    except FileExistsError:
        return
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise StorageUnavailable(message) from error


def file_at(path: Path) -> tuple[int, int]:
    """Device and inode of the file that is there now: a connection to a deleted file would lose what it writes."""
    try:
        status = path.stat()
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise StorageUnavailable(message) from error
    return status.st_dev, status.st_ino


@contextmanager
def write_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock from the start, and commit; sqlite-utils' own transaction would begin without it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def applied(connection: sqlite3.Connection) -> Sequence[str]:
    """Return the names of the migrations that the database has; none in an empty one.

    sqlite-utils keeps them. They are read without it, because every start and every `/readyz` does, and importing it
    takes longer than a start.

    Raises: `ConfigurationError` if it is another program's.
    """
    tables = {row[0] for row in connection.execute(_TABLES)}
    if not tables:
        return []
    if "_sqlite_migrations" not in tables:
        raise ConfigurationError("this is a database of another program: name another file")
    return [row[0] for row in connection.execute(_APPLIED, {"set": MIGRATION_SET})]


def is_fault(error: Exception) -> bool:
    """Whether it is storage that failed, and not a program that broke a constraint or misused it."""
    programs = sqlite3.IntegrityError | sqlite3.ProgrammingError | sqlite3.InterfaceError
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, programs)


@contextmanager
def faults_as_unavailable() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if is_fault(error):
            raise StorageUnavailable(str(error)) from error
        raise

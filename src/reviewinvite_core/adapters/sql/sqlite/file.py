"""The SQLite file: creating it for its owner only, connecting, and reading its applied migrations."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reviewinvite_core.adapters.sql.schema import MIGRATION_SET
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable

BUSY_SECONDS = 5.0
STATEMENT_CACHE_SIZE = 512  # compiled; there is one for each number of rows in a batch
SMALLEST_PAGE = 512  # bytes; SQLite treats a smaller file as empty and overwrites it
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
        connection.execute("PRAGMA secure_delete = ON")  # overwrite erased data
    except BaseException:
        connection.close()
        raise
    return connection


def make_private_file(path: Path) -> None:
    """Create an empty database file that only its owner can read, if there is none.

    An existing file is not opened: closing it would release this process's locks on it, and the next process to end
    would then remove the write-ahead log under the connections here.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o600))
    except FileExistsError:
        return
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise StorageUnavailable(message) from error


def file_at(path: Path) -> tuple[int, int]:
    """Return device and inode of the current file: a connection to a deleted file would lose its writes."""
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
    """Return the names of the database's migrations; empty for an empty database.

    sqlite-utils keeps them. They are read without it, because every start and every `/readyz` does, and importing it
    takes longer than a start.

    Raises: `ConfigurationError` if the database belongs to another program.
    """
    tables = {row[0] for row in connection.execute(_TABLES)}
    if not tables:
        return []
    if "_sqlite_migrations" not in tables:
        raise ConfigurationError("this is a database of another program: name another file")
    return [row[0] for row in connection.execute(_APPLIED, {"set": MIGRATION_SET})]


def is_fault(error: Exception) -> bool:
    """Return whether storage failed, as opposed to a bug that broke a constraint or misused the API."""
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

"""The SQLite file: creating it for its owner only, connecting, and reading its applied migrations."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakSet

from reviewinvite_core.adapters.sql.schema import MIGRATION_SET, no_database
from reviewinvite_core.domain.errors import (
    ConfigurationError,
    DatabaseDamaged,
    DatabaseLocked,
    StorageUnavailable,
    UsedAfterFork,
)

BUSY_SECONDS = 5.0
STATEMENT_CACHE_SIZE = 512  # compiled; there is one for each number of rows in a batch
SMALLEST_PAGE = 512  # bytes; SQLite treats a smaller file as empty and overwrites it
ROOM = 256 * 1024  # bytes, more than a batch of orders writes, or the shared memory of the log takes
DISK_FULL = "the disk is full"
_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
_WRONG_PLACE = frozenset({errno.EACCES, errno.ENOENT, errno.ENOTDIR, errno.EPERM, errno.EROFS})
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_APPLIED = "SELECT name FROM _sqlite_migrations WHERE migration_set = :set"


class _Connection(sqlite3.Connection):
    """A connection that is tracked while it is open, so that a forked child knows of it."""

    file: tuple[int, int] | None = None

    def close(self) -> None:
        super().close()
        _open_here.discard(self)


_open_here: WeakSet[_Connection] = WeakSet()
_inherited: list[_Connection] = []


def _keep_inherited() -> None:
    """Keep connections that were open at a fork from being closed in the child, which SQLite forbids."""
    _inherited.extend(_open_here)
    _open_here.clear()


os.register_at_fork(after_in_child=_keep_inherited)


def connect(path: Path, busy_seconds: float, *, shared_memory: bool = True) -> sqlite3.Connection:
    """Return a connection to the file, which exists already.

    One without `shared_memory` can only read. It keeps the index of the log in its own memory, and the lock that it
    holds while it reads keeps others from changing the pages under it.

    A forked child must not open a file to which it inherited a connection. SQLite would treat the parent's locks on it
    as the child's, and the parent's last close would remove the write-ahead log that the child is using.

    Raises: `sqlite3.Error`; `UsedAfterFork`.
    """
    if _inherited and any(connection.file == file_at(path) for connection in _inherited):
        message = f"{path} was open when this process was forked: close the application before the fork"
        raise UsedAfterFork(message)
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={'rw' if shared_memory else 'ro&readonly_shm=1'}",
        uri=True,
        isolation_level=None,
        timeout=busy_seconds,
        check_same_thread=False,
        cached_statements=STATEMENT_CACHE_SIZE,
        factory=_Connection,
    )
    try:
        connection.file = file_at(path)
        _open_here.add(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA secure_delete = ON")  # overwrite erased data
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path, busy_seconds: float) -> tuple[sqlite3.Connection, bool]:
    """Return a connection for reading, and whether it may be kept for later reads.

    A disk may be too full for the shared memory of the log, which the last process to close the database deletes. The
    database can then still be read through a connection that does without. It must not be kept: as long as this process
    has one, nothing can be written.

    Raises: `sqlite3.Error`; `UsedAfterFork`.
    """
    try:
        return connect(path, busy_seconds), True
    except sqlite3.Error as error:
        if not is_disk_full(error, path):
            raise
    _make_shared_memory(path)
    return connect(path, busy_seconds, shared_memory=False), False


def _make_shared_memory(path: Path) -> None:
    """Create the empty file without which SQLite does not open a log, for the owner of the database."""
    file = path.with_name(path.name + "-shm")
    make_private_file(file)
    if os.geteuid() == 0:
        status = path.stat()
        os.chown(file, status.st_uid, status.st_gid)


def make_private_file(path: Path) -> None:
    """Create an empty database file that only its owner can read, unless the file exists.

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


def create(path: Path) -> None:
    """Create an empty database file, as `make_private_file`.

    Raises: `ConfigurationError` if there can be none at this path; `StorageUnavailable`.
    """
    try:
        make_private_file(path)
    except StorageUnavailable as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in _WRONG_PLACE:
            message = f"there can be no database at {error}: correct database_url, or let this user write there"
            raise ConfigurationError(message) from error
        raise


def require_database(path: Path) -> None:
    """Raise unless there is a file that is not empty.

    Raises: `DatabaseMissing`.
    """
    if not path.exists():
        raise no_database(f"there is no database {path}")
    if not path.stat().st_size:
        raise no_database(f"the database {path} is empty")


def file_at(path: Path) -> tuple[int, int]:
    """Return device and inode of the current file: a connection to a deleted file would lose its writes."""
    try:
        status = path.stat()
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise StorageUnavailable(message) from error
    return status.st_dev, status.st_ino


def free_bytes(path: Path) -> int:
    """Return how much this user may still write to the file's disk."""
    try:
        disk = os.statvfs(path)
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise StorageUnavailable(message) from error
    return disk.f_frsize * (disk.f_bavail if os.geteuid() else disk.f_bfree)


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


def is_read_only(error: Exception) -> bool:
    return isinstance(error, sqlite3.Error) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY


def is_disk_full(error: Exception, path: Path) -> bool:
    """Return whether storage failed because the disk is full, which SQLite often reports as an error of the disk."""
    if not isinstance(error, sqlite3.Error) or error.sqlite_errorcode & 0xFF not in _FULL:
        return False
    return path.exists() and free_bytes(path) < ROOM


def not_a_database(path: Path) -> str:
    """Say that the file is not a database at all, and what to do."""
    return (
        f"{path} is not a SQLite database: name another file, or, if it was damaged, move it away and restore a backup "
        "with `reviewinvite db restore`"
    )


def unavailable(error: Exception, path: Path | None = None) -> StorageUnavailable:
    """Return a fault of storage as what it means for the caller; damage does not pass by itself."""
    if isinstance(error, sqlite3.Error) and error.sqlite_errorcode & 0xFF in _DAMAGE:
        return DatabaseDamaged(
            f"the database {path or 'file'} is damaged ({error}): `reviewinvite db check` lists what is, "
            "and `reviewinvite db restore` puts a backup in its place"
        )
    if isinstance(error, sqlite3.Error) and error.sqlite_errorcode & 0xFF in _LOCKED:
        return DatabaseLocked(f"another process keeps {path or 'the database'} locked ({error})")
    return StorageUnavailable(DISK_FULL if path and is_disk_full(error, path) else str(error))


@contextmanager
def faults_as_unavailable(path: Path | None = None) -> Iterator[None]:
    """Raise `StorageUnavailable` for a fault of storage in the block; `path` is the database's file, if it is known."""
    try:
        yield
    except sqlite3.Error as error:
        if is_fault(error):
            raise unavailable(error, path) from error
        raise


@contextmanager
def faults_of_opening(path: Path) -> Iterator[None]:
    """Raise as `faults_as_unavailable`, but `ConfigurationError` for a file that this user may not read and write.

    A service that runs already goes on and tries again; a program that starts has to be told.
    """
    with faults_as_unavailable(path):
        try:
            yield
        except sqlite3.Error as error:
            if not is_read_only(error) and os.access(path, os.R_OK | os.W_OK):
                raise
            message = f"{path} must be readable and writable for this user, and its folder, too ({error})"
            raise ConfigurationError(message) from error

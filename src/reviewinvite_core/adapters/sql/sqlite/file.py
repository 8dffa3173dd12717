"""The SQLite file: made for its owner alone, opened, and brought to this release's schema."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.schema import MIGRATION_SET, TryRing, check_schema, not_tried
from reviewinvite_core.adapters.sql.sqlite.stale_wal import check_stale_wal
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable

BUSY_SECONDS = 5.0
STATEMENT_CACHE_SIZE = 512  # compiled; there is one for each number of rows that come together
SMALLEST_PAGE = 512  # bytes; SQLite takes a file that is smaller for an empty one, and writes over it
_IN_THE_WAY = "another process is busy with the database: try again when it is quiet, or stop serve and worker"
_TYPES = {"blob": "BLOB", "clustered": "WITHOUT ROWID"}
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_APPLIED = "SELECT name FROM _sqlite_migrations WHERE migration_set = :set"


def migrate(
    path: Path,
    *,
    busy_seconds: float = BUSY_SECONDS,
    only_if_new: bool = False,
    migrations: Sequence[Migration] = MIGRATIONS,
    try_ring: TryRing = not_tried,
) -> Sequence[str]:
    """Bring the database at `path` to this release's schema (or to that of other `migrations`), making it if there is
    none; what was applied.

    Safe when several processes do it at once: it is one transaction that holds the write lock from its start. Nothing
    is applied where `try_ring` raises, which is given the sealed key ring of a database that is set up.

    Raises: `SchemaTooNew`; `SchemaTooOld` with `only_if_new` if there is data of an older release;
    `ConfigurationError` where the file is another program's, or damaged beside the log of one that was killed;
    `StorageUnavailable`.
    """
    with faults_as_unavailable():
        make_private_file(path)
        with check_stale_wal(path), closing(_first_connection(path, busy_seconds)) as connection:
            _use_wal(connection, busy_seconds)
            connection.execute("BEGIN IMMEDIATE")
            try:
                before = applied(connection)
                if not only_if_new or not before:
                    check_schema(before, migrations, older_will_do=True)
                    if before:
                        try_ring(SqlStore(connection).sealed_key_ring())
                    _apply_pending(connection, migrations)
                after = applied(connection)
                check_schema(after, migrations)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
    return [name for name in after if name not in before]


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


def _first_connection(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """See `connect`. What is no database from the start is no fault that passes.

    Raises: `ConfigurationError`.
    """
    message = f"{path} is not a SQLite database: name another file"
    try:
        if path.is_dir() or 0 < path.stat().st_size < SMALLEST_PAGE:
            raise ConfigurationError(message)
        return connect(path, busy_seconds)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise ConfigurationError(message) from None


def _use_wal(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Write-ahead logging, which stays with the file; SQLite does not wait for locks here by itself."""
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def applied(connection: sqlite3.Connection) -> Sequence[str]:
    """The names of the migrations that the database has seen; none in an empty one."""
    tables = {row[0] for row in connection.execute(_TABLES)}
    if not tables:
        return []
    if "_sqlite_migrations" not in tables:
        raise ConfigurationError("this is a database of another program: name another file")
    return [row[0] for row in connection.execute(_APPLIED, {"set": MIGRATION_SET})]


def _apply_pending(connection: sqlite3.Connection, pending: Sequence[Migration]) -> None:
    from sqlite_utils import Database, Migrations

    migrations = Migrations(MIGRATION_SET)
    for migration in pending:

        def apply(database: Database, statements: tuple[str, ...] = migration.statements) -> None:
            for statement in statements:
                database.execute(statement.format_map(_TYPES))

        migrations(name=migration.name)(apply)
    migrations.apply(Database(connection, execute_plugins=False))


def rewrite(path: Path, busy_seconds: float) -> None:
    """Write the whole file anew, without what was deleted, and leave nothing in its write-ahead log.

    Others may have it open; who reads or writes for longer than `busy_seconds` is in the way.

    Raises: `StorageUnavailable`.
    """
    file_at(path)
    with closing(connect(path, busy_seconds)) as connection:
        try:
            connection.execute("VACUUM")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            raise StorageUnavailable(_IN_THE_WAY) from error
    empty_log(path, busy_seconds)


def empty_log(path: Path, busy_seconds: float) -> None:
    """Bring what is in the write-ahead log into the file, and leave nothing in the log; others may have it open.

    Raises: `StorageUnavailable`, as `write_anew`.
    """
    file_at(path)
    with closing(connect(path, busy_seconds)) as connection:
        deadline = time.monotonic() + busy_seconds
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() > deadline:
                raise StorageUnavailable(_IN_THE_WAY)
            time.sleep(0.02)


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

"""Storage in one SQLite file: one writer at a time, every commit on disk before it is acknowledged."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.schema import MIGRATION_SET, check_schema
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable
from reviewinvite_core.ports import Condition, Done, Failed, Outcome, Place, Unit

T = TypeVar("T")

BUSY_SECONDS = 5.0
SMALLEST_PAGE = 512  # bytes; SQLite takes a file that is smaller for an empty one, and writes over it

_TYPES = {"blob": "BLOB", "clustered": "WITHOUT ROWID"}
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_APPLIED = "SELECT name FROM _sqlite_migrations WHERE migration_set = :set"


class SqliteStorage:
    """See `ports.Storage`. Any number of processes on one machine may open the same file.

    A connection that met a fault is dropped and made anew for the next unit, so that storage that was full, locked,
    read-only or missing works again as soon as the cause is gone.
    """

    units_only_compute = True
    batches_at_once = 1

    def __init__(
        self, path: Path, *, busy_seconds: float = BUSY_SECONDS, migrations: Sequence[Migration] = MIGRATIONS
    ) -> None:
        """Open the database, and set it up if it is new.

        Raises: `SchemaTooOld`, `SchemaTooNew`; `ConfigurationError` where the file is another program's;
        `StorageUnavailable` where it cannot be opened.
        """
        self._path = path
        self._migrations = migrations
        self._busy_seconds = busy_seconds
        self._one_at_a_time = threading.Lock()
        self._writer: _Opened | None = None
        self._readers: list[_Opened] = []
        self._file: tuple[int, int] | None = None
        self._ring: bytes | None = None
        migrate(path, busy_seconds=busy_seconds, only_if_new=True, migrations=migrations)

    def run(self, unit: Unit[T]) -> T:
        """See `ports.Storage`."""
        with self._transaction() as opened:
            return unit(opened.store)

    def run_all(self, units: Sequence[Unit[object]], *, place: Place | None = None) -> Sequence[Outcome]:
        """See `ports.Storage`."""
        try:
            with self._transaction() as opened:

                def run_each() -> Sequence[Outcome]:
                    return [_outcome(opened, unit) for unit in units]

                return place.run(run_each) if place else run_each()
        except StorageUnavailable as error:
            return [Failed(error)] * len(units)

    def read(self, unit: Unit[T]) -> T:
        """See `ports.Storage`."""
        with faults_as_unavailable():
            reader = self._usable_reader()
            try:
                reader.connection.execute("BEGIN")
                result = unit(reader.store)
            except BaseException:
                reader.connection.close()
                raise
            reader.connection.execute("ROLLBACK")
            self._readers.append(reader)
            return result

    def problems(self) -> Sequence[str]:
        """See `ports.Storage`."""
        with faults_as_unavailable(), closing(connect(self._path, self._busy_seconds)) as connection:
            damage = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            dangling = [
                f"{row[0]}: a row refers to one in {row[2]} that is not there"
                for row in connection.execute("PRAGMA foreign_key_check")
            ]
        return damage + dangling

    def condition(self) -> Condition:
        """See `ports.Storage`."""
        with faults_as_unavailable():
            reader = self._usable_reader()
            check_schema(applied(reader.connection), self._migrations)
            self._readers.append(reader)
        return Condition(engine="sqlite")

    def close(self) -> None:
        """See `ports.Storage`."""
        with self._one_at_a_time:
            self._drop_writer()
            while self._readers:
                self._readers.pop().connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[_Opened]:
        """One transaction of the one writer, committed at the end; a connection that met a fault is not kept."""
        with self._one_at_a_time, faults_as_unavailable():
            try:
                opened = self._writer = self._usable_writer()
                opened.connection.execute("BEGIN IMMEDIATE")
                try:
                    yield opened
                    opened.require_transaction()
                    self._ring = self._ring or opened.store.sealed_key_ring()
                    opened.connection.execute("COMMIT")
                except BaseException:
                    if opened.connection.in_transaction:
                        opened.connection.execute("ROLLBACK")
                    raise
            except (sqlite3.Error, StorageUnavailable):
                self._drop_writer()
                raise

    def _usable_writer(self) -> _Opened:
        if self._writer and self._writer.file == file_at(self._path):
            return self._writer
        self._drop_writer()
        return self._open()

    def _usable_reader(self) -> _Opened:
        file = file_at(self._path)
        while True:
            try:
                reader = self._readers.pop()  # asking first whether there is one would be a race
            except IndexError:
                return self._open()
            if reader.file == file:
                return reader
            reader.connection.close()

    def _open(self) -> _Opened:
        """A new connection, to the same database as before: another in its place is not touched."""
        opened = _Opened(connect(self._path, self._busy_seconds), file_at(self._path))
        ring = opened.store.sealed_key_ring()
        if self._file and self._file != opened.file and self._ring != ring:
            opened.connection.close()
            raise StorageUnavailable("another database has taken the place of the one that was opened: restart")
        self._file, self._ring = opened.file, ring
        return opened

    def _drop_writer(self) -> None:
        if self._writer:
            self._writer.connection.close()
            self._writer = None


class _Opened:
    """A connection with its store, and which file it was when it was opened."""

    def __init__(self, connection: sqlite3.Connection, file: tuple[int, int]) -> None:
        self.connection = connection
        self.store = SqlStore(connection)
        self.file = file

    def require_transaction(self) -> None:
        """Nothing, where the transaction stands: a full disk makes SQLite roll all of it back by itself."""
        if not self.connection.in_transaction:
            raise StorageUnavailable("the transaction was rolled back")


def migrate(
    path: Path,
    *,
    busy_seconds: float = BUSY_SECONDS,
    only_if_new: bool = False,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> Sequence[str]:
    """Bring the database at `path` to this release's schema (or to that of other `migrations`), making it if there is
    none; what was applied.

    Safe when several processes do it at once: it is one transaction that holds the write lock from its start.

    Raises: `SchemaTooNew`; `SchemaTooOld` with `only_if_new` where there is data of an older release;
    `ConfigurationError` where the file is another program's; `StorageUnavailable`.
    """
    with faults_as_unavailable():
        make_private_file(path)
        with closing(_first_connection(path, busy_seconds)) as connection:
            _use_wal(connection, busy_seconds)
            connection.execute("BEGIN IMMEDIATE")
            try:
                before = applied(connection)
                if not only_if_new or not before:
                    check_schema(before, migrations, older_will_do=True)
                    _apply_pending(connection, migrations)
                after = applied(connection)
                check_schema(after, migrations)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
    return [name for name in after if name not in before]


def _outcome(opened: _Opened, unit: Unit[object]) -> Outcome:
    """Run one unit under a savepoint of its own.

    Raises: `StorageUnavailable` where the whole transaction is gone, and the batch with it.
    """
    execute = opened.connection.execute
    execute("SAVEPOINT unit")
    try:
        result = unit(opened.store)
    except Exception as error:
        opened.require_transaction()
        execute("ROLLBACK TO unit")
        execute("RELEASE unit")
        return Failed(StorageUnavailable(str(error)) if _is_fault(error) else error)
    opened.require_transaction()
    execute("RELEASE unit")
    return Done(result)


def connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        isolation_level=None,
        timeout=busy_seconds,
        check_same_thread=False,
    )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
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


def _is_fault(error: Exception) -> bool:
    """Whether it is storage that failed, and not a program that broke a constraint or misused it."""
    programs = sqlite3.IntegrityError | sqlite3.ProgrammingError | sqlite3.InterfaceError
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, programs)


@contextmanager
def faults_as_unavailable() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if _is_fault(error):
            raise StorageUnavailable(str(error)) from error
        raise

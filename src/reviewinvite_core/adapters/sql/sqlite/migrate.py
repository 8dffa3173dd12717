"""Migrate a SQLite file to this release's schema; sqlite-utils applies and records the migrations."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from reviewinvite_core.adapters.sql.migrate import run
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.schema import MIGRATION_SET, TryRing, check_schema, not_tried
from reviewinvite_core.adapters.sql.sqlite.file import (
    BUSY_SECONDS,
    SMALLEST_PAGE,
    applied,
    connect,
    connect_to_read,
    create as create_file,
    faults_of_opening,
    is_disk_full,
    not_a_database,
    require_database,
    write_transaction,
)
from reviewinvite_core.adapters.sql.sqlite.stale_wal import check_stale_wal
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from sqlite_utils import Database

_TYPES = {"blob": "BLOB", "clustered": "WITHOUT ROWID"}


def migrate(
    path: Path,
    *,
    busy_seconds: float = BUSY_SECONDS,
    only_if_new: bool = False,
    create: bool = True,
    migrations: Sequence[Migration] = MIGRATIONS,
    try_ring: TryRing = not_tried,
) -> Sequence[str]:
    """Migrate the database at `path` to the schema of `migrations`, creating it if necessary; see `migrate.run`.

    Raises: `SchemaTooNew`, `SchemaTooOld`, `DatabaseMissing`; `ConfigurationError` if the file is another program's, or
    damaged beside the log of a killed process; `StorageUnavailable`.
    """
    with faults_of_opening(path):
        if create:
            create_file(path)
        else:
            require_database(path)
        with check_stale_wal(path):
            try:
                with closing(_first_connection(path, busy_seconds)) as connection:
                    _use_wal(connection, busy_seconds)
                    connection.execute("PRAGMA wal_autocheckpoint = 0")  # it would copy out of turn (ADR-73)
                    return run(
                        _Engine(connection), migrations, only_if_new=only_if_new, create=create, try_ring=try_ring
                    )
            except sqlite3.Error as error:
                if only_if_new and is_disk_full(error, path) and _is_set_up(path, busy_seconds, migrations):
                    return []
                raise


def _is_set_up(path: Path, busy_seconds: float, migrations: Sequence[Migration]) -> bool:
    """Return whether a database that cannot be written has the schema of `migrations`; False if it is empty.

    Raises: `SchemaTooNew`, `SchemaTooOld`; `sqlite3.Error`.
    """
    connection, _ = connect_to_read(path, busy_seconds)
    with closing(connection):
        found = applied(connection)
        if found:
            check_schema(found, migrations)
        return bool(found)


def apply(connection: sqlite3.Connection, pending: Sequence[Migration]) -> None:
    """Apply and record these migrations unless they are recorded already; in the caller's transaction, if any.

    sqlite-utils is imported with the first migration, because importing it takes longer than everything else that a
    command imports.
    """
    from sqlite_utils import Database, Migrations

    migrations = Migrations(MIGRATION_SET)
    for migration in pending:
        migrations(name=migration.name)(_steps(migration))
    migrations.apply(Database(connection, execute_plugins=False))


@attrs.frozen
class _Engine:
    """SQLite's part of a migration. Implements `migrate.MigrationEngine`."""

    _connection: sqlite3.Connection

    def transaction(self) -> AbstractContextManager[None]:
        return write_transaction(self._connection)

    def applied(self) -> Sequence[str]:
        return applied(self._connection)

    def lock(self) -> None:
        """Do nothing: the transaction holds the only write lock."""

    def store(self) -> SqlStore:
        return SqlStore(self._connection)

    def draw_epoch(self) -> int:
        (drawn,) = self._connection.execute("SELECT random() & 9223372036854775807").fetchone()
        return int(drawn)

    def apply(self, pending: Sequence[Migration]) -> None:
        apply(self._connection, pending)


def _steps(migration: Migration) -> Callable[[Database], None]:
    def execute(database: Database) -> None:
        for statement in migration.statements:
            database.execute(statement.format_map(_TYPES))

    return execute


def _first_connection(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """Return a connection; see `connect`.

    Raises: `ConfigurationError` if the file is not a database at all, which retrying does not fix.
    """
    message = not_a_database(path)
    try:
        if path.is_dir() or 0 < path.stat().st_size < SMALLEST_PAGE:
            raise ConfigurationError(message)
        return connect(path, busy_seconds)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise ConfigurationError(message) from None


def _use_wal(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Turn on write-ahead logging, a persistent property of the file; SQLite itself does not wait for locks here."""
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

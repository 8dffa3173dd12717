"""Inspect and maintain a SQLite file with sqlite-utils, which is imported only when needed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewinvite_core.adapters.sql.integrity import DatabaseStatistics, Schema, TableSchema, missing, without_owner
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.migrations.tables import TABLES
from reviewinvite_core.adapters.sql.sqlite.checkpoints import UNCOPIED, Turn
from reviewinvite_core.adapters.sql.sqlite.damage import damage, first_damage
from reviewinvite_core.adapters.sql.sqlite.file import (
    BUSY_SECONDS,
    connect,
    connect_to_read,
    faults_as_unavailable,
    file_at,
)
from reviewinvite_core.adapters.sql.sqlite.migrate import apply
from reviewinvite_core.domain.errors import DatabaseDamaged, StorageUnavailable

if TYPE_CHECKING:
    from sqlite_utils import Database

_IN_THE_WAY = "another process is busy with the database: try again when it is quiet, or stop serve and worker"


def sqlite_utils_database(connection: sqlite3.Connection) -> Database:
    """Return the database as a sqlite-utils object, without any installed plugins."""
    from sqlite_utils import Database

    return Database(connection, execute_plugins=False)


def problems(path: Path, busy_seconds: float, migrations: Sequence[Migration]) -> Sequence[str]:
    """Return damaged pages, or else missing parts of the schema, or else rows without their owner.

    Raises: `StorageUnavailable`.
    """
    with _reading(path, busy_seconds) as connection:
        found: Sequence[str] = damage(connection)
        found = found or list(missing(expected_schema(migrations), _schema_of(connection)))
        return found or list(without_owner(lambda statement: int(_value(sqlite_utils_database(connection), statement))))


def damage_of(path: Path) -> Sequence[str]:
    """Return what is damaged in a file that may be too damaged to be opened as storage.

    Raises: `StorageUnavailable`.
    """
    with faults_as_unavailable(path), _reading(path, BUSY_SECONDS) as connection:
        return damage(connection)


def require_undamaged(path: Path) -> None:
    """Raise if a quick check finds damage, which reads the whole file.

    Raises: `DatabaseDamaged`; `StorageUnavailable`.
    """
    with faults_as_unavailable(path), _reading(path, BUSY_SECONDS) as connection:
        if found := first_damage(connection):
            lines = [line for line in found.splitlines() if not line.startswith("***")]
            message = f"the database {path} is damaged ({'; '.join(lines) or found})"
            raise DatabaseDamaged(message)


def has_reset_bug(version: tuple[int, int, int] = sqlite3.sqlite_version_info) -> bool:
    """Return whether this version of SQLite can damage a file if two programs copy its log at the same time. ADR-73."""
    return not (version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45))


def expected_schema(migrations: Sequence[Migration]) -> Schema:
    """Return the schema that these migrations create in an empty database; its names are the same on every engine."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        apply(connection, migrations)
        return _schema_of(connection)


def statistics(path: Path) -> DatabaseStatistics:
    """Return the size of the database.

    Raises: `StorageUnavailable`.
    """
    with faults_as_unavailable(path):
        file_at(path)
        with _reading(path, BUSY_SECONDS) as connection:
            database = sqlite_utils_database(connection)
            page_bytes, pages, free = (
                _value(database, f"PRAGMA {name}") for name in ("page_size", "page_count", "freelist_count")
            )
            return DatabaseStatistics(
                engine="sqlite",
                rows={table.name: database.table(table.name).count for table in TABLES},
                bytes=page_bytes * pages,
                free_bytes=page_bytes * free,
            )


def rewrite(path: Path, busy_seconds: float) -> None:
    """Rewrite the whole file without deleted data, and empty its write-ahead log.

    Others may have it open, but a read or write of theirs that takes longer than `busy_seconds` prevents this.

    Raises: `StorageUnavailable`.
    """
    file_at(path)
    with closing(connect(path, busy_seconds)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")  # it would copy out of turn
        try:
            sqlite_utils_database(connection).vacuum()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            raise StorageUnavailable(_IN_THE_WAY) from error
    empty_log(path, busy_seconds)


def empty_log(path: Path, busy_seconds: float) -> None:
    """Move the write-ahead log into the file and empty the log; others may have the file open.

    Raises: `StorageUnavailable`, as `rewrite`.
    """
    file_at(path)
    with closing(connect(path, busy_seconds)) as connection:
        deadline, turn = time.monotonic() + busy_seconds, Turn(path)
        while not _has_emptied(connection, turn):
            if time.monotonic() > deadline:
                raise StorageUnavailable(_IN_THE_WAY)
            time.sleep(0.02)


def _has_emptied(connection: sqlite3.Connection, turn: Turn) -> bool:
    if not turn.take():
        return False
    try:
        connection.execute(UNCOPIED)
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        turn.give_back()


@contextmanager
def _reading(path: Path, busy_seconds: float) -> Iterator[sqlite3.Connection]:
    connection, _ = connect_to_read(path, busy_seconds)
    with closing(connection):
        yield connection


def _schema_of(connection: sqlite3.Connection) -> Schema:
    from sqlite_utils import Migrations

    return {
        table.name: TableSchema(
            columns=frozenset(column.name for column in table.columns),
            indexes=frozenset(index.name for index in table.indexes if index.origin == "c"),  # made by CREATE INDEX
            references=frozenset((key.columns[0], key.other_table) for key in table.foreign_keys),
        )
        for table in sqlite_utils_database(connection).tables
        if table.name != Migrations.migrations_table
    }


def _value(database: Database, statement: str) -> Any:
    return database.execute(statement).fetchone()[0]

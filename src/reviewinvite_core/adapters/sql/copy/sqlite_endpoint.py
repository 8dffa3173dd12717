"""A SQLite file as an endpoint of a copy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.schema import MIGRATION_SET
from reviewinvite_core.adapters.sql.sqlite import file as sqlite_file
from reviewinvite_core.adapters.sql.sqlite.maintenance import sqlite_utils_database
from reviewinvite_core.adapters.sql.sqlite.migrate import migrate
from reviewinvite_core.adapters.sql.sqlite.stale_wal import check_stale_wal
from reviewinvite_core.domain.errors import ConfigurationError, CopyUnfinished, SchemaTooOld, StorageUnavailable

if TYPE_CHECKING:
    from sqlite_utils.db import Table

_MARKER = "migration_set = ? AND name = ?"


@contextmanager
def opened(path: Path, *, as_target: bool, busy_seconds: float = sqlite_file.BUSY_SECONDS) -> Iterator[SqliteEndpoint]:
    """Open the file, creating it first if it is the target and does not exist; wait up to `busy_seconds` for its lock.

    Raises: `DatabaseMissing`; `ConfigurationError` if the database is damaged; `StorageUnavailable`.
    """
    with sqlite_file.faults_of_opening(path):
        if as_target:
            sqlite_file.create(path)
        else:
            sqlite_file.require_database(path)
        with check_stale_wal(path):
            connection = sqlite_file.connect(path, busy_seconds)
        with closing(connection):
            yield SqliteEndpoint(path, connection)


class SqliteEndpoint:
    """SQLite file. Implements `endpoint.CopyEndpoint`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    def identity(self) -> object:
        return sqlite_file.file_at(self._path)

    def applied(self) -> Sequence[str]:
        return sqlite_file.applied(self._connection)

    def set_up(self, marker: str) -> None:
        with suppress(SchemaTooOld, CopyUnfinished):  # another process has just set it up
            migrate(self._path, only_if_new=True, migrations=(*MIGRATIONS, Migration(marker, ())))

    @property
    def _recorded(self) -> Table:
        from sqlite_utils import Migrations

        return sqlite_utils_database(self._connection).table(Migrations.migrations_table)

    def add_marker(self, name: str) -> None:
        self._recorded.insert({"migration_set": MIGRATION_SET, "name": name, "applied_at": ""})

    def remove_marker(self, name: str) -> None:
        self._recorded.delete_where(_MARKER, [MIGRATION_SET, name])

    def has_marker(self, name: str) -> bool:
        """Return whether the marker exists; removing it needs the write lock, which we hold."""
        return self._recorded.count_where(_MARKER, [MIGRATION_SET, name]) > 0

    def columns(self, table: str) -> Sequence[str]:
        return [column.name for column in sqlite_utils_database(self._connection).table(table).columns]

    def rows(self, statement: str, parameters: Mapping[str, object]) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement, parameters).fetchall()

    def change(self, statement: str, parameters: Sequence[Mapping[str, object]]) -> None:
        try:
            self._connection.executemany(statement, parameters)
        except sqlite3.IntegrityError as error:
            raise ConfigurationError("TO rejects a row of FROM: run `db check` on FROM") from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Hold the file's only write lock and write nothing."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            message = "FROM is being written to, or copied already: stop serve and worker"
            raise StorageUnavailable(message) from error
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    def writing(self) -> AbstractContextManager[None]:
        return sqlite_file.write_transaction(self._connection)

    def alone(self) -> AbstractContextManager[None]:
        """Return `writing`: a file has one writer."""
        return self.writing()

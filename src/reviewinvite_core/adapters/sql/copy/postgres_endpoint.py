"""A PostgreSQL database as an endpoint of a copy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.migrations.tables import TABLES
from reviewinvite_core.adapters.sql.postgres import migrate as postgres_migrate
from reviewinvite_core.adapters.sql.postgres.connect import WAIT_SECONDS, connected
from reviewinvite_core.adapters.sql.postgres.errors import ended, faults_as_unavailable
from reviewinvite_core.adapters.sql.postgres.statements import translate
from reviewinvite_core.adapters.sql.postgres.timeouts import BoundedConnection
from reviewinvite_core.domain.errors import ConfigurationError, CopyUnfinished, SchemaTooOld, StorageUnavailable

# No two servers started in the same microsecond, and names of databases and schemas are unique within one.
_IDENTITY = "SELECT pg_postmaster_start_time(), current_database(), current_schema()"
_ANY_TABLE = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() LIMIT 1"
_ADD_MARKER = "INSERT INTO reviewinvite_migrations (name) VALUES (:name)"
_HOLDS = "SELECT 1 FROM reviewinvite_migrations WHERE name = :name FOR SHARE"
_REMOVE_MARKER = "DELETE FROM reviewinvite_migrations WHERE name = :name"

BUSY_SECONDS = 30.0  # longer than a run that died within a batch keeps its locks
# Migrations first: a writing run locks its marker before any other table.
_ALL = ", ".join(("reviewinvite_migrations", *(table.name for table in TABLES)))
# A machine that vanished keeps its locks until the server notices that it has been silent for this long.
_BEGIN_FROZEN = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '5min'"
)
_BEGIN_WRITING = postgres_migrate.BEGIN_WRITING + "; SET LOCAL idle_in_transaction_session_timeout = '20s'"
_FREEZE = f"LOCK TABLE {_ALL} IN SHARE MODE"
_TAKE_ALL = f"{postgres_migrate.LOCK_SCHEMA}; LOCK TABLE {_ALL} IN EXCLUSIVE MODE".encode()


@contextmanager
def opened(url: str, *, busy_seconds: float = BUSY_SECONDS) -> Iterator[PostgresEndpoint]:
    """Connect to the database; wait up to `busy_seconds` for its locks.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    with faults_as_unavailable(), connected(url, WAIT_SECONDS, to_write=False, answer_seconds=math.inf) as connection:
        yield PostgresEndpoint(url, connection, busy_seconds)


class PostgresEndpoint:
    """PostgreSQL database. Implements `endpoint.CopyEndpoint`."""

    def __init__(self, url: str, connection: BoundedConnection, busy_seconds: float) -> None:
        self._url = url
        self._connection = connection
        self._patience = f"SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '{round(busy_seconds * 1000)}ms'"

    def identity(self) -> object:
        return self._connection.execute(_IDENTITY).fetchone()

    def applied(self) -> Sequence[str]:
        applied = postgres_migrate.applied(self._connection)
        if not applied and self._connection.execute(_ANY_TABLE).fetchone():
            raise ConfigurationError("this is a database of another program: name another one")
        return applied

    def set_up(self, marker: str) -> None:
        with suppress(SchemaTooOld, CopyUnfinished):  # another process has just set it up
            postgres_migrate.migrate(self._url, only_if_new=True, migrations=(*MIGRATIONS, Migration(marker, ())))

    def add_marker(self, name: str) -> None:
        self.rows(_ADD_MARKER + " RETURNING name", {"name": name})

    def remove_marker(self, name: str) -> None:
        self.rows(_REMOVE_MARKER + " RETURNING name", {"name": name})

    def has_marker(self, name: str) -> bool:
        return bool(self.rows(_HOLDS, {"name": name}))

    def columns(self, table: str) -> Sequence[str]:
        description = self._connection.execute(f"SELECT * FROM {table} LIMIT 0".encode()).description
        return [column.name for column in description or ()]

    def rows(self, statement: str, parameters: Mapping[str, object]) -> list[tuple[Any, ...]]:
        return self._connection.execute(translate(statement), parameters).fetchall()

    def change(self, statement: str, parameters: Sequence[Mapping[str, object]]) -> None:
        try:
            with self._connection.cursor() as cursor:
                cursor.executemany(translate(statement), parameters)
        except (psycopg.IntegrityError, psycopg.DataError) as error:
            raise ConfigurationError("TO rejects a row of FROM: run `db check` on FROM") from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        with ended(self._connection):
            self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Lock before the first read, so that nothing is committed in between."""
        with ended(self._connection):
            try:
                self._connection.execute(f"{_BEGIN_FROZEN}; {self._patience}; {_FREEZE}".encode())
            except psycopg.errors.LockNotAvailable as error:
                raise StorageUnavailable("FROM is constantly being written to: stop serve and worker") from error
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        with ended(self._connection):
            self._connection.execute(f"{_BEGIN_WRITING}; {self._patience}".encode())
            yield
            self._connection.execute("COMMIT")

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self.writing():
            try:
                self._connection.execute(_TAKE_ALL)
            except psycopg.errors.LockNotAvailable as error:
                raise StorageUnavailable("TO is in use by another process") from error
            yield

"""A PostgreSQL database as one end of a copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from reviewinvite_core.adapters.sql import postgres
from reviewinvite_core.adapters.sql.postgres_faults import ended, faults_as_unavailable
from reviewinvite_core.adapters.sql.postgres_start import WAIT_SECONDS, Connection, connected
from reviewinvite_core.domain.errors import ConfigurationError

# Another server cannot have begun in the same microsecond, nor have two databases or schemas one name.
_IDENTITY = "SELECT pg_postmaster_start_time(), current_database(), current_schema()"
_ANY_TABLE = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() LIMIT 1"
_MARK = "INSERT INTO reviewinvite_migrations (name) VALUES (:name)"
_UNMARK = "DELETE FROM reviewinvite_migrations WHERE name = :name"


@contextmanager
def opened(url: str) -> Iterator[PostgresEnd]:
    """The database, over one connection.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    with faults_as_unavailable(), connected(url, WAIT_SECONDS, to_write=False) as connection:
        yield PostgresEnd(url, connection)


class PostgresEnd:
    """See `copy.End`."""

    def __init__(self, url: str, connection: Connection) -> None:
        self._url = url
        self._connection = connection

    def identity(self) -> object:
        """See `copy.End`."""
        return self._connection.execute(_IDENTITY).fetchone()

    def applied(self) -> Sequence[str]:
        """See `copy.End`."""
        applied = postgres.applied(self._connection)
        if not applied and self._connection.execute(_ANY_TABLE).fetchone():
            raise ConfigurationError("this is a database of another program: name another one")
        return applied

    def set_up(self) -> None:
        """See `copy.End`."""
        postgres.migrate(self._url)

    def mark(self, name: str) -> None:
        """See `copy.End`."""
        self.rows(_MARK + " RETURNING name", {"name": name})

    def unmark(self, name: str) -> None:
        """See `copy.End`."""
        self.rows(_UNMARK + " RETURNING name", {"name": name})

    def columns(self, table: str) -> Sequence[str]:
        """See `copy.End`."""
        description = self._connection.execute(f"SELECT * FROM {table} LIMIT 0".encode()).description
        return [column.name for column in description or ()]

    def rows(self, statement: str, parameters: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """See `copy.End`."""
        return self._connection.execute(postgres.translate(statement), parameters).fetchall()

    def change(self, statement: str, parameters: Sequence[Mapping[str, object]]) -> None:
        """See `copy.End`."""
        try:
            with self._connection.cursor() as cursor:
                cursor.executemany(postgres.translate(statement), parameters)
        except (psycopg.IntegrityError, psycopg.DataError) as error:
            raise ConfigurationError("FROM holds a row that TO does not take: run `db check` on FROM") from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See `copy.End`."""
        with ended(self._connection):
            self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See `copy.End`."""
        with ended(self._connection):
            self._connection.execute(postgres.BEGIN_WRITING)
            yield
            self._connection.execute("COMMIT")

"""A database of this tree that a test may change, and all that is in it, read from outside, whatever its engine."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import psycopg
from tests.data.editions import Edition
from tests.upgrade.tables import BOOKKEEPING

from reviewinvite_core import Settings
from reviewinvite_core.bootstrap.adapter_factory import is_postgres, sqlite_path

Row: TypeAlias = Mapping[str, Any]

_ON_SQLITE = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_ON_POSTGRES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"


@attrs.frozen
class Present:
    """A database made by this tree, with what was recorded when it was made."""

    settings: Settings
    made: Edition

    @property
    def url(self) -> str:
        """Its address."""
        return self.settings.database_url


@contextmanager
def connection_to(url: str) -> Iterator[Any]:
    """A connection whose every statement is kept at once, and for which no reference is enforced."""
    if is_postgres(url):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")
            yield connection
    else:
        with closing(sqlite3.connect(sqlite_path(url), isolation_level=None)) as opened:
            yield opened


def tables_of(url: str) -> set[str]:
    """Return the names of all tables, but for those that say which migrations were applied."""
    with connection_to(url) as connection:
        found = connection.execute(_ON_POSTGRES if is_postgres(url) else _ON_SQLITE).fetchall()
    return {name for (name,) in found} - BOOKKEEPING


def all_rows(url: str) -> dict[str, list[Row]]:
    """Return all rows by table, in an order that does not depend on the engine."""
    with connection_to(url) as connection:
        return {table: _rows(connection, table) for table in sorted(tables_of(url))}


def _rows(connection: Any, table: str) -> list[Row]:
    cursor = connection.execute(f"SELECT * FROM {table}")
    columns = [column[0] for column in cursor.description]
    rows = [dict(sorted(zip(columns, row, strict=True))) for row in cursor.fetchall()]
    return sorted(rows, key=repr)


def run(url: str, statement: str) -> None:
    """Change a database as no use case would."""
    with connection_to(url) as connection:
        connection.execute(statement)


def holds(value: object, wanted: bytes) -> bool:
    """Return whether a column's value has these bytes in it, plain or as hexadecimal digits."""
    if isinstance(value, bytes):
        return wanted in value
    return isinstance(value, str) and (wanted in value.encode() or wanted.hex() in value)


def columns_with(rows: Mapping[str, list[Row]], wanted: bytes) -> set[tuple[str, str]]:
    """Return the tables and columns that hold these bytes anywhere."""
    return {
        (table, column)
        for table, those in rows.items()
        for row in those
        for column, value in row.items()
        if holds(value, wanted)
    }


def damage_page(path: Path, table: str) -> None:
    """Write over the first page of a table in a SQLite file that nobody has open."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)

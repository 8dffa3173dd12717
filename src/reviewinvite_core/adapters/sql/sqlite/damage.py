"""Damage that SQLite itself finds in a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress

from reviewinvite_core.domain.errors import DAMAGE_ADVICE, MORE_DAMAGE

MOST_LISTED = 20
"""Findings of a check that are listed."""

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"


def damage(connection: sqlite3.Connection) -> Sequence[str]:
    """Return what a full check finds: what to do about it, the damaged tables, and the first findings of SQLite."""
    undetailed: Sequence[str] = []
    found: Sequence[str] = []
    try:
        found = _found(connection, f"PRAGMA integrity_check({MOST_LISTED + 1})")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        undetailed = [str(error)]
    if not found and not undetailed:
        return []
    tables = [f"the table {name} is damaged" for name in _damaged_tables(connection)]
    lines = [line for each in found for line in each.splitlines() if not line.startswith("***")]
    lines = lines or ([] if tables else [*undetailed])
    return [DAMAGE_ADVICE, *tables, *lines[:MOST_LISTED], *([MORE_DAMAGE] if len(lines) > MOST_LISTED else [])]


def first_damage(connection: sqlite3.Connection) -> str | None:
    """Return the first finding of a quick check, or None; it does not compare indexes with their tables."""
    return next(iter(_found(connection, "PRAGMA quick_check(1)")), None)


def _damaged_tables(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the names of the tables that are damaged, or have a damaged index, as far as the schema can be read."""
    with suppress(sqlite3.DatabaseError):
        for (name,) in connection.execute(_TABLES).fetchall():
            if not _is_sound(connection, name):
                yield name


def _is_sound(connection: sqlite3.Connection, table: str) -> bool:
    quoted = table.replace('"', '""')
    try:
        return not _found(connection, f'PRAGMA integrity_check("{quoted}")')
    except sqlite3.DatabaseError:
        return False


def _found(connection: sqlite3.Connection, check: str) -> Sequence[str]:
    return [row[0] for row in connection.execute(check) if row[0] != "ok"]

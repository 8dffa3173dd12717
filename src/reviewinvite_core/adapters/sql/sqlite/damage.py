"""Damage that SQLite itself finds in a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence


def damage(connection: sqlite3.Connection) -> Sequence[str]:
    """Return everything that a full check finds, in SQLite's words."""
    return _found(connection, "PRAGMA integrity_check")


def first_damage(connection: sqlite3.Connection) -> str | None:
    """Return the first finding of a quick check, or None; it does not compare indexes with their tables."""
    return next(iter(_found(connection, "PRAGMA quick_check(1)")), None)


def _found(connection: sqlite3.Connection, check: str) -> Sequence[str]:
    return [row[0] for row in connection.execute(check) if row[0] != "ok"]

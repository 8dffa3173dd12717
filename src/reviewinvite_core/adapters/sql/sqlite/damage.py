"""What SQLite itself finds wrong with the pages of a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence


def damage(connection: sqlite3.Connection) -> Sequence[str]:
    """Return all that a full check finds, in SQLite's words."""
    return _found(connection, "PRAGMA integrity_check")


def first_damage(connection: sqlite3.Connection) -> str | None:
    """Return the first thing that a quick check finds, or None; indexes are not compared with their tables."""
    return next(iter(_found(connection, "PRAGMA quick_check(1)")), None)


def _found(connection: sqlite3.Connection, check: str) -> Sequence[str]:
    return [row[0] for row in connection.execute(check) if row[0] != "ok"]

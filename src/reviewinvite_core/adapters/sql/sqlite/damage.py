"""Damage that SQLite itself finds in a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

MOST_LISTED = 20
"""Findings of a check that are listed."""

REMEDY = "restore a sound backup with `reviewinvite db restore FILE`"
_NEXT_STEP = f"the database is damaged: {REMEDY}"


def damage(connection: sqlite3.Connection) -> Sequence[str]:
    """Return what a full check finds: what to do about it, and then the first findings in SQLite's words."""
    try:
        found = _found(connection, f"PRAGMA integrity_check({MOST_LISTED + 1})")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        found = [str(error)]
    lines = [line for each in found for line in each.splitlines() if not line.startswith("***")]
    more = ["there is more damage than is listed here"] if len(lines) > MOST_LISTED else []
    return [_NEXT_STEP, *lines[:MOST_LISTED], *more] if lines else []


def first_damage(connection: sqlite3.Connection) -> str | None:
    """Return the first finding of a quick check, or None; it does not compare indexes with their tables."""
    return next(iter(_found(connection, "PRAGMA quick_check(1)")), None)


def _found(connection: sqlite3.Connection, check: str) -> Sequence[str]:
    return [row[0] for row in connection.execute(check) if row[0] != "ok"]

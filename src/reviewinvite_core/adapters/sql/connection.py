"""The database connection that repositories need; `sqlite3` provides it as is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = Sequence[Any]


class Cursor(Protocol):
    """Result rows of a statement."""

    @property
    def rowcount(self) -> int:
        """Number of rows that the statement changed."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return the remaining rows."""


class Connection(Protocol):
    """Runs statements with named parameters (`:name`)."""

    def execute(self, statement: str, parameters: Mapping[str, object] = ..., /) -> Cursor:
        """Run one statement."""

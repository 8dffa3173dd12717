"""What the repositories need of a database connection: `sqlite3` gives it as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = Sequence[Any]


class Cursor(Protocol):
    """The rows that a statement gives."""

    @property
    def rowcount(self) -> int:
        """How many rows the statement changed."""

    def fetchone(self) -> Any:
        """The next row, or None."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""


class Connection(Protocol):
    """Runs statements with named parameters (`:name`)."""

    def execute(self, statement: str, parameters: Mapping[str, object] = ..., /) -> Cursor:
        """Run one statement."""

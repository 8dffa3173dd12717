"""The interface that a copy needs of each of its two databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = tuple[Any, ...]


class CopyEndpoint(Protocol):
    """One of the two databases."""

    def identity(self) -> object:
        """Return a value that is equal for two endpoints exactly if they are the same database."""

    def applied(self) -> Sequence[str]:
        """Return the names of the applied migrations, including markers; empty for an empty database.

        Raises: `ConfigurationError` if the database belongs to another program.
        """

    def set_up(self, marker: str) -> None:
        """Give a database this release's schema and a marker, in one transaction; do nothing unless it is empty."""

    def add_marker(self, name: str) -> None:
        """Add a marker to the migrations."""

    def remove_marker(self, name: str) -> None:
        """Remove a marker."""

    def has_marker(self, name: str) -> bool:
        """Return whether the marker exists; if so, it stays until the transaction ends."""

    def columns(self, table: str) -> Sequence[str]:
        """Return the columns of a table."""

    def rows(self, statement: str, parameters: Mapping[str, object]) -> list[Row]:
        """Return the rows of a query."""

    def change(self, statement: str, parameters: Sequence[Mapping[str, object]]) -> None:
        """Run a statement once for each set of parameters.

        Raises: `ConfigurationError` if the database rejects a row.
        """

    def reading(self) -> AbstractContextManager[None]:
        """Return a context that sees one snapshot of the database."""

    def frozen(self) -> AbstractContextManager[None]:
        """Return a context like `reading` in which nobody else can write: other writers wait or fail.

        Raises: `StorageUnavailable` if others keep writing.
        """

    def writing(self) -> AbstractContextManager[None]:
        """Return a context with one transaction, durable at its end."""

    def alone(self) -> AbstractContextManager[None]:
        """Return a context like `writing` in which nobody else can write."""

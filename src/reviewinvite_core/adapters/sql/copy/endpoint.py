"""What a copy needs of each of its two databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = tuple[Any, ...]


class CopyEndpoint(Protocol):
    """One of the two databases."""

    def identity(self) -> object:
        """What is equal for two ends that are the same database."""

    def applied(self) -> Sequence[str]:
        """The names among the migrations, markers included; none in an empty database.

        Raises: `ConfigurationError` if it is another program's.
        """

    def set_up(self, marker: str) -> None:
        """Give an empty database this release's schema and a marker, both at once; nothing where it is not empty."""

    def add_marker(self, name: str) -> None:
        """Add a name to the migrations."""

    def remove_marker(self, name: str) -> None:
        """Take it away again."""

    def has_marker(self, name: str) -> bool:
        """Whether the name is among the migrations; if so, it stays there until the transaction ends."""

    def columns(self, table: str) -> Sequence[str]:
        """The columns of a table."""

    def rows(self, statement: str, parameters: Mapping[str, object]) -> list[Row]:
        """What a query gives."""

    def change(self, statement: str, parameters: Sequence[Mapping[str, object]]) -> None:
        """Run a statement once for each of the parameters.

        Raises: `ConfigurationError` if the database does not take a row.
        """

    def reading(self) -> AbstractContextManager[None]:
        """Inside, the database is seen as it was at one moment."""

    def frozen(self) -> AbstractContextManager[None]:
        """The same, and nobody writes to it meanwhile: who would has to wait, or fails.

        Raises: `StorageUnavailable` if somebody is writing all the time.
        """

    def writing(self) -> AbstractContextManager[None]:
        """Inside is one transaction, durable in the end."""

    def alone(self) -> AbstractContextManager[None]:
        """The same, and nobody else writes to the database meanwhile."""

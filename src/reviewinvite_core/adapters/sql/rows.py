"""Statements about many rows at once, whose parameters are numbered by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

MOST_ROWS = 128  # SQLite takes 32,766 parameters in a statement, PostgreSQL 65,535


@lru_cache(maxsize=1024)
def for_rows(statement: str, row: str, count: int) -> str:
    """`statement` with its `{rows}` made `count` times `row`, each with its number in the place of `#`."""
    return statement.replace("{rows}", ", ".join(row.replace("#", str(number)) for number in range(count)))


def numbered(rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """The values of all rows, each under its name and its row's number: `shop_0`, `shop_1`."""
    return {f"{name}_{number}": value for number, row in enumerate(rows) for name, value in row.items()}


def portions(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """The rows, so many at a time as one statement takes."""
    for first in range(0, len(rows), MOST_ROWS):
        yield rows[first : first + MOST_ROWS]

"""Statements for many rows at once, with parameters numbered by row; and optional instants."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

T = TypeVar("T")

ASKED_ADDRESS_ROW = "(#, CAST(:shop_# AS BIGINT), :address_hash_#)"
ASKED_PERSON_ROW = "(#, CAST(:shop_# AS BIGINT), :address_hash_#, :person_hash_#)"
MOST_ROWS = 128  # SQLite allows 32,766 parameters in a statement, PostgreSQL 65,535


@lru_cache(maxsize=1024)
def expand_values(statement: str, row: str, count: int) -> str:
    """Replace `{rows}` in a statement by `count` copies of `row`, each with its number in place of `#`."""
    return statement.replace("{rows}", ", ".join(row.replace("#", str(number)) for number in range(count)))


def flatten_params(rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return the values of all rows under numbered names: `shop_0`, `shop_1`.

    All rows have the same names in the same order.
    """
    names = _numbered_names(tuple(rows[0]), len(rows)) if rows else ()
    return dict(zip(names, chain.from_iterable([row.values() for row in rows]), strict=True))


@lru_cache(maxsize=1024)
def _numbered_names(names: Sequence[str], count: int) -> Sequence[str]:
    """Return the numbered names, built once for each number of rows; each name is interned."""
    return tuple(sys.intern(f"{name}_{number}") for number in range(count) for name in names)


def chunks(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """Split rows into chunks that fit in one statement."""
    for first in range(0, len(rows), MOST_ROWS):
        yield rows[first : first + MOST_ROWS]


def rows_for(
    connection: Connection, statement: str, row: str, asked: Sequence[Mapping[str, object]], **shared: object
) -> Iterator[Any]:
    """Yield the rows of a query about many, asked in chunks: `row` is for one of them, and `shared` for all."""
    for first in range(0, len(asked), MOST_ROWS):
        portion = asked[first : first + MOST_ROWS]
        parameters = {**flatten_params(portion), **shared}
        yield from connection.execute(expand_values(statement, row, len(portion)), parameters).fetchall()


def placed_rows_for(
    connection: Connection, statement: str, row: str, asked: Sequence[Mapping[str, object]], **shared: object
) -> Iterator[Any]:
    """Yield the rows as `rows_for` does; the first column of each is the place in `asked` of what it is about."""
    for first in range(0, len(asked), MOST_ROWS):
        portion = asked[first : first + MOST_ROWS]
        parameters = {**flatten_params(portion), **shared}
        for place, *others in connection.execute(expand_values(statement, row, len(portion)), parameters).fetchall():
            yield first + place, *others


def microseconds_or_null(instant: datetime | None) -> int | None:
    """Return an instant in stored form; None becomes NULL."""
    return None if instant is None else to_microseconds(instant)


def instant_or_none(microseconds: int | None) -> datetime | None:
    """Return a stored instant; NULL becomes None."""
    return None if microseconds is None else from_microseconds(microseconds)

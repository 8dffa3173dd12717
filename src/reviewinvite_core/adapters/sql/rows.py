"""Statements about many rows at once, whose parameters are numbered by row; and instants that a row may lack."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import TypeVar

from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

T = TypeVar("T")

ASKED_ADDRESS_ROW = "(#, CAST(:shop_# AS BIGINT), :address_hash_#)"
MOST_ROWS = 128  # SQLite takes 32,766 parameters in a statement, PostgreSQL 65,535


@lru_cache(maxsize=1024)
def expand_values(statement: str, row: str, count: int) -> str:
    """`statement` with its `{rows}` made `count` times `row`, each with its number in the place of `#`."""
    return statement.replace("{rows}", ", ".join(row.replace("#", str(number)) for number in range(count)))


def flatten_params(rows: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """The values of all rows, which have the same names in the same order, each under its name and its row's number:
    `shop_0`, `shop_1`.
    """
    names = _numbered_names(tuple(rows[0]), len(rows)) if rows else ()
    return dict(zip(names, chain.from_iterable(row.values() for row in rows), strict=True))


@lru_cache(maxsize=1024)
def _numbered_names(names: Sequence[str], count: int) -> Sequence[str]:
    """Made once for so many rows; each name is kept once however many statements have it."""
    return tuple(sys.intern(f"{name}_{number}") for number in range(count) for name in names)


def chunks(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """The rows, so many at a time as one statement takes."""
    for first in range(0, len(rows), MOST_ROWS):
        yield rows[first : first + MOST_ROWS]


def microseconds_or_null(instant: datetime | None) -> int | None:
    """An instant as it is stored, NULL where there is none."""
    return None if instant is None else to_microseconds(instant)


def instant_or_none(microseconds: int | None) -> datetime | None:
    """What is stored as an instant, None if it is NULL."""
    return None if microseconds is None else from_microseconds(microseconds)

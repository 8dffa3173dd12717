"""Statements reach SQLite by place: what is asked by name means the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from reviewinvite_core.adapters.sql.rows import expand_values, flatten_params
from reviewinvite_core.adapters.sql.sqlite.statements import PositionalParams

ROWS = [{"name": f"number {number}", "place": number} for number in range(128)]


@pytest.fixture
def plain() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        yield connection


def test_a_value_that_is_asked_for_twice_is_there_twice(plain: sqlite3.Connection) -> None:
    row = PositionalParams(plain).execute("SELECT :one, :other, :one", {"other": 2, "one": 1, "unasked": 3}).fetchone()
    assert row == (1, 2, 1)


def test_a_statement_without_values_needs_none(plain: sqlite3.Connection) -> None:
    assert PositionalParams(plain).execute("SELECT 1").fetchone() == (1,)


def test_a_value_that_is_missing_is_a_fault(plain: sqlite3.Connection) -> None:
    with pytest.raises(KeyError):
        PositionalParams(plain).execute("SELECT :one, :other", {"one": 1})


def test_many_rows_keep_their_values_and_their_order(plain: sqlite3.Connection) -> None:
    statement = expand_values(
        "WITH asked (place, name) AS (VALUES {rows}) SELECT * FROM asked", "(:place_#, :name_#)", 128
    )
    found = PositionalParams(plain).execute(statement, flatten_params(ROWS)).fetchall()
    assert found == [(row["place"], row["name"]) for row in ROWS]


def test_sqlite_is_given_no_names() -> None:
    """It would look for each of them among all, which with 128 rows takes longer than all else."""
    seen: list[str] = []

    class Seeing(sqlite3.Connection):
        def execute(self, statement: str, values: Any = ()) -> sqlite3.Cursor:
            seen.append(statement)
            return super().execute(statement, values)

    with closing(Seeing(":memory:")) as seeing:
        PositionalParams(seeing).execute("SELECT :one AS one, :other AS other", {"one": 1, "other": 2})
    assert seen == ["SELECT ? AS one, ? AS other"]


def test_rows_with_different_names_are_a_fault() -> None:
    with pytest.raises(ValueError, match="zip"):
        flatten_params([{"place": 1}, {"place": 2, "name": "one too many"}])

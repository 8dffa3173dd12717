"""The repositories' statements in psycopg's form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import psycopg

from reviewinvite_core.adapters.sql.connection import Cursor


class NumberedParams:
    """Connection for the repositories: takes statements with `:name`; each result must be read before the next."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self._cursor = psycopg.RawCursor(connection)  # one for all: creating one costs a tenth of a statement

    def execute(self, statement: str, parameters: Mapping[str, object] | None = None, /) -> Cursor:
        numbered, names = _numbered(statement)
        return self._cursor.execute(numbered, [parameters[name] for name in names] if parameters else ())


@lru_cache(maxsize=1024)
def _numbered(statement: str) -> tuple[bytes, Sequence[str]]:
    """Return the statement with `$1` for `:name`, a form that psycopg need not parse; and the names in order."""
    names: dict[str, str] = {}
    numbered = re.sub(r":(\w+)", lambda found: names.setdefault(found[1], f"${len(names) + 1}"), statement)
    return numbered.encode(), tuple(names)


@cache
def translate(statement: str) -> bytes:
    """Return the statement with psycopg's `%(name)s` for `:name`; cached."""
    return re.sub(r":(\w+)", r"%(\1)s", statement.replace("%", "%%")).encode()

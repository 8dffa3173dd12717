"""The statements of the repositories, as psycopg takes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import psycopg

from reviewinvite_core.adapters.sql.connection import Cursor


class NumberedParams:
    """The connection as the repositories know it: statements with `:name`, each result read before the next."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self._cursor = psycopg.RawCursor(connection)  # one for all, as making one is a tenth of what a statement costs

    def execute(self, statement: str, parameters: Mapping[str, object] | None = None, /) -> Cursor:
        numbered, names = _numbered(statement)
        return self._cursor.execute(numbered, [parameters[name] for name in names] if parameters else ())


@lru_cache(maxsize=1024)
def _numbered(statement: str) -> tuple[bytes, Sequence[str]]:
    """`:name` as PostgreSQL itself writes it, `$1`, and the names in this order; psycopg has nothing left to parse."""
    names: dict[str, str] = {}
    numbered = re.sub(r":(\w+)", lambda found: names.setdefault(found[1], f"${len(names) + 1}"), statement)
    return numbered.encode(), tuple(names)


@cache
def translate(statement: str) -> bytes:
    """`:name` as psycopg writes it, `%(name)s`; each statement is translated once."""
    return re.sub(r":(\w+)", r"%(\1)s", statement.replace("%", "%%")).encode()

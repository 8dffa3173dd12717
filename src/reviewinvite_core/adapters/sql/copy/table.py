"""A copy's statements for one table, valid on all engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reviewinvite_core.adapters.sql.copy.endpoint import CopyEndpoint, Row
from reviewinvite_core.adapters.sql.migrations.tables import Table

ROWS_IN_A_BATCH = 500


class CopiedTable:
    """A table, with one order of its columns for both endpoints, whose own orders may differ."""

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        self.name = table.name
        self.columns = columns
        self._key = table.key
        self._places = [columns.index(name) for name in table.key]
        key = ", ".join(table.key)
        listed = ", ".join(columns)
        values = ", ".join(f":{name}" for name in columns)
        changes = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in table.key)
        after = ", ".join(f":{name}" for name in table.key)
        end = f"ORDER BY {key} LIMIT {ROWS_IN_A_BATCH}"
        self._first_page = f"SELECT {listed} FROM {self.name} {end}"
        self._next_page = f"SELECT {listed} FROM {self.name} WHERE ({key}) > ({after}) {end}"
        self.put = f"INSERT INTO {self.name} ({listed}) VALUES ({values}) ON CONFLICT ({key}) DO UPDATE SET {changes}"
        same_key = " AND ".join(f"{name} = :{name}" for name in table.key)
        self.remove = f"DELETE FROM {self.name} WHERE {same_key}"

    def key_of(self, row: Row) -> Row:
        """Return a row's key."""
        return tuple(row[place] for place in self._places)

    def named_key(self, row: Row) -> Mapping[str, object]:
        """Return a row's key as the parameters of `remove`."""
        return dict(zip(self._key, self.key_of(row), strict=True))

    def named(self, row: Row) -> Mapping[str, object]:
        """Return a row as the parameters of `put`."""
        return dict(zip(self.columns, row, strict=True))

    def pages(self, end: CopyEndpoint) -> Iterator[list[Row]]:
        """Yield all rows in batches; each batch begins after the last key of the previous one."""
        page = end.rows(self._first_page, {})
        while page:
            yield page
            page = end.rows(self._next_page, self.named_key(page[-1])) if len(page) == ROWS_IN_A_BATCH else []

    def lookup(self, end: CopyEndpoint, page: Sequence[Row]) -> Mapping[Row, Row]:
        """Return the rows of an endpoint that have the same keys as the rows of `page`, by key."""
        wanted: list[str] = []
        parameters: dict[str, object] = {}
        for number, row in enumerate(page):
            names = [f"{name}_{number}" for name in self._key]
            wanted.append(f"({', '.join(f':{name}' for name in names)})")
            parameters.update(zip(names, self.key_of(row), strict=True))
        listed = ", ".join(f"{self.name}.{name}" for name in self.columns)
        on = " AND ".join(f"{self.name}.{name} = wanted.{name}" for name in self._key)
        statement = (
            f"WITH wanted ({', '.join(self._key)}) AS (VALUES {', '.join(wanted)})"
            f" SELECT {listed} FROM wanted JOIN {self.name} ON {on}"
        )
        return {self.key_of(row): row for row in end.rows(statement, parameters)}

    def count(self, end: CopyEndpoint) -> int:
        """Return the number of rows at an endpoint."""
        count: int = end.rows(f"SELECT COUNT(*) FROM {self.name}", {})[0][0]
        return count

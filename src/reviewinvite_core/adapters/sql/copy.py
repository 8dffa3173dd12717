"""Copy one SQL database into another, whatever their engines: restartable, and compared row by row in the end.

While a copy is under way a mark stands among the target's migrations, by which every other command refuses it: half
of the orders would not be recognised when they are repeated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

import attrs

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.tables import TABLES, Table
from reviewinvite_core.adapters.sql.schema import UNFINISHED_COPY, check_schema
from reviewinvite_core.domain.errors import ConfigurationError

ROWS_IN_A_BATCH = 500
MOST_DIFFERENCES = 20

Row: TypeAlias = tuple[Any, ...]
Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many rows are done, and of how many; each is done twice, copied and compared."""


class End(Protocol):
    """One of the two databases."""

    def identity(self) -> object:
        """What is equal for two ends that are the same database."""
        ...

    def applied(self) -> Sequence[str]:
        """The names among the migrations, marks included; none in an empty database.

        Raises: `ConfigurationError` where it is another program's.
        """
        ...

    def set_up(self) -> None:
        """Give an empty database this release's schema."""
        ...

    def mark(self, name: str) -> None:
        """Add a name to the migrations."""
        ...

    def unmark(self, name: str) -> None:
        """Take it away again."""
        ...

    def columns(self, table: str) -> Sequence[str]:
        """The columns of a table."""
        ...

    def rows(self, statement: str, parameters: Mapping[str, object]) -> list[Row]:
        """What a query gives."""
        ...

    def change(self, statement: str, parameters: Sequence[Mapping[str, object]]) -> None:
        """Run a statement once for each of the parameters.

        Raises: `ConfigurationError` where the database does not take a row.
        """
        ...

    def reading(self) -> AbstractContextManager[None]:
        """Inside, the database is seen as it was at one moment."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Inside is one transaction, durable in the end."""
        ...


@attrs.frozen
class Difference:
    """A row that is not the same in both databases."""

    table: str
    key: Sequence[object]
    what: str


@attrs.frozen(kw_only=True)
class CopyReport:
    """What a copy came to: rows by table, how many were written, and what is not the same (the first of it)."""

    rows: Mapping[str, int]
    written: int
    differences: Sequence[Difference]
    source_changed: bool

    @property
    def is_good(self) -> bool:
        """Whether the target is now the same as the source."""
        return not self.differences and not self.source_changed


def copy(source: End, target: End, progress: Progress) -> CopyReport:
    """Copy all rows and compare all rows; where a finished copy stands in the target, compare only.

    Raises: `ConfigurationError` where the target is the source, or holds other data; `StorageUnavailable`.
    """
    check_schema(source.applied(), MIGRATIONS)
    if source.identity() == target.identity():
        raise ConfigurationError("FROM and TO are the same database")
    tables = [_Statements(table, sorted(source.columns(table.name))) for table in TABLES]
    mark = _mark_of(source)
    unfinished = _begin(source, target, mark)
    before = _counts(source)
    done = _Done(progress, (2 if unfinished else 1) * sum(before.values()))
    written = _copy_rows(source, target, tables, done) if unfinished else 0
    with source.reading(), target.reading():
        differences = _first(_differences(source, target, tables, done))
    report = CopyReport(
        rows=before,
        written=written,
        differences=differences,
        source_changed=_counts(source) != before,
    )
    if unfinished and report.is_good:
        with target.writing():
            target.unmark(mark)
    return report


def _begin(source: End, target: End, mark: str) -> bool:
    """Make the target ready; whether there is something left to be copied."""
    if not target.applied():
        target.set_up()
    with target.writing():
        applied = target.applied()
        marks = [name for name in applied if name.startswith(UNFINISHED_COPY)]
        check_schema([name for name in applied if name not in marks], MIGRATIONS)
        if marks:
            if marks != [mark]:
                raise ConfigurationError("TO holds part of a copy of another database: name an empty one")
            return True
        ring = _sealed_ring(source)
        if ring and _sealed_ring(target) == ring:
            return False
        filled = [table.name for table in TABLES if target.rows(f"SELECT 1 FROM {table.name} LIMIT 1", {})]
        if filled:
            message = f"TO holds other data (in {', '.join(filled)}): name an empty database"
            raise ConfigurationError(message)
        target.mark(mark)
    return True


def _mark_of(source: End) -> str:
    return UNFINISHED_COPY + hashlib.blake2b(_sealed_ring(source), digest_size=16).hexdigest()


def _sealed_ring(end: End) -> bytes:
    rows = end.rows("SELECT sealed FROM key_ring", {})
    return rows[0][0] if rows else b""


def _counts(end: End) -> Mapping[str, int]:
    with end.reading():
        return {table.name: end.rows(f"SELECT COUNT(*) FROM {table.name}", {})[0][0] for table in TABLES}


class _Done:
    """Counts the rows that are done, and tells it."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._rows = 0

    def add(self, rows: int) -> None:
        self._rows += rows
        self._progress(min(self._rows, self._total), self._total)


class _Statements:
    """What is asked of a table; both ends are given its columns in the same order, whatever theirs is."""

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
        return tuple(row[place] for place in self._places)

    def named_key(self, row: Row) -> Mapping[str, object]:
        return dict(zip(self._key, self.key_of(row), strict=True))

    def named(self, row: Row) -> Mapping[str, object]:
        return dict(zip(self.columns, row, strict=True))

    def pages(self, end: End) -> Iterator[list[Row]]:
        """All rows, a batch at a time, each found by the key of the one before it."""
        page = end.rows(self._first_page, {})
        while page:
            yield page
            page = end.rows(self._next_page, self.named_key(page[-1])) if len(page) == ROWS_IN_A_BATCH else []

    def lookup(self, end: End, page: Sequence[Row]) -> Mapping[Row, Row]:
        """The rows at the other end that have the keys of these, by key."""
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


def _copy_rows(source: End, target: End, tables: Sequence[_Statements], done: _Done) -> int:
    """Write what the target lacks or has otherwise, a batch a transaction; how many rows."""
    written = 0
    with source.reading():
        for table in tables:
            for page in table.pages(source):
                there = table.lookup(target, page)
                wanting = [table.named(row) for row in page if there.get(table.key_of(row)) != row]
                if wanting:
                    with target.writing():
                        target.change(table.put, wanting)
                written += len(wanting)
                done.add(len(page))
        _remove_strangers(source, target, tables)
    return written


def _remove_strangers(source: End, target: End, tables: Sequence[_Statements]) -> None:
    """Take away what an earlier run copied and the source has lost since; what refers to others goes first."""
    for table in reversed(tables):
        if _count(source, table) == _count(target, table):
            continue
        for page in list(table.pages(target)):
            known = table.lookup(source, page)
            strangers = [table.named_key(row) for row in page if table.key_of(row) not in known]
            if strangers:
                with target.writing():
                    target.change(table.remove, strangers)


def _differences(source: End, target: End, tables: Sequence[_Statements], done: _Done) -> Iterator[Difference]:
    for table in tables:
        for page in table.pages(source):
            there = table.lookup(target, page)
            for row in page:
                key = table.key_of(row)
                if key not in there:
                    yield Difference(table.name, key, "missing in TO")
                elif there[key] != row:
                    yield Difference(table.name, key, "not the same")
            done.add(len(page))
        if _count(source, table) != _count(target, table):
            for page in table.pages(target):
                known = table.lookup(source, page)
                keys = [table.key_of(row) for row in page]
                yield from (Difference(table.name, key, "missing in FROM") for key in keys if key not in known)


def _count(end: End, table: _Statements) -> int:
    count: int = end.rows(f"SELECT COUNT(*) FROM {table.name}", {})[0][0]
    return count


def _first(differences: Iterable[Difference]) -> Sequence[Difference]:
    """The first few; all of them would be too many to be read."""
    found = []
    for difference in differences:
        found.append(difference)
        if len(found) == MOST_DIFFERENCES:
            break
    return found

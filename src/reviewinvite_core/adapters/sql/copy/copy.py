"""Copy one SQL database into another, whatever their engines. A copy can be restarted, and is verified row by row.

While a copy is running, a marker among the target's migrations makes every other command refuse the target: with half
of the orders, repeats would not be recognised. The marker names the run that may write. A later run takes over, and the
earlier one stops writing. The source is frozen: nobody can write to it during the copy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TypeAlias

import attrs

from reviewinvite_core.adapters.sql.copy.endpoint import CopyEndpoint
from reviewinvite_core.adapters.sql.copy.table import CopiedTable
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.tables import TABLES
from reviewinvite_core.adapters.sql.schema import UNFINISHED_COPY, check_schema
from reviewinvite_core.domain.errors import ConfigurationError, CopyTakenOver
from reviewinvite_core.domain.sealing import name_of

MOST_DIFFERENCES = 20  # all of them could be too many to read

Progress: TypeAlias = Callable[[int, int], None]
"""Callback with the number of rows done and their total; each row counts twice: once copied, once compared."""


@attrs.frozen
class Difference:
    """A row that differs between the two databases."""

    table: str
    key: Sequence[object]
    what: str


@attrs.frozen(kw_only=True)
class CopyReport:
    """Result of a copy: rows by table, how many were written, and the first few differences."""

    rows: Mapping[str, int]
    written: int
    differences: Sequence[Difference]

    @property
    def is_good(self) -> bool:
        """Whether the target is now equal to the source."""
        return not self.differences


def copy(source: CopyEndpoint, target: CopyEndpoint, run: str, progress: Progress) -> CopyReport:
    """Copy and compare all rows; only compare if the target holds a finished copy.

    `run` is a unique name for this run.

    Raises: `ConfigurationError` if the target is the source, or holds other data; `CopyTakenOver`;
    `StorageUnavailable`.
    """
    check_schema(source.applied(), MIGRATIONS)
    if source.identity() == target.identity():
        raise ConfigurationError("FROM and TO are the same database")
    with source.frozen():
        check_schema(source.applied(), MIGRATIONS)  # it may have been migrated before the freeze
        tables = [CopiedTable(table, sorted(source.columns(table.name))) for table in TABLES]
        counts = {table.name: table.count(source) for table in tables}
        marker = _begin(source, target, run)
        done = _Done(progress, (2 if marker else 1) * sum(counts.values()))
        written = _copy_rows(source, target, marker, tables, done) if marker else 0
        with target.reading():
            differences = list(islice(_differences(source, target, tables, done), MOST_DIFFERENCES))
        if marker:
            with _writing(target, marker):  # changes by a later run would look like differences
                if not differences:
                    target.remove_marker(marker)
    return CopyReport(rows=counts, written=written, differences=differences)


def _begin(source: CopyEndpoint, target: CopyEndpoint, run: str) -> str | None:
    """Prepare the target and make this run the one that may write; return its marker, or None if all is copied."""
    ring = _sealed_ring(source)
    markers_of_source = f"{UNFINISHED_COPY}{hashlib.blake2b(name_of(ring), digest_size=16).hexdigest()}-by-"
    marker = markers_of_source + run
    if not target.applied():
        target.set_up(marker)
    if _is_finished(target, ring):  # checked before locking: the target may be in service
        return None
    with target.alone():
        if _is_finished(target, ring):
            return None
        markers = _markers(target)
        if any(not other.startswith(markers_of_source) for other in markers):
            raise ConfigurationError("TO holds part of a copy of another database: name an empty one")
        filled = [table.name for table in TABLES if target.rows(f"SELECT 1 FROM {table.name} LIMIT 1", {})]
        if filled and not markers:
            message = f"TO holds other data (in {', '.join(filled)}): name an empty database"
            raise ConfigurationError(message)
        for other in markers:
            target.remove_marker(other)
        target.add_marker(marker)
    return marker


def _is_finished(target: CopyEndpoint, ring: bytes) -> bool:
    """Return whether the target holds a finished copy of the database with this ring; once true, this stays true.

    Raises: `SchemaTooNew`, `SchemaTooOld`.
    """
    check_schema([name for name in target.applied() if not name.startswith(UNFINISHED_COPY)], MIGRATIONS)
    there = _sealed_ring(target)  # read first: another run sets its marker before it writes the ring
    same_ring = ring != b"" and name_of(there) == name_of(ring)  # the secret may have changed on one side
    return same_ring and not _markers(target)


def _markers(target: CopyEndpoint) -> Sequence[str]:
    return [name for name in target.applied() if name.startswith(UNFINISHED_COPY)]


def _sealed_ring(end: CopyEndpoint) -> bytes:
    rows = end.rows("SELECT sealed FROM key_ring", {})
    return rows[0][0] if rows else b""


@contextmanager
def _writing(target: CopyEndpoint, marker: str) -> Iterator[None]:
    """Open a transaction in the target, if this run's marker is still there.

    Raises: `CopyTakenOver`, with nothing written.
    """
    with target.writing():
        if not target.has_marker(marker):
            raise CopyTakenOver("another `db copy` into TO has started since and taken over; let it finish")
        yield


class _Done:
    """Counts finished rows and reports progress."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._rows = 0

    def add(self, rows: int) -> None:
        self._rows += rows
        self._progress(min(self._rows, self._total), self._total)


def _copy_rows(
    source: CopyEndpoint, target: CopyEndpoint, marker: str, tables: Sequence[CopiedTable], done: _Done
) -> int:
    """Write the rows that are missing or different in the target, one transaction per batch; return their number."""
    _remove_strangers(source, target, marker, tables)
    written = 0
    for table in tables:
        for page in table.pages(source):
            there = table.lookup(target, page)
            wanting = [table.named(row) for row in page if there.get(table.key_of(row)) != row]
            if wanting:
                with _writing(target, marker):
                    target.change(table.put, wanting)
            written += len(wanting)
            done.add(len(page))
    return written


def _remove_strangers(source: CopyEndpoint, target: CopyEndpoint, marker: str, tables: Sequence[CopiedTable]) -> None:
    """Remove rows that an earlier run copied and the source no longer has, before they conflict with new rows.

    Tables that reference others are cleared first.
    """
    for table in reversed(tables):
        for page in table.pages(target):
            known = table.lookup(source, page)
            strangers = [table.named_key(row) for row in page if table.key_of(row) not in known]
            if strangers:
                with _writing(target, marker):
                    target.change(table.remove, strangers)


def _differences(
    source: CopyEndpoint, target: CopyEndpoint, tables: Sequence[CopiedTable], done: _Done
) -> Iterator[Difference]:
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
        if table.count(source) != table.count(target):
            for page in table.pages(target):
                known = table.lookup(source, page)
                keys = [table.key_of(row) for row in page]
                yield from (Difference(table.name, key, "missing in FROM") for key in keys if key not in known)

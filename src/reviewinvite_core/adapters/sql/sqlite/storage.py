"""Storage in one SQLite file: one writer at a time, every commit on disk before it is acknowledged."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.schema import check_schema
from reviewinvite_core.adapters.sql.sqlite import maintenance
from reviewinvite_core.adapters.sql.sqlite.checkpoints import Checkpointer
from reviewinvite_core.adapters.sql.sqlite.file import (
    BUSY_SECONDS,
    DISK_FULL,
    ROOM,
    applied,
    connect,
    connect_to_read,
    faults_as_unavailable,
    file_at,
    free_bytes,
    is_fault,
    is_read_only,
    unavailable,
)
from reviewinvite_core.adapters.sql.sqlite.migrate import migrate
from reviewinvite_core.adapters.sql.sqlite.statements import PositionalParams
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.sealing import name_of
from reviewinvite_core.execution import group_batchable, run_group
from reviewinvite_core.forks import ProcessGuard
from reviewinvite_core.ports import Condition, Done, Executor, Failed, Outcome, UnitOfWork

T = TypeVar("T")

_OF_WRITER = (
    "PRAGMA temp_store = MEMORY",  # no temporary file for savepoints
    # KiB: orders arrive in random key order, and so touch pages all over the file. With a million stored, a
    # quarter of this reads clearly more of them again; with a hundred thousand, it makes no difference.
    "PRAGMA cache_size = -64000",
    "PRAGMA wal_autocheckpoint = 0",  # the `Checkpointer` does it
)


class SqliteStorage:
    """Storage in a SQLite file, for any number of processes on one machine. Implements `ports.Storage`.

    A connection that failed is dropped and replaced for the next unit, so that storage that was full, locked, read-only
    or missing works again as soon as the cause is gone.
    """

    units_only_compute = True
    connections = None
    one_host = True
    batches_at_once = 1

    def __init__(
        self,
        path: Path,
        *,
        busy_seconds: float = BUSY_SECONDS,
        migrations: Sequence[Migration] = MIGRATIONS,
        create: bool = True,
    ) -> None:
        """Open the database, and set it up if it is new; raise then without `create`.

        Raises: `SchemaTooOld`, `SchemaTooNew`, `DatabaseMissing`; `ConfigurationError` if the file is another
        program's; `StorageUnavailable` if it cannot be opened.
        """
        self.last_write_failed = False
        self._path = path
        self._migrations = migrations
        self._busy_seconds = busy_seconds
        self._one_at_a_time = threading.Lock()
        self._guard = ProcessGuard()
        self._writer: _Transaction | None = None
        self._readers: list[_Transaction] = []
        self._checkpointer = Checkpointer(path, lambda: connect(path, busy_seconds))
        self._file: tuple[int, int] | None = None
        self._ring: bytes | None = None
        migrate(path, busy_seconds=busy_seconds, only_if_new=True, create=create, migrations=migrations)

    def run(self, unit: UnitOfWork[T]) -> T:
        with self._transaction() as opened:
            return unit(opened.store)

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        try:
            with self._transaction() as opened:
                work = partial(_outcomes, opened, units)
                return executor.run(work) if executor else work()
        except StorageUnavailable as error:
            return [Failed(error)] * len(units)

    def try_writing(self) -> None:
        """Write a page; on a full disk one may still fit where an order does not, so there has to be room for more."""
        if free_bytes(self._path) < ROOM:
            self.last_write_failed = True
            raise StorageUnavailable(DISK_FULL)
        with self._transaction() as opened:
            opened.store.try_writing()

    def read(self, unit: UnitOfWork[T]) -> T:
        with faults_as_unavailable(self._path):
            reader = self._usable_reader()
            try:
                reader.connection.execute("BEGIN")
                result = unit(reader.store)
            except BaseException:
                reader.connection.close()
                raise
            reader.connection.execute("ROLLBACK")
            self._put_back(reader)
            return result

    def problems(self) -> Sequence[str]:
        with faults_as_unavailable(self._path):
            return maintenance.problems(self._path, self._busy_seconds, self._migrations)

    def compact(self) -> None:
        """Rewrite the file, and empty the write-ahead log."""
        with self._one_at_a_time, faults_as_unavailable(self._path):
            maintenance.rewrite(self._path, self._busy_seconds)

    def forget_old_ring(self) -> None:
        """Empty the write-ahead log: the page in the file was overwritten, but the log may hold its earlier version."""
        with self._one_at_a_time, faults_as_unavailable(self._path):
            maintenance.empty_log(self._path, self._busy_seconds)

    def condition(self) -> Condition:
        with faults_as_unavailable(self._path):
            reader = self._usable_reader()
            check_schema(applied(reader.connection), self._migrations)
            self._put_back(reader)
        return Condition(engine="sqlite")

    def close(self) -> None:
        if self._guard.is_elsewhere():
            return  # SQLite forbids closing a connection in another process than its own
        with self._one_at_a_time:
            self._checkpointer.wait(self._busy_seconds)
            self._drop_writer()
            self._drop_readers()

    @contextmanager
    def _transaction(self) -> Iterator[_Transaction]:
        """Run the block in one transaction of the single writer and commit; drop a connection that failed."""
        self._guard.require_same_process()
        with self._one_at_a_time, faults_as_unavailable(self._path):
            try:
                opened = self._writer = self._usable_writer()
                opened.connection.execute("BEGIN IMMEDIATE")
                try:
                    yield opened
                    opened.require_transaction()
                    opened.store.invitation_figures.flush()
                    self._ring = self._ring or _name(opened.store)
                    opened.connection.execute("COMMIT")
                    self._checkpointer.after_commit(opened.connection)
                    self.last_write_failed = False
                except BaseException:
                    opened.store.invitation_figures.roll_back()
                    if opened.connection.in_transaction:
                        opened.connection.execute("ROLLBACK")
                    raise
            except (sqlite3.Error, StorageUnavailable) as error:
                self.last_write_failed |= isinstance(error, StorageUnavailable) or is_fault(error)
                self._drop_writer()
                if is_read_only(error):
                    self._drop_readers()
                raise

    def _usable_writer(self) -> _Transaction:
        if self._writer and self._writer.file == file_at(self._path):
            return self._writer
        self._drop_writer()
        opened = self._opened(connect(self._path, self._busy_seconds))
        for pragma in _OF_WRITER:
            opened.connection.execute(pragma)
        return opened

    def _usable_reader(self) -> _Transaction:
        self._guard.require_same_process()
        file = file_at(self._path)
        while True:
            try:
                reader = self._readers.pop()  # checking first would be a race
            except IndexError:
                return self._opened(*connect_to_read(self._path, self._busy_seconds))
            if reader.file == file:
                return reader
            reader.connection.close()

    def _put_back(self, reader: _Transaction) -> None:
        if reader.may_be_kept:
            self._readers.append(reader)
        else:
            reader.connection.close()

    def _opened(self, connection: sqlite3.Connection, may_be_kept: bool = True) -> _Transaction:
        """Return the transaction of a new connection; raise if another database has taken the place of ours."""
        opened = _Transaction(connection, file_at(self._path), may_be_kept)
        ring = _name(opened.store)
        if self._file and self._file != opened.file and self._ring != ring:
            opened.connection.close()
            raise StorageUnavailable("the database file was replaced by another database: restart")
        self._file, self._ring = opened.file, ring
        return opened

    def _drop_writer(self) -> None:
        if self._writer:
            self._writer.connection.close()
            self._writer = None

    def _drop_readers(self) -> None:
        """Close the idle readers: connections of a process share a log, which stays read-only as long as one has it."""
        while self._readers:
            self._readers.pop().connection.close()


class _Transaction:
    """A connection with its store, and the file's identity when it was opened."""

    def __init__(self, connection: sqlite3.Connection, file: tuple[int, int], may_be_kept: bool) -> None:
        self.connection = connection
        self.may_be_kept = may_be_kept
        self.store = SqlStore(PositionalParams(connection))
        self.file = file

    def require_transaction(self) -> None:
        """Raise unless the transaction is still open: on a full disk SQLite rolls it back by itself."""
        if not self.connection.in_transaction:
            raise StorageUnavailable("the transaction was rolled back")


def _name(store: SqlStore) -> bytes | None:
    """Return the name of the key ring, which stays the same when the secret changes."""
    sealed = store.sealed_key_ring()
    return sealed and name_of(sealed)


def _outcomes(opened: _Transaction, units: Sequence[UnitOfWork[object]]) -> Sequence[Outcome]:
    """Run each group of units under a savepoint; if that fails, run each of its units under its own.

    Raises: `StorageUnavailable` if the whole transaction, and with it the batch, is lost.
    """
    execute = opened.connection.execute
    figures = opened.store.invitation_figures
    outcomes: list[Outcome] = []
    for group in group_batchable(units):
        savepoint = figures.savepoint()
        execute("SAVEPOINT units")
        try:
            outcomes += map(Done, run_group(opened.store, group))
        except Exception as error:
            opened.require_transaction()
            if is_read_only(error):
                raise  # it is so for every unit, and for as long as this connection lasts
            execute("ROLLBACK TO units")
            figures.roll_back(savepoint)
            execute("RELEASE units")
            if len(group) > 1:
                outcomes += [outcome for unit in group for outcome in _outcomes(opened, [unit])]
            else:
                outcomes.append(Failed(unavailable(error) if is_fault(error) else error))
        else:
            opened.require_transaction()
            execute("RELEASE units")
    return outcomes

"""Storage in PostgreSQL: any number of processes, on any number of machines, over one database."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from reviewinvite_core.adapters.sql.connection import Cursor
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.postgres_faults import Conflict, ended, faults_as_unavailable, translated
from reviewinvite_core.adapters.sql.postgres_pool import ANSWER_SECONDS, Pool
from reviewinvite_core.adapters.sql.postgres_start import WAIT_SECONDS, connected
from reviewinvite_core.adapters.sql.postgres_start import Connection as _Connection
from reviewinvite_core.adapters.sql.schema import TryRing, check_schema, not_tried
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable
from reviewinvite_core.ports import Condition, Done, Failed, Outcome, Place, Store, Unit, joined, locks_of, run_joined

T = TypeVar("T")

BUSY_SECONDS = 5.0
MOST_TRIES = 5

_SKIP_LOCKED = "FOR UPDATE SKIP LOCKED"
_TYPES = {"blob": "BYTEA", "clustered": ""}
# Said and not left to the server: at a stricter level a unit would see storage as it was before it got its locks.
BEGIN_WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# A unit only computes between its statements: where nothing comes for so long, its process or machine is gone or
# stands still, and the locks it holds are those of others' orders too (ADR-15).
_BOUNDS = "; SET LOCAL statement_timeout = '30s'; SET LOCAL idle_in_transaction_session_timeout = '30s'"
_BEGIN = BEGIN_WRITING + _BOUNDS + "; SET LOCAL lock_timeout = '{busy_ms}ms'"
_BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" + _BOUNDS
_LOCK = "SELECT pg_advisory_xact_lock(lock) FROM unnest(%(locks)s::bigint[]) AS lock"
_NOW = "SELECT clock_timestamp()"

LOCK_SCHEMA = "SELECT pg_advisory_xact_lock(7310311876551049217)"  # a number that no other program locks by
_HAS_MIGRATIONS = "SELECT to_regclass('reviewinvite_migrations') IS NOT NULL"
_MIGRATIONS_TABLE = "CREATE TABLE reviewinvite_migrations (name TEXT PRIMARY KEY)"
_APPLIED = "SELECT name FROM reviewinvite_migrations ORDER BY name"
_APPLY = "INSERT INTO reviewinvite_migrations (name) VALUES (%(name)s)"


class PostgresStorage:
    """See `ports.Storage`. Works through a transaction pooler.

    A unit may be run more than once: after a deadlock, and again by itself when another of its batch has failed.
    """

    units_only_compute = False
    one_host = False
    batches_at_once = 4  # while one waits for the network or its commit, another goes on

    def __init__(
        self,
        url: str,
        *,
        wait_seconds: float = WAIT_SECONDS,
        busy_seconds: float = BUSY_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> None:
        """Connect, waiting for a database that is still starting, and set it up if it is new.

        A unit of work waits for a connection, and for what another one holds, `busy_seconds` at most each;
        for the answer to a statement it waits `answer_seconds` at most.

        Raises: `SchemaTooOld`, `SchemaTooNew`; `ConfigurationError` where it answers and will not have us;
        `StorageUnavailable` where it does not answer within `wait_seconds`.
        """
        self._begin = _BEGIN.format(busy_ms=round(busy_seconds * 1000)).encode()
        self._migrations = migrations
        self._pool = Pool(url, busy_seconds=busy_seconds, answer_seconds=answer_seconds)
        try:
            with faults_as_unavailable(), connected(url, wait_seconds, to_write=True) as connection:
                _migrate(connection, migrations, only_if_new=True)
            self._pool.open()
        except BaseException:
            self._pool.close()
            raise

    def run(self, unit: Unit[T]) -> T:
        """See `ports.Storage`."""
        return self._commit(lambda: locks_of([unit]), lambda opened: unit(opened.store))

    def run_all(self, units: Sequence[Unit[object]], *, place: Place | None = None) -> Sequence[Outcome]:
        """See `ports.Storage`."""

        def gathered() -> Sequence[int]:
            return place.run(lambda: locks_of(units)) if place else locks_of(units)

        try:
            return self._commit(gathered, lambda opened: _results(opened.store, units))
        except StorageUnavailable as error:
            return [Failed(error)] * len(units)
        except Exception:
            return self._run_each(units)

    def _run_each(self, units: Sequence[Unit[object]]) -> Sequence[Outcome]:
        """Each under a savepoint of its own: slower, so only when one of them is known to fail."""
        try:
            return self._commit(lambda: locks_of(units), lambda opened: [opened.outcome(unit) for unit in units])
        except StorageUnavailable as error:
            return [Failed(error)] * len(units)

    def read(self, unit: Unit[T]) -> T:
        """See `ports.Storage`."""
        with self._pool.connection() as connection:
            connection.execute(_BEGIN_READING)
            return unit(_Opened(connection).store)

    def problems(self) -> Sequence[str]:
        """See `ports.Storage`. PostgreSQL checks its own pages and references."""
        self.read(lambda store: store.sealed_key_ring())
        return []

    def compact(self) -> None:
        """See `ports.Storage`. A plain VACUUM, which nobody waits for; docs/operating.md says what it leaves."""
        with faults_as_unavailable(), self._pool.connection() as connection:
            connection.execute("VACUUM invitations")

    def condition(self) -> Condition:
        """See `ports.Storage`."""
        with self._pool.connection() as connection:
            check_schema(applied(connection), self._migrations)
        return Condition(engine="postgresql", connections=self._pool.figures())

    def close(self) -> None:
        """See `ports.Storage`."""
        self._pool.close()

    def _commit(self, locks: Callable[[], Sequence[int]], work: Callable[[_Opened], T]) -> T:
        """One transaction, from its locks, always taken in the same order, to its commit; again after a conflict."""
        for remaining in reversed(range(MOST_TRIES)):
            try:
                with self._pool.connection() as connection:
                    connection.execute(self._begin)
                    wanted = locks()
                    if wanted:
                        connection.execute(_LOCK, {"locks": list(wanted)})
                    result = work(_Opened(connection))
                    if connection.execute("COMMIT").statusmessage != "COMMIT":  # a unit swallowed an engine's error
                        raise StorageUnavailable("the transaction was rolled back")
                    return result
            except Conflict:
                if not remaining:
                    raise
        raise AssertionError  # the loop returns or raises


def _results(store: Store, units: Sequence[Unit[object]]) -> Sequence[Outcome]:
    return [Done(result) for those in joined(units) for result in run_joined(store, those)]


class _Opened:
    """A connection in a transaction, with its store."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        self.store = SqlStore(_Named(connection), skip_locked=_SKIP_LOCKED, now=self._now)
        self._began: datetime | None = None

    def _now(self) -> datetime:
        """The database's clock, read once, after the locks were taken."""
        if self._began is None:
            row = self._connection.execute(_NOW).fetchone()
            self._began = row[0].astimezone(UTC) if row else None
        assert self._began is not None  # noqa: S101 - for the type checker: a SELECT without FROM gives a row
        return self._began

    def outcome(self, unit: Unit[object]) -> Outcome:
        """Run one unit under a savepoint of its own.

        Raises: `StorageUnavailable` where the whole transaction is gone.
        """
        execute = self._connection.execute
        execute("SAVEPOINT unit")
        try:
            result = unit(self.store)
        except Exception as error:
            if self._connection.info.transaction_status not in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
                raise StorageUnavailable("the transaction is gone") from error
            execute("ROLLBACK TO unit")
            return Failed(translated(error))
        execute("RELEASE unit")
        return Done(result)


class _Named:
    """The connection as the repositories know it: statements with `:name`, each result read before the next."""

    def __init__(self, connection: _Connection) -> None:
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


def migrate(
    url: str,
    *,
    wait_seconds: float = WAIT_SECONDS,
    only_if_new: bool = False,
    migrations: Sequence[Migration] = MIGRATIONS,
    try_ring: TryRing = not_tried,
) -> Sequence[str]:
    """Bring the database to this release's schema (or to that of other `migrations`); what was applied.

    Nothing is where `try_ring` raises, which is given the sealed key ring of a database that is set up.

    Raises: `SchemaTooNew`; `SchemaTooOld` with `only_if_new` where there is data of an older release;
    `ConfigurationError` where it answers and will not have us; `StorageUnavailable`.
    """
    with faults_as_unavailable(), connected(url, wait_seconds, to_write=True) as connection:
        return _migrate(connection, migrations, only_if_new=only_if_new, try_ring=try_ring)


def _migrate(
    connection: _Connection, migrations: Sequence[Migration], *, only_if_new: bool, try_ring: TryRing = not_tried
) -> Sequence[str]:
    """See `migrate`. One transaction under a lock, so it is safe when several processes do it at once."""
    with ended(connection):
        connection.execute(BEGIN_WRITING)
        connection.execute(LOCK_SCHEMA)
        before = applied(connection)
        if not only_if_new or not before:
            check_schema(before, migrations, older_will_do=True)
            if before:
                try_ring(SqlStore(_Named(connection)).sealed_key_ring())
            else:
                connection.execute(_MIGRATIONS_TABLE)
            for migration in migrations:
                if migration.name not in before:
                    _apply(connection, migration)
                    connection.execute(_APPLY, {"name": migration.name})
        after = applied(connection)
        check_schema(after, migrations)
        connection.execute("COMMIT")
    return [name for name in after if name not in before]


def _apply(connection: _Connection, migration: Migration) -> None:
    try:
        for statement in migration.statements:
            connection.execute(statement.format_map(_TYPES).encode())
    except psycopg.errors.DuplicateTable as error:
        message = "this database has tables of another program under our names: name another database"
        raise ConfigurationError(message) from error


def applied(connection: _Connection) -> Sequence[str]:
    row = connection.execute(_HAS_MIGRATIONS).fetchone()
    return [name for (name,) in connection.execute(_APPLIED)] if row and row[0] else []

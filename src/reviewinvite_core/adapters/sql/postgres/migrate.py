"""Migrate a PostgreSQL database to this release's schema; each start checks the schema."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext

import attrs
import psycopg

from reviewinvite_core.adapters.sql.migrate import run
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.postgres.connect import WAIT_SECONDS, connected
from reviewinvite_core.adapters.sql.postgres.errors import ended, faults_as_unavailable
from reviewinvite_core.adapters.sql.postgres.statements import NumberedParams
from reviewinvite_core.adapters.sql.postgres.timeouts import ANSWER_SECONDS, BoundedConnection
from reviewinvite_core.adapters.sql.schema import TryRing, not_tried
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable

_TYPES = {"blob": "BYTEA", "clustered": ""}
# Explicit rather than the server's default: a stricter level would show a unit storage as of before its locks.
BEGIN_WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# No limit on statements: migrations of large tables take long. But one on silence, as everybody needs the lock.
_BEGIN = (
    BEGIN_WRITING + "; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '30s'"
    "; SET LOCAL lock_timeout = '{lock_ms}ms'"
)

LOCK_SCHEMA = "SELECT pg_advisory_xact_lock(7310311876551049217)"  # a number that no other program locks
# Not to_regclass: it may answer from a cache that lacks a table created meanwhile.
_HAS_MIGRATIONS = """
SELECT EXISTS (
    SELECT 1 FROM pg_tables WHERE tablename = 'reviewinvite_migrations' AND schemaname = ANY (current_schemas(false))
)
"""
_MIGRATIONS_TABLE = "CREATE TABLE reviewinvite_migrations (name TEXT PRIMARY KEY)"
_APPLIED = "SELECT name FROM reviewinvite_migrations ORDER BY name"
_APPLY = "INSERT INTO reviewinvite_migrations (name) VALUES (%(name)s)"


def migrate(
    url: str,
    *,
    wait_seconds: float = WAIT_SECONDS,
    answer_seconds: float = ANSWER_SECONDS,
    only_if_new: bool = False,
    create: bool = True,
    migrations: Sequence[Migration] = MIGRATIONS,
    try_ring: TryRing = not_tried,
) -> Sequence[str]:
    """Migrate the database to the schema of `migrations`; see `migrate.run`.

    It waits for the server, and then for others that migrate or lock a table, up to `wait_seconds` each. A migration of
    data has no time limit.

    Raises: `SchemaTooNew`, `SchemaTooOld`, `DatabaseMissing`; `ConfigurationError` if the server rejects us;
    `StorageUnavailable`.
    """
    with (
        faults_as_unavailable(),
        connected(url, wait_seconds, to_write=True, answer_seconds=answer_seconds) as connection,
    ):
        return run(
            _Engine(connection, wait_seconds), migrations, only_if_new=only_if_new, create=create, try_ring=try_ring
        )


def applied(connection: BoundedConnection) -> Sequence[str]:
    """Return the names of the database's migrations; empty if it is not set up."""
    row = connection.execute(_HAS_MIGRATIONS).fetchone()
    return [name for (name,) in connection.execute(_APPLIED)] if row and row[0] else []


@attrs.frozen
class _Engine:
    """PostgreSQL's part of a migration. Implements `migrate.MigrationEngine`."""

    _connection: BoundedConnection
    _wait_seconds: float

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with ended(self._connection):
            lock_ms = max(1, round(self._wait_seconds * 1000))  # 0 would mean for ever
            self._connection.execute(_BEGIN.format(lock_ms=lock_ms).encode())
            yield
            self._connection.execute("COMMIT")

    def applied(self) -> Sequence[str]:
        return applied(self._connection)

    def lock(self) -> None:
        try:
            with self._connection.answering_within(self._connection.answer_seconds + self._wait_seconds):
                self._connection.execute(LOCK_SCHEMA)  # the server answers within that time
        except psycopg.errors.LockNotAvailable as error:
            message = (
                "another process is migrating this database, or copying into it, for more than "
                f"{self._wait_seconds:g} seconds"
            )
            raise StorageUnavailable(message) from error

    def store(self) -> SqlStore:
        return SqlStore(NumberedParams(self._connection))

    def draw_epoch(self) -> int:
        row = self._connection.execute("SELECT CAST(floor(random() * 9007199254740992) AS BIGINT)").fetchone()
        return int(row[0]) if row else 0

    def apply(self, pending: Sequence[Migration]) -> None:
        is_new = not self.applied()
        if is_new:
            self._connection.execute(_MIGRATIONS_TABLE)
        # nothing takes long in a new database, so a silent server is noticed there
        with nullcontext() if is_new else self._connection.answering_within(math.inf):
            for migration in pending:
                _apply(self._connection, migration)
                self._connection.execute(_APPLY, {"name": migration.name})


def _apply(connection: BoundedConnection, migration: Migration) -> None:
    try:
        for statement in (*migration.statements, *migration.on_postgres):
            connection.execute(statement.format_map(_TYPES).encode())
    except psycopg.errors.DuplicateTable as error:
        message = "this database has tables of another program under our names: name another database"
        raise ConfigurationError(message) from error
    except psycopg.errors.LockNotAvailable as error:
        message = "a migration waited too long for a table locked by another session (pg_dump?); nothing was applied"
        raise StorageUnavailable(message) from error

"""Bringing a PostgreSQL database to the schema of this release; each start looks whether it is there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext

import psycopg

from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.migrations.migration import Migration
from reviewinvite_core.adapters.sql.postgres.connect import WAIT_SECONDS, connected
from reviewinvite_core.adapters.sql.postgres.errors import ended, faults_as_unavailable
from reviewinvite_core.adapters.sql.postgres.statements import NumberedParams
from reviewinvite_core.adapters.sql.postgres.timeouts import ANSWER_SECONDS, BoundedConnection
from reviewinvite_core.adapters.sql.schema import TryRing, check_schema, not_tried
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable

_TYPES = {"blob": "BYTEA", "clustered": ""}
# Said and not left to the server: at a stricter level a unit would see storage as it was before it got its locks.
BEGIN_WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# No bound on a statement: on large tables a migration takes long. One on silence, as the lock is everybody's.
_BEGIN = (
    BEGIN_WRITING + "; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '30s'"
    "; SET LOCAL lock_timeout = '{lock_ms}ms'"
)

LOCK_SCHEMA = "SELECT pg_advisory_xact_lock(7310311876551049217)"  # a number that no other program locks by
# Not to_regclass: that may answer from the server's memory, in which the table is not yet that was made meanwhile.
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
    migrations: Sequence[Migration] = MIGRATIONS,
    try_ring: TryRing = not_tried,
) -> Sequence[str]:
    """Bring the database to this release's schema (or to that of other `migrations`); what was applied.

    Nothing is where `try_ring` raises, which is given the sealed key ring of a database that is set up. The server,
    and who else migrates or holds a table, is waited for `wait_seconds` each; a migration of data takes its time.

    Raises: `SchemaTooNew`; `SchemaTooOld` with `only_if_new` if there is data of an older release;
    `ConfigurationError` where it answers and will not have us; `StorageUnavailable`.
    """
    with (
        faults_as_unavailable(),
        connected(url, wait_seconds, to_write=True, answer_seconds=answer_seconds) as connection,
        ended(connection),
    ):
        connection.execute(_BEGIN.format(lock_ms=max(1, round(wait_seconds * 1000))).encode())  # 0 would be for ever
        before = applied(connection)
        if set(before) != {migration.name for migration in migrations}:
            _lock_schema(connection, wait_seconds)
            before = applied(connection)  # as it is now that nobody else changes it
        if not only_if_new or not before:
            _bring_up(connection, before, migrations, try_ring)
        after = applied(connection)
        check_schema(after, migrations)
        connection.execute("COMMIT")
    return [name for name in after if name not in before]


def applied(connection: BoundedConnection) -> Sequence[str]:
    """The names of the migrations that the database has; none where it is not set up."""
    row = connection.execute(_HAS_MIGRATIONS).fetchone()
    return [name for (name,) in connection.execute(_APPLIED)] if row and row[0] else []


def _lock_schema(connection: BoundedConnection, wait_seconds: float) -> None:
    try:
        with connection.answering_within(connection.answer_seconds + wait_seconds):  # so that the server answers first
            connection.execute(LOCK_SCHEMA)
    except psycopg.errors.LockNotAvailable as error:
        message = (
            f"another process is migrating this database, or copying into it, for more than {wait_seconds:g} seconds"
        )
        raise StorageUnavailable(message) from error


def _bring_up(
    connection: BoundedConnection, before: Sequence[str], migrations: Sequence[Migration], try_ring: TryRing
) -> None:
    check_schema(before, migrations, older_will_do=True)
    if before:
        try_ring(SqlStore(NumberedParams(connection)).sealed_key_ring())
    else:
        connection.execute(_MIGRATIONS_TABLE)
    # in a new database there is nothing that would take long: there a silent server is noticed
    with connection.answering_within(math.inf) if before else nullcontext():
        for migration in migrations:
            if migration.name not in before:
                _apply(connection, migration)
                connection.execute(_APPLY, {"name": migration.name})


def _apply(connection: BoundedConnection, migration: Migration) -> None:
    try:
        for statement in (*migration.statements, *migration.on_postgres):
            connection.execute(statement.format_map(_TYPES).encode())
    except psycopg.errors.DuplicateTable as error:
        message = "this database has tables of another program under our names: name another database"
        raise ConfigurationError(message) from error
    except psycopg.errors.LockNotAvailable as error:
        message = "a migration waited too long for a table that somebody else holds (pg_dump?), and nothing was applied"
        raise StorageUnavailable(message) from error

"""Errors on a connection to PostgreSQL, and rolling back after them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg.pq import TransactionStatus

from reviewinvite_core.adapters.sql.postgres.timeouts import BoundedConnection
from reviewinvite_core.domain.errors import StorageUnavailable


class Conflict(StorageUnavailable):
    """A deadlock or a conflict with another transaction; the unit can be retried."""


# Failures that psycopg does not classify as the engine's own. A transaction that failed before, or that the server
# ended because it was idle or took too long:
_GONE = frozenset({"25P02", "25P03", "25P04"})
# A server in recovery answers 0A000 to a BEGIN READ WRITE and 25006 to other writes; so does a connection whose
# prepared statements were outdated by a migration.
_STANDBY = frozenset({"0A000", "25006"})
# A pooler has switched us to a server connection on which a statement was not prepared.
_NOT_PREPARED = frozenset({"26000", "42P05"})


@contextmanager
def ended(connection: BoundedConnection) -> Iterator[None]:
    """Leave no transaction open after the block, however the block ends."""
    try:
        yield
    finally:
        if connection.info.transaction_status is not TransactionStatus.IDLE:
            with suppress(psycopg.Error):
                connection.execute("ROLLBACK")


@contextmanager
def faults_as_unavailable() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        known = translated(error)
        if known is error:
            raise
        raise known from error


def translated(error: Exception) -> Exception:
    """Return a storage failure as `StorageUnavailable` or `Conflict`, and any other error, such as a bug, unchanged."""
    if isinstance(error, psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure):
        return Conflict(str(error))
    if _code(error) in _NOT_PREPARED:
        advice = (
            "the pooler in front of PostgreSQL does not support prepared statements: "
            "leave prepared_statements=on out of database_url, or set it to off"
        )
        return StorageUnavailable(f"{error} ({advice})")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) or _code(error) in _GONE | _STANDBY:
        return StorageUnavailable(str(error))
    return error


def is_of_the_connection(error: BaseException | None) -> bool:
    """Return whether the error, or one of its causes, would recur for the next unit on this connection.

    That is the case if the server is read-only, or if prepared statements are missing or outdated.
    """
    if error is None:
        return False
    return _code(error) in _STANDBY | _NOT_PREPARED or is_of_the_connection(error.__cause__)


def _code(error: BaseException) -> str | None:
    return error.sqlstate if isinstance(error, psycopg.Error) else None

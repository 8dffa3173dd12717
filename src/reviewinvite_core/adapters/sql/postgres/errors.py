"""What goes wrong on a connection to PostgreSQL, and what is left behind: nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg.pq import TransactionStatus

from reviewinvite_core.adapters.sql.postgres.timeouts import BoundedConnection
from reviewinvite_core.domain.errors import StorageUnavailable


class Conflict(StorageUnavailable):
    """A deadlock or a conflict with another transaction: to be tried again."""


# What psycopg does not count among an engine's own failures. A transaction that failed before, or that the server
# ended because it was idle or took too long:
_GONE = frozenset({"25P02", "25P03", "25P04"})
# A server in recovery says 0A000 to a BEGIN that is to write, and 25006 to what writes without one; so does a
# connection whose prepared statements another release's migration has outdated.
_STANDBY = frozenset({"0A000", "25006"})
# A pooler in between has given us another server connection than the one on which a statement was prepared.
_NOT_PREPARED = frozenset({"26000", "42P05"})


@contextmanager
def ended(connection: BoundedConnection) -> Iterator[None]:
    """Whatever happens inside, no transaction is left open; a connection that is gone has none."""
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
    """A fault of storage as `StorageUnavailable`; what a program did wrong as it is."""
    if isinstance(error, psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure):
        return Conflict(str(error))
    if _code(error) in _NOT_PREPARED:
        advice = "the pooler before PostgreSQL does not follow prepared statements: see prepared_statements=off"
        return StorageUnavailable(f"{error} ({advice})")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) or _code(error) in _GONE | _STANDBY:
        return StorageUnavailable(str(error))
    return error


def is_of_the_connection(error: BaseException | None) -> bool:
    """Whether a server said, in this error or in one that it comes from, what it would say to the next unit as well.

    It cannot be written to, or it does not have what was prepared.
    """
    if error is None:
        return False
    return _code(error) in _STANDBY | _NOT_PREPARED or is_of_the_connection(error.__cause__)


def _code(error: BaseException) -> str | None:
    return error.sqlstate if isinstance(error, psycopg.Error) else None

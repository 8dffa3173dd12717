"""What goes wrong on a connection to PostgreSQL, and what is left behind: nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg.pq import TransactionStatus

from reviewinvite_core.adapters.sql.postgres_start import Connection
from reviewinvite_core.domain.errors import StorageUnavailable


class Conflict(StorageUnavailable):
    """A deadlock or a conflict with another transaction: to be tried again."""


@contextmanager
def ended(connection: Connection) -> Iterator[None]:
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
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | psycopg.errors.InFailedSqlTransaction):
        return StorageUnavailable(str(error))
    return error

"""The pool of PostgreSQL connections that a process's threads share; every wait is limited (ADR-15)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg_pool import ConnectionPool

from reviewinvite_core.adapters.loggers import get_logger
from reviewinvite_core.adapters.sql.postgres.connect import (
    parameters_of,
    prepare_if_direct,
    prepares_if_direct,
    refuse_standby,
)
from reviewinvite_core.adapters.sql.postgres.errors import ended, faults_as_unavailable, is_of_the_connection
from reviewinvite_core.adapters.sql.postgres.timeouts import BoundedConnection
from reviewinvite_core.forks import ProcessGuard
from reviewinvite_core.ports import Connections

RECONNECT_SECONDS = 1.0  # then the next unit of work tries again, so that a database that came back is found at once
CLOSE_SECONDS = 1.0
MOST_CONNECTIONS = 8

# The pool logs each failed attempt in its own format; the unit that needed the connection logs what matters.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
_log = get_logger("reviewinvite.storage")


class _OncePerOutage(logging.Filter):
    """Lets the pool's first warning pass, and counts the others until a connection works again."""

    def __init__(self) -> None:
        super().__init__()
        self.warnings = 0

    def filter(self, record: logging.LogRecord) -> bool:
        self.warnings += record.levelno >= logging.WARNING
        return self.warnings <= 1

    def note_end(self) -> None:
        if self.warnings:
            counted, self.warnings = self.warnings, 0
            _log.info("the database answers", failed_connections=counted)


outages = _OncePerOutage()
logging.getLogger("psycopg.pool").addFilter(outages)


class Pool:
    """Working connections to a writable server, each used by one thread at a time."""

    def __init__(self, url: str, *, busy_seconds: float, answer_seconds: float) -> None:
        self._guard = ProcessGuard()
        self._busy_seconds = busy_seconds
        self._answer_seconds = answer_seconds
        self._pool = ConnectionPool[BoundedConnection](
            connection_class=BoundedConnection,
            min_size=1,
            reconnect_timeout=RECONNECT_SECONDS,
            max_size=MOST_CONNECTIONS,
            timeout=busy_seconds,
            kwargs={**parameters_of(url), "autocommit": True},
            configure=self._prepare_if_direct if prepares_if_direct(url) else None,
            check=self._check,
            open=False,
        )

    def open(self) -> None:
        """Open the first connection.

        Raises: `StorageUnavailable`.
        """
        with faults_as_unavailable():
            self._pool.open(wait=True, timeout=self._busy_seconds)

    @contextmanager
    def connection(self) -> Iterator[BoundedConnection]:
        """Lend a connection to the block, and roll back a transaction that the block leaves open.

        Raises: `StorageUnavailable` if no connection becomes free or can be opened within `busy_seconds`, or if the
        engine fails inside the block; `UsedAfterFork`.
        """
        self._guard.require_same_process()
        with faults_as_unavailable(), self._pool.connection() as connection, ended(connection):
            try:
                yield connection
            except Exception as error:
                if is_of_the_connection(error):
                    connection.close()  # the next one may reach the server that took over
                raise

    def figures(self) -> Connections:
        """Return the pool's counts of connections."""
        figures = self._pool.get_stats()
        size = figures["pool_size"]
        return Connections(
            open=size, in_use=size - figures["pool_available"], waiting=figures.get("requests_waiting", 0)
        )

    def close(self) -> None:
        """Close all connections, including those being opened; idempotent."""
        if not self._guard.is_elsewhere():  # the sockets are the parent's as well
            self._pool.close(timeout=CLOSE_SECONDS)

    def _prepare_if_direct(self, connection: BoundedConnection) -> None:
        with connection.answering_within(self._busy_seconds):
            prepare_if_direct(connection)

    def _check(self, connection: BoundedConnection) -> None:
        """Raise unless the connection is fit for a unit of work; the pool then replaces it."""
        connection.answer_seconds = self._answer_seconds
        with connection.answering_within(self._busy_seconds):
            refuse_standby(connection)
        outages.note_end()

"""The connections to PostgreSQL that the threads of a process share."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg_pool import ConnectionPool

from reviewinvite_core.adapters.sql.postgres_faults import ended, faults_as_unavailable
from reviewinvite_core.adapters.sql.postgres_start import Connection
from reviewinvite_core.ports import Connections

CONNECT_SECONDS = 5
RECONNECT_SECONDS = 1.0  # then the next unit of work tries anew, so that a database that is back is found at once
MOST_CONNECTIONS = 8

# The pool tells each failed try in a line of its own, not in our form: what matters is told by who needed it.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())


class Pool:
    """Connections that answer, each used by one thread at a time."""

    def __init__(self, url: str, *, busy_seconds: float) -> None:
        self._busy_seconds = busy_seconds
        self._pool = ConnectionPool[Connection](
            url,
            min_size=1,
            reconnect_timeout=RECONNECT_SECONDS,
            max_size=MOST_CONNECTIONS,
            timeout=busy_seconds,
            kwargs={"autocommit": True, "connect_timeout": CONNECT_SECONDS},
            check=ConnectionPool.check_connection,
            open=False,
        )

    def open(self) -> None:
        """Make the first connection.

        Raises: `StorageUnavailable`.
        """
        with faults_as_unavailable():
            self._pool.open(wait=True, timeout=self._busy_seconds)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """One of them, for as long as the block; a transaction that the block leaves open is rolled back.

        Raises: `StorageUnavailable` where none is free, or can be made, within `busy_seconds`; and where the
        engine fails inside the block.
        """
        with faults_as_unavailable(), self._pool.connection() as connection, ended(connection):
            yield connection

    def figures(self) -> Connections:
        """How many there are."""
        figures = self._pool.get_stats()
        size = figures["pool_size"]
        return Connections(
            open=size, in_use=size - figures["pool_available"], waiting=figures.get("requests_waiting", 0)
        )

    def close(self) -> None:
        """Let go of them; idempotent."""
        self._pool.close()

"""Reaching PostgreSQL at start: a server that is still starting is waited for, what waiting cannot mend is refused."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import structlog
from psycopg.conninfo import conninfo_to_dict

from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable

WAIT_SECONDS = 30.0
PAUSE_SECONDS = 0.25
CONNECT_SECONDS = 5

# How a server that has vanished without a word is noticed, on idle connections and on those that wait (ADR-15).
_NETWORK = {
    "connect_timeout": str(CONNECT_SECONDS),
    "keepalives_idle": "10",  # seconds
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",  # milliseconds
}

Connection = psycopg.Connection[tuple[Any, ...]]

# While a connection is being made, libpq tells what the server said as text alone, without its code.
_NO_PASSWORD = re.compile(r"no password supplied")
_WRONG_PASSWORD = re.compile(
    r"authentication failed|no pg_hba\.conf entry|role \".*\" (does not exist|is not permitted)"
)
_NO_DATABASE = re.compile(r"(database \".*\" does not exist|no such database)")
_NOT_ALLOWED = re.compile(r"permission denied for database")
_NO_TLS = re.compile(r"server does not support SSL|certificate verify failed|root certificate file")
_ENCODE = "write % / @ : ? # and spaces in a password as %25 %2F %40 %3A %3F %23 %20"

_log = structlog.get_logger("reviewinvite.storage")


@contextmanager
def connected(url: str, wait_seconds: float, *, to_write: bool) -> Iterator[Connection]:
    """A connection of its own to the database, closed afterwards; waits so many seconds for one that does not answer.

    Where it is `to_write`, a standby is none that answers.

    Raises: `ConfigurationError` where it answers that it will not have us; `StorageUnavailable`. None of them, and
    nothing that is logged, holds the password.
    """
    connection = _found(url, wait_seconds, to_write=to_write)
    try:
        yield connection
    finally:
        connection.close()


def parameters_of(url: str) -> dict[str, Any]:
    """What to connect with: all that the URL says, and our bounds on the network where it says nothing of them.

    Raises: `ConfigurationError`, whose text does not repeat the URL: it holds the password.
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        message = f"database_url is not a PostgreSQL URL that can be read: {_ENCODE}"
        raise ConfigurationError(message) from None
    host, port, name = (str(parts.get(part, "")) for part in ("host", "port", "dbname"))
    # A password that is not encoded ends at its first / or @, and what follows is taken for host, port and database.
    if "@" in host + port + name or not all(one.isdecimal() for one in port.split(",") if one):
        message = f"database_url has no host, port or database where one is expected: {_ENCODE}"
        raise ConfigurationError(message)
    return {**_NETWORK, **parts}


def refuse_standby(connection: Connection) -> None:
    """Close a connection to a server that can be read only; one from release 14 on tells it without being asked.

    Raises: `psycopg.OperationalError`.
    """
    if connection.info.parameter_status("in_hot_standby") == "on":
        connection.close()
        raise psycopg.OperationalError("the server is a standby")


def _found(url: str, wait_seconds: float, *, to_write: bool) -> Connection:
    parameters = parameters_of(url)
    until = time.monotonic() + wait_seconds
    waiting = False
    while True:
        left = until - time.monotonic()
        try:
            connection = psycopg.connect(**parameters | {"connect_timeout": _whole_seconds(left)}, autocommit=True)
            if to_write:
                refuse_standby(connection)
        except psycopg.OperationalError as error:
            cause = _without_line_ends(error)
            _refuse_what_stays(cause)
            if left <= 0:
                message = f"it did not answer within {wait_seconds:g} seconds: {cause}"
                raise StorageUnavailable(message) from None
            if not waiting:
                _log.warning("waiting for the database", cause=cause, seconds=wait_seconds)
                waiting = True
            time.sleep(min(PAUSE_SECONDS, max(left, 0)))
        else:
            if waiting:
                _log.info("the database answers")
            return connection


def _whole_seconds(left: float) -> int:
    """libpq counts in whole seconds, takes 0 for ever and 1 for 2."""
    return max(2, min(CONNECT_SECONDS, int(left)))


def _without_line_ends(error: Exception) -> str:
    return " ".join(str(error).split())


def _refuse_what_stays(cause: str) -> None:
    """Nothing, where another try may be answered differently.

    Raises: `ConfigurationError`.
    """
    message = None
    if _NO_PASSWORD.search(cause):
        message = "PostgreSQL asks for a password, and database_url has none"
    elif _NO_DATABASE.search(cause):
        message = "PostgreSQL has no such database: make it, or correct database_url"
    elif _WRONG_PASSWORD.search(cause):
        message = "PostgreSQL refuses the user or the password in database_url"
    elif _NOT_ALLOWED.search(cause):
        message = "the user in database_url may not use this database"
    elif _NO_TLS.search(cause):
        message = "PostgreSQL cannot be reached as sslmode in database_url asks"
    if message:
        raise ConfigurationError(f"{message} ({cause})")

"""Connect to PostgreSQL at start: wait for a server that is starting, fail on errors that waiting cannot fix."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from reviewinvite_core.adapters.loggers import get_logger
from reviewinvite_core.adapters.sql.postgres.timeouts import ANSWER_SECONDS, BoundedConnection
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable

WAIT_SECONDS = 30.0
PAUSE_SECONDS = 0.25
CONNECT_SECONDS = 5

# These detect a server that vanished without closing, on idle and on waiting connections (ADR-15).
_NETWORK = {
    "connect_timeout": str(CONNECT_SECONDS),
    "keepalives_idle": "10",  # seconds
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",  # milliseconds
}

_IN_RECOVERY = "SELECT pg_is_in_recovery()"

# Our own option in the URL: whether to prepare statements, which a pooler in between may not support. Without it, they
# are prepared on direct connections only (ADR-46).
_QUERY = re.compile(r"(\w+://(?>[^@/]*@)?+[^?]*)\?(.*)", re.DOTALL)  # like libpq, all up to the first @ is the user
_OPTION = "prepared_statements="
_PREPARE_AFTER = 5  # executions of a statement, as psycopg itself has it
_WHO_ANSWERS = "SELECT pg_backend_pid()"

# While connecting, libpq reports the server's errors as text only, without their codes.
_NO_PASSWORD = re.compile(r"no password supplied")
_WRONG_PASSWORD = re.compile(
    r"authentication failed|no pg_hba\.conf entry|role \".*\" (does not exist|is not permitted)|no such user"
)
_NO_DATABASE = re.compile(r"(database \".*\" does not exist|no such database)")
_NOT_ALLOWED = re.compile(r"permission denied for database")
_NOT_TAKEN_BY_POOLER = re.compile(r"unsupported startup parameter")
_WRONG_OPTION = re.compile(
    r"unrecognized configuration parameter|invalid (?:integer )?value |invalid \w+ value: |invalid port number"
    r"|invalid command-line argument|parameter \".*\" cannot be changed|permission denied to set parameter"
)
_NO_TLS = re.compile(r"server does not support SSL|SSL required|certificate verify failed|root certificate file")
_ENCODE = "write % / @ : ? # and spaces in a password as %25 %2F %40 %3A %3F %23 %20"

_log = get_logger("reviewinvite.storage")


@contextmanager
def connected(
    url: str, wait_seconds: float, *, to_write: bool, answer_seconds: float = ANSWER_SECONDS
) -> Iterator[BoundedConnection]:
    """Connect to the database, retrying for `wait_seconds` while it does not answer; close the connection afterwards.

    With `to_write`, a standby counts as not answering. The connection waits at most `answer_seconds` for each answer.

    Raises: `ConfigurationError` if the server rejects us; `StorageUnavailable`. Neither these errors nor any log entry
    contains the password.
    """
    connection = _found(url, wait_seconds, to_write=to_write)
    connection.answer_seconds = answer_seconds
    try:
        yield connection
    finally:
        connection.close()


def parameters_of(url: str) -> dict[str, Any]:
    """Return psycopg's parameters: those in the URL, and our network time-outs unless the URL sets them.

    Nothing is prepared unless the URL says so; see `prepares_if_direct`.

    Raises: `ConfigurationError`, whose text does not repeat the URL because that holds the password.
    """
    url, choice = _own_option(url)
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        message = f"database_url is not a valid PostgreSQL URL: {_ENCODE}"
        raise ConfigurationError(message) from None
    host, port, name = (str(parts.get(part, "")) for part in ("host", "port", "dbname"))
    # An unencoded password ends at its first / or @, and the rest is read as host, port and database.
    if "@" in host + port + name or not all(one.isdecimal() for one in port.split(",") if one):
        message = f"database_url has no host, port or database where one is expected: {_ENCODE}"
        raise ConfigurationError(message)
    if not str(parts.get("connect_timeout", 0)).isdecimal():
        raise ConfigurationError("connect_timeout in database_url must be a whole number of seconds")
    return {**_NETWORK, **parts, "prepare_threshold": _PREPARE_AFTER if choice == "on" else None}


def prepares_if_direct(url: str) -> bool:
    """Return whether statements may be prepared on direct connections: the URL leaves it open."""
    return _own_option(url)[1] is None


def prepare_if_direct(connection: BoundedConnection) -> None:
    """Prepare statements from now on if the connection leads to a server itself, and not to a pooler. ADR-46.

    A pooler gives its clients at the login a number of its own in place of that of the server's process.

    Raises: `psycopg.OperationalError` if there is no answer.
    """
    row = connection.execute(_WHO_ANSWERS).fetchone()
    if row and row[0] == connection.info.backend_pid:
        connection.prepare_threshold = _PREPARE_AFTER


def _own_option(url: str) -> tuple[str, str | None]:
    """Return the URL without our own option, which libpq does not know, and the option's value if it is there.

    Raises: `ConfigurationError` for another value than `on` or `off`.
    """
    found = _QUERY.fullmatch(url)
    if not found:
        return url, None
    place, options = found[1], found[2].split("&")
    chosen = [option.removeprefix(_OPTION) for option in options if option.startswith(_OPTION)]
    if not chosen:
        return url, None
    if not {"on", "off"}.issuperset(chosen):
        raise ConfigurationError("prepared_statements in database_url must be on or off")
    others = "&".join(option for option in options if not option.startswith(_OPTION))
    return f"{place}?{others}" if others else place, chosen[-1]


def refuse_standby(connection: BoundedConnection) -> None:
    """Close the connection if the server is read-only. This takes a query, because a pooler hides the server's status.

    Raises: `psycopg.OperationalError`, also if there is no answer.
    """
    row = connection.execute(_IN_RECOVERY).fetchone()
    if row and row[0]:
        connection.close()
        raise psycopg.OperationalError("the server is a standby")


def _found(url: str, wait_seconds: float, *, to_write: bool) -> BoundedConnection:
    parameters, detects = parameters_of(url), prepares_if_direct(url)
    until = time.monotonic() + wait_seconds
    waiting = False
    while True:
        left = until - time.monotonic()
        try:
            seconds = max(2, min(CONNECT_SECONDS, int(left)))  # libpq reads 0 as for ever, and 1 as 2
            connection = BoundedConnection.connect(**parameters | {"connect_timeout": seconds}, autocommit=True)
            with connection.answering_within(seconds):
                if to_write:
                    refuse_standby(connection)
                if detects:
                    prepare_if_direct(connection)
        except psycopg.OperationalError as error:
            cause = " ".join(str(error).split())  # without line ends
            _refuse_what_stays(cause)
            if left <= 0:
                message = f"it did not answer within {wait_seconds:g} seconds: {cause}"
                message = message if wait_seconds else f"it did not answer: {cause}"
                raise StorageUnavailable(message) from None
            if not waiting:
                _log.warning("waiting for the database", cause=cause, seconds=wait_seconds)
                waiting = True
            time.sleep(min(PAUSE_SECONDS, max(left, 0)))
        else:
            if waiting:
                _log.info("the database answers")
            return connection


def _refuse_what_stays(cause: str) -> None:
    """Raise if another attempt would fail in the same way.

    Raises: `ConfigurationError`.
    """
    message = None
    if _NO_PASSWORD.search(cause):
        message = "PostgreSQL asks for a password, but database_url has none"
    elif _NO_DATABASE.search(cause):
        message = "PostgreSQL has no such database: create it, or correct database_url"
    elif _WRONG_PASSWORD.search(cause):
        message = "PostgreSQL refuses the user or the password in database_url"
    elif _NOT_ALLOWED.search(cause):
        message = "the user in database_url may not use this database"
    elif _NO_TLS.search(cause):
        message = "PostgreSQL cannot be reached with the sslmode in database_url"
    elif _NOT_TAKEN_BY_POOLER.search(cause):
        message = "PgBouncer rejects options= in database_url: remove it, and use ALTER ROLE ... SET instead"
    elif _WRONG_OPTION.search(cause):
        message = "an option in database_url is not valid"
    if message:
        raise ConfigurationError(f"{message} ({cause})")

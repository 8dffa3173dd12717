"""Databases of a trial on a PostgreSQL server: made, copied and dropped."""

from __future__ import annotations

from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from reviewinvite_core import ConfigurationError

_CONNECT_SECONDS = 10


def with_name(url: str, name: str) -> str:
    """Return the URL of another database on the same server."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def create(server_url: str, name: str, *, like: str | None = None) -> None:
    """Create a database, empty or as a copy of another one to which nobody is connected.

    Raises: `ConfigurationError` if the server cannot be reached, or the user may not create databases.
    """
    template = sql.SQL(" TEMPLATE {}").format(sql.Identifier(like)) if like else sql.SQL("")
    try:
        with _connected(server_url) as connection:
            if like:
                _disconnect_others(connection, like)
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)) + template)
    except psycopg.errors.InsufficientPrivilege:
        raise ConfigurationError(
            "this user may not create a database on the configured server: let an administrator run ALTER ROLE ... "
            "CREATEDB, or have an empty database made and name it with prove --database-url"
        ) from None
    except psycopg.OperationalError as error:
        message = f"cannot reach the configured PostgreSQL server: {_first_line(error)}"
        raise ConfigurationError(message) from None


def drop(server_url: str, name: str) -> None:
    """Drop a database, if it exists, and end its connections."""
    with _connected(server_url) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def require_empty(url: str) -> None:
    """Raise unless the database has no tables.

    Raises: `ConfigurationError`.
    """
    try:
        with _connected(url) as connection:
            found = _tables(connection)
    except psycopg.OperationalError as error:
        message = f"cannot reach the database of --database-url: {_first_line(error)}"
        raise ConfigurationError(message) from None
    if found:
        message = f"the database of --database-url has {len(found)} tables; name an empty one"
        raise ConfigurationError(message)


def drop_tables(url: str) -> None:
    """Drop all tables of a database that was empty when the trial began."""
    with _connected(url) as connection:
        _disconnect_others(connection, connection.info.dbname)
        for name in _tables(connection):
            connection.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(sql.Identifier(name)))


def _connected(url: str) -> psycopg.Connection[tuple[str, ...]]:
    return psycopg.connect(_plain(url), autocommit=True, connect_timeout=_CONNECT_SECONDS)


def _plain(url: str) -> str:
    """Return the URL without our own option, which libpq does not know."""
    parts = urlsplit(url)
    options = [option for option in parts.query.split("&") if option and not option.startswith("prepared_statements=")]
    return parts._replace(query="&".join(options)).geturl()


def _tables(connection: psycopg.Connection[tuple[str, ...]]) -> list[str]:
    rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
    return [name for (name,) in rows]


def _disconnect_others(connection: psycopg.Connection[tuple[str, ...]], name: str) -> None:
    connection.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
        [name],
    )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]

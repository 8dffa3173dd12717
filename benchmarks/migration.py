"""Migrating a database of the first schema to the latest: how long, with how much free space, and after a kill.

All invitations have been sent, so each has its order and three entries of history. The baseline copies the invitations
into another table of the same database with one INSERT ... SELECT: the least that a migration does that touches each.
Space is what the files of the database take at their largest, beyond what they took before; on SQLite those that have
no name are counted as well, which /proc shows, so this runs on Linux only.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any, Protocol
from urllib.parse import urlsplit

import attrs
import psycopg
from tests.postgres import database

from benchmarks.measure import Claim, Group, Row, Sizes, at_least, checked, compared, in_turns, progress
from benchmarks.postgres import SECRET, server
from reviewinvite_core import Settings
from reviewinvite_core.adapters.sql.migrations import MIGRATIONS
from reviewinvite_core.adapters.sql.postgres import migrate as postgres_migrate
from reviewinvite_core.adapters.sql.sqlite import file as sqlite_file, migrate as sqlite_migrate
from reviewinvite_core.admin import check_database, migrate_database
from reviewinvite_core.bootstrap.adapter_factory import is_postgres, sqlite_path
from reviewinvite_core.domain.sealing import KEY_BYTES, NONCE_BYTES, KeyRing, Secret

TURNS = 3  # at most: each has a copy of the whole database
MIB = 2**20
POLL_SECONDS = 0.02
BEGIN = 1_750_000_000_000_000  # microseconds
FIRST = MIGRATIONS[:1]
HISTORY = (("claimed", "claimed"), ("handing_over", "fenced"), ("sent", "accepted"))

TABLES: Mapping[str, Sequence[str]] = {
    "key_ring": ("id", "sealed"),
    "shops": ("number", "site_id", "name", "language", "delay_ms", "active"),
    "orders": ("shop", "dedup_hash", "invite_id", "first_reported_at"),
    "invitations": (
        *("shop", "invite_id", "address_hash", "sealed_address", "order_number", "language"),
        *("reported_at", "scheduled_for", "due_at", "state", "reason", "changed_at", "attempts"),
    ),
    "changes": ("shop", "invite_id", "seq", "state", "reason", "changed_at"),
}
"""What is stored, after the first migration."""

BARE_COPY = {
    "sqlite": (
        "CREATE TABLE copied (shop BIGINT, invite_id BLOB, {rest}, PRIMARY KEY (shop, invite_id)) WITHOUT ROWID",
        "INSERT INTO copied SELECT {columns} FROM invitations",
    ),
    "postgres": (
        "CREATE TABLE copied AS SELECT {columns} FROM invitations WITH NO DATA",
        "ALTER TABLE copied ADD PRIMARY KEY (shop, invite_id)",
        "INSERT INTO copied SELECT {columns} FROM invitations",
    ),
}


def rows_of(table: str, count: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a table for `count` invitations of one shop."""
    if table == "key_ring":
        ring = KeyRing.make(os.urandom(4 * KEY_BYTES))
        yield 1, ring.sealed(Secret.parse(SECRET), os.urandom(NONCE_BYTES))
    elif table == "shops":
        yield 1, "bakkerij", "Bakkerij De Molen", "nl", 432_000_000, 1
    else:
        for number in range(count):
            yield from _rows_of_order(table, number)


def _rows_of_order(table: str, number: int) -> Iterator[tuple[object, ...]]:
    at = BEGIN + 100_000 * number
    drawn = hashlib.shake_256(number.to_bytes(8, "big")).digest(128)
    invite_id = (at // 1000).to_bytes(6, "big") + drawn[:10]
    if table == "orders":
        yield 1, drawn[16:32], invite_id, at
    elif table == "invitations":
        sent = (at, at, at, "sent", "accepted", at, 1)
        yield 1, invite_id, drawn[32:48], drawn[48:112], f"2025-{number:07}", "nl", *sent
    else:
        for seq, (state, reason) in enumerate(HISTORY, 1):
            yield 1, invite_id, seq, state, reason, at


class Engine(Protocol):
    """A database engine, as far as a migration is measured on it."""

    name: str

    def fill(self, count: int) -> None:
        """Make a database of the first schema with `count` invitations, to be copied."""

    def copied(self) -> AbstractContextManager[Settings]:
        """Yield the settings of a copy, which is removed in the end."""

    def size(self, settings: Settings) -> int:
        """Return the bytes of a database alone, without any log."""

    def used(self, settings: Settings, worker: int) -> int:
        """Return the bytes that a database takes now, with what the process `worker` has open without a name."""


class Sqlite:
    """A file in a folder."""

    name = "SQLite"

    def __init__(self, folder: Path) -> None:
        self._filled = folder / "filled.db"
        self._folder = folder / "copy"

    def fill(self, count: int) -> None:
        """Make a database of the first schema with `count` invitations, to be copied."""
        sqlite_migrate.migrate(self._filled, migrations=FIRST)
        with closing(sqlite3.connect(self._filled, isolation_level=None)) as connection:
            connection.execute("BEGIN")
            for table, columns in TABLES.items():
                places = ", ".join("?" * len(columns))
                statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"  # noqa: S608
                connection.executemany(statement, rows_of(table, count))
            connection.execute("COMMIT")

    @contextmanager
    def copied(self) -> Iterator[Settings]:
        """Yield the settings of a copy, which is removed in the end."""
        self._folder.mkdir()
        try:
            shutil.copyfile(self._filled, self._folder / "reviewinvite.db")
            os.sync()  # what the copy has left to be written is not the migration's
            yield Settings(database_url=f"sqlite:///{self._folder / 'reviewinvite.db'}", secret=SECRET)
        finally:
            shutil.rmtree(self._folder)

    def size(self, settings: Settings) -> int:
        """Return the bytes of a database alone, without any log."""
        return sqlite_path(settings.database_url).stat().st_size

    def used(self, settings: Settings, worker: int) -> int:
        """Return the bytes that a database takes now, with what the process `worker` has open without a name."""
        named = [file.stat() for file in sqlite_path(settings.database_url).parent.iterdir()]
        return sum(status.st_size for status in (*named, *_unnamed(worker)))


def _unnamed(worker: int) -> Iterator[os.stat_result]:
    """Yield the files that a process has open and that no folder has: an index is sorted in such."""
    with suppress(FileNotFoundError):
        for descriptor in Path(f"/proc/{worker}/fd").iterdir():
            with suppress(OSError):
                status = descriptor.stat()
                if status.st_nlink == 0:
                    yield status


class Postgres:
    """A database on a server that does nothing else meanwhile, since its log is that of the whole server."""

    name = "PostgreSQL"

    def __init__(self, server_url: str, filled_url: str) -> None:
        self._server_url = server_url
        self._filled_url = filled_url

    def fill(self, count: int) -> None:
        """Make a database of the first schema with `count` invitations, to be copied."""
        postgres_migrate.migrate(self._filled_url, migrations=FIRST)
        with psycopg.connect(self._filled_url) as connection, connection.cursor() as cursor:
            for table, columns in TABLES.items():
                with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()) as copy:
                    for row in rows_of(table, count):
                        copy.write_row(row)
        with psycopg.connect(self._filled_url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")

    @contextmanager
    def copied(self) -> Iterator[Settings]:
        """Yield the settings of a copy, which is removed in the end."""
        with database(self._server_url) as url:
            name, filled = urlsplit(url).path[1:], urlsplit(self._filled_url).path[1:]
            with psycopg.connect(self._server_url, autocommit=True) as connection:
                connection.execute(f'DROP DATABASE "{name}"'.encode())
                connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{filled}" STRATEGY FILE_COPY'.encode())
                connection.execute("CHECKPOINT")
            yield Settings(database_url=url, secret=SECRET)

    def size(self, settings: Settings) -> int:
        """Return the bytes of a database alone, without any log."""
        with psycopg.connect(settings.database_url) as connection:
            (size,) = connection.execute("SELECT pg_database_size(current_database())").fetchone() or (0,)
            return int(size)

    def used(self, settings: Settings, worker: int) -> int:  # noqa: ARG002 - the server's files all have names
        """Return the bytes that the database, the server's log and its temporary files take now."""
        with psycopg.connect(settings.database_url) as connection:
            (used,) = connection.execute(
                "SELECT pg_database_size(current_database()) + (SELECT COALESCE(SUM(size), 0) FROM pg_ls_waldir())"
                " + (SELECT COALESCE(SUM(size), 0) FROM pg_ls_tmpdir())"
            ).fetchone() or (0,)
            return int(used)


@attrs.frozen
class Run:
    """How long it took, and by how many bytes the database was larger meanwhile than before."""

    seconds: float
    extra: int


def timed(engine: Engine, work: str, settings: Settings) -> Run:
    """Do the work in a process of its own, and look on."""
    with _process(work, settings) as worker:
        before = peak = engine.used(settings, worker.pid)
        _begin(worker)
        while worker.poll() is None:
            peak = max(peak, engine.used(settings, worker.pid))
            time.sleep(POLL_SECONDS)
        assert worker.returncode == 0
        assert worker.stdout is not None
        return Run(float(worker.stdout.read()), peak - before)


@contextmanager
def _process(work: str, settings: Settings) -> Iterator[subprocess.Popen[str]]:
    """A process that waits for the word to begin, since its start is not what is measured."""
    url = settings.database_url
    folder = {} if is_postgres(url) else {"SQLITE_TMPDIR": str(sqlite_path(url).parent)}
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.migration", work, url],
        env={**os.environ, **folder},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            process.kill()


def _begin(worker: subprocess.Popen[str]) -> None:
    assert worker.stdin is not None
    worker.stdin.write("begin\n")
    worker.stdin.flush()


def killed_and_repeated(engine: Engine, claim: Claim, after: float, count: int) -> Row:
    """Kill a migration after `after` seconds, or earlier if it was done by then; run it again, and check the result."""
    while True:
        with engine.copied() as settings:
            if _killed(settings, after):
                return _repeated(settings, claim, count)
        after /= 2  # one measured on a busy machine may take longer than this one


def _killed(settings: Settings, after: float) -> bool:
    """Kill a migration after `after` seconds; return False if it was done by then."""
    with _process("migrate", settings) as worker:
        _begin(worker)
        time.sleep(after)
        worker.send_signal(signal.SIGKILL)
        return worker.wait() == -signal.SIGKILL


def _repeated(settings: Settings, claim: Claim, count: int) -> Row:
    """Migrate again, and return whether all is there and sound."""
    begin = time.perf_counter()
    applied = migrate_database(settings)
    progress(f"the second run applied {len(applied)} migrations in {time.perf_counter() - begin:.1f} s")
    problems = check_database(settings)
    with _connection(settings) as connection:
        (kept,) = connection.execute("SELECT COUNT(*) FROM invitations").fetchone()
    return checked(
        claim,
        f"{kept:,}, {'sound' if not problems else '; '.join(problems)}",
        met=not problems and kept == count and not migrate_database(settings),
        peer=f"{count:,}",
    )


@contextmanager
def _connection(settings: Settings) -> Iterator[Any]:
    if is_postgres(settings.database_url):
        with psycopg.connect(settings.database_url) as connection:
            yield connection
    else:
        with closing(sqlite_file.connect(sqlite_path(settings.database_url), 5)) as opened:
            yield opened


def _measure_sqlite(sizes: Sizes) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        yield from _measured(Sqlite(Path(folder)), sizes)


def _measure_postgres(sizes: Sizes) -> Iterator[Row]:
    with server() as url, database(url) as filled:
        yield from _measured(Postgres(url, filled), sizes)


def _measured(engine: Engine, sizes: Sizes) -> Iterator[Row]:
    begin = time.perf_counter()
    engine.fill(sizes.many)
    progress(f"{engine.name}: {sizes.many:,} invitations stored in {time.perf_counter() - begin:.0f} s")
    runs: dict[str, list[Run]] = {"migrate": [], "copy": []}

    def run(work: str) -> Callable[[], float]:
        def once() -> float:
            with engine.copied() as settings:
                runs[work].append(timed(engine, work, settings))
            return runs[work][-1].seconds

        return once

    figures = in_turns({work: run(work) for work in runs}, min(TURNS, sizes.repetitions))
    time_taken, space, killed = CLAIMS[engine.name]
    yield compared(time_taken, figures["migrate"], figures["copy"])
    with engine.copied() as settings:
        size = engine.size(settings)
    extras = [each.extra / MIB for each in runs["migrate"]]
    yield compared(space, extras, [size / MIB] * len(extras))
    yield killed_and_repeated(engine, killed, median(figures["migrate"]) / 2, sizes.many)


def _claims(engine: str) -> tuple[Claim, Claim, Claim]:
    """Return the claims about time, space and a kill."""
    key = f"migration-{engine.lower()}"
    return (
        Claim(
            key=key,
            what=f"migrate invitations of the first schema, {engine}",
            against="one INSERT ... SELECT of them",
            unit="s",
        ),
        Claim(
            key=f"{key}-space",
            what=f"free space that this needs, log included, {engine}",
            against="the whole database",
            unit="MiB",
        ),
        Claim(
            key=f"{key}-killed",
            what=f"invitations after a kill halfway and a second run, {engine}",
            against="those stored",
            goal=at_least(1),
        ),
    )


CLAIMS = {engine: _claims(engine) for engine in ("SQLite", "PostgreSQL")}
SQLITE = Group(CLAIMS["SQLite"], _measure_sqlite)
POSTGRES = Group(CLAIMS["PostgreSQL"], _measure_postgres)


def _work(work: str, database_url: str) -> None:
    """Say that all is ready, wait for the word, do it, and print how many seconds it took."""
    settings = Settings(database_url=database_url, secret=SECRET)
    print("ready", flush=True)
    sys.stdin.readline()
    begin = time.perf_counter()
    if work == "migrate":
        migrate_database(settings)
    else:
        _copy_barely(settings)
    print(time.perf_counter() - begin)


def _copy_barely(settings: Settings) -> None:
    columns = TABLES["invitations"]
    names = {"columns": ", ".join(columns), "rest": ", ".join(columns[2:])}
    statements = BARE_COPY["postgres" if is_postgres(settings.database_url) else "sqlite"]
    with _connection(settings) as connection:
        if not is_postgres(settings.database_url):
            connection.execute("BEGIN IMMEDIATE")
        for statement in statements:
            connection.execute(statement.format_map(names))
        connection.execute("COMMIT")


if __name__ == "__main__":
    _work(*sys.argv[1:])

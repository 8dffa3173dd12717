"""The command on PostgreSQL: how it starts, waits, and says what is wrong."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from tests.cli.command import AsProcess
from tests.cli.harness import Installation
from tests.waiting import TIMEOUT_SECONDS

SECRET = "a secret that is long enough, and used in tests only"


@pytest.fixture
def on_postgres(tmp_path: Path, postgres_url: str) -> Installation:
    """An installation with an empty database on the server."""
    return Installation(tmp_path, REVIEWINVITE_DATABASE_URL=postgres_url, REVIEWINVITE_SECRET=SECRET)


def test_an_empty_database_is_not_set_up_by_what_needs_one(on_postgres: Installation, postgres_url: str) -> None:
    for command in (("db", "check"), ("privacy", "purge"), ("secret", "rotate", "--yes", "--new-secret-file", "new")):
        said = on_postgres.refused(3, *command)
        assert "the database is empty: correct database_url" in said.lower()
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)
    assert list(on_postgres.folder.iterdir()) == []


def test_init_makes_an_installation_on_the_server(tmp_path: Path, postgres_url: str) -> None:
    options = ("--site-id", "bakery", "--shop-name", "De Molen", "--owner", "eva@example.com")
    said = Installation(tmp_path).refused(3, "--database-url", postgres_url, "init", *options)
    assert "the secret must be given" in said
    assert not list(tmp_path.iterdir())
    (tmp_path / "secret").write_text(SECRET)
    variables = {"REVIEWINVITE_SECRET_FILE": "secret"}
    made = Installation(tmp_path, **variables).json("--database-url", postgres_url, "init", *options)
    assert {each["check"]: each["status"] for each in made["findings"]}["database"] == "ok"
    installed = Installation(tmp_path, **variables)  # the file has the rest
    assert [each["siteId"] for each in installed.json("shop", "list")] == ["bakery"]
    assert [each["keyId"] for each in installed.json("key", "list", "bakery")] == [made["keyId"]]
    assert not list(tmp_path.glob("*.db*"))
    (tmp_path / "reviewinvite.toml").unlink()
    again = installed.json("--database-url", postgres_url, "init", *options)
    assert (again["key"], again["url"]) == (None, None)  # what an earlier run has stored is kept


def connect_to(url: str) -> socket.socket:
    """A bare connection to the server of that address."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host", [""])[0]
    if not folder:
        return socket.create_connection((parts.hostname or "", parts.port or 5432))
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(f"{folder}/.s.PGSQL.{parts.port or 5432}")
    return connection


def pass_on(source: socket.socket, target: socket.socket) -> None:
    """All that comes from one end, to the other."""
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def forwarding(listener: socket.socket, url: str) -> Iterator[None]:
    """What comes in at `listener` goes to the server of that address, and back."""
    opened: list[socket.socket] = []

    def accept() -> None:
        with suppress(OSError):  # until the listener ends
            while True:
                here, _ = listener.accept()
                there = connect_to(url)
                opened.extend((here, there))
                for pair in ((here, there), (there, here)):
                    threading.Thread(target=pass_on, args=pair, daemon=True).start()

    listener.listen()
    threading.Thread(target=accept, daemon=True).start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        for end in opened:
            end.close()


def test_serve_waits_for_the_database_and_tells_it_twice(
    on_postgres: Installation, as_process: AsProcess, postgres_url: str
) -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    parts = urlsplit(postgres_url)
    who = parts.netloc.rpartition("@")[0] or "postgres"
    through = f"postgresql://{who}@127.0.0.1:{listener.getsockname()[1]}{parts.path}?sslmode=disable"
    with listener, as_process(on_postgres).start("serve", "--port", "0", REVIEWINVITE_DATABASE_URL=through) as process:
        assert process.stderr is not None
        try:
            events = []
            lines = (json.loads(line) for line in process.stderr)
            assert "outbox" in next(lines)["event"]
            assert "base_url" in next(lines)["event"]
            events.append(next(lines)["event"])
            time.sleep(0.5)  # it has tried a few times more
            with forwarding(listener, postgres_url):
                events += [next(lines)["event"], next(lines)["event"]]
        finally:
            process.kill()
            process.communicate()
    assert events == ["waiting for the database", "the database answers", "listening"]


def test_a_command_that_waits_keeps_its_output_clean(on_postgres: Installation, as_process: AsProcess) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"postgresql://shop:geheim@127.0.0.1:{taken.getsockname()[1]}/reviews"
        with as_process(on_postgres).start("shop", "list", REVIEWINVITE_DATABASE_URL=nobody) as process:
            assert process.stderr is not None
            told = process.stderr.readline()
            process.terminate()
            out, _ = process.communicate(timeout=TIMEOUT_SECONDS)
    assert json.loads(told)["event"] == "waiting for the database"
    assert "geheim" not in told
    assert out == ""


def test_readyz_tells_how_the_pool_is(on_postgres: Installation, as_process: AsProcess) -> None:
    with (
        as_process(on_postgres).serving("--no-worker") as (_, address),
        urllib.request.urlopen(f"{address}/readyz", timeout=TIMEOUT_SECONDS) as response,  # noqa: S310 - our own server
    ):
        answer = json.load(response)
    assert answer["status"] == "ready"
    assert answer["storage"]["engine"] == "postgresql"
    assert set(answer["storage"]["connections"]) == {"open", "inUse", "waiting"}
    assert answer["storage"]["connections"]["open"] >= 1


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("worker", "--once"), ("shop", "list"), ("db", "check")])
def test_without_a_secret_nothing_starts(postgres_url: str, tmp_path: Path, command: tuple[str, ...]) -> None:
    said = Installation(tmp_path, REVIEWINVITE_DATABASE_URL=postgres_url).refused(3, *command)
    assert "the secret must be given" in said
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert row == (0,)


def test_with_a_wrong_secret_nothing_starts(on_postgres: Installation) -> None:
    on_postgres.ok("shop", "add", "molen", "--name", "Bakkerij De Molen")
    for command in (("serve", "--port", "0"), ("db", "check")):
        assert "secret" in on_postgres.refused(3, *command, REVIEWINVITE_SECRET="x" * 32)


def test_two_installations_with_one_database_and_secret_are_one(on_postgres: Installation, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Installation(tmp_path / "other", **on_postgres.variables)
    on_postgres.ok("shop", "add", "molen", "--name", "Bakkerij De Molen")
    first = on_postgres.json("order", "report", "molen", "customer@example.com")
    again = other.json("order", "report", "molen", "customer@example.com")
    assert again == {**first, "duplicate": True}


def test_serve_refuses_a_newer_schema(on_postgres: Installation, postgres_url: str) -> None:
    assert on_postgres.json("db", "migrate")["applied"]
    with psycopg.connect(postgres_url) as connection:
        connection.execute("INSERT INTO reviewinvite_migrations (name) VALUES ('m9999_later')")
    said = on_postgres.refused(3, "serve", "--port", "0")
    assert "newer release made this database (it has m9999_later)" in said


def test_an_unknown_database_is_a_configuration_error(on_postgres: Installation, postgres_url: str) -> None:
    said = on_postgres.refused(3, "shop", "list", REVIEWINVITE_DATABASE_URL=postgres_url.replace("/test_", "/no_test_"))
    assert "no such database" in said


def test_without_its_driver_the_extra_is_named(on_postgres: Installation, as_process: AsProcess) -> None:
    for command in (("shop", "list"), ("db", "migrate")):
        ended = as_process(on_postgres).run_without(("psycopg",), *command)
        assert (ended.code, ended.out) == (3, "")
        assert "install reviewinvite[postgres]" in ended.err

"""`db copy`: the command that moves a database to another engine, also when it is killed on its way."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest
from tests import postgres
from tests.cli.command import AsProcess
from tests.cli.harness import Installation
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import OrderReport, Settings, accepted, build
from reviewinvite_core.testing.builders import a_shop

SECRET = "a secret that is long enough, and used in tests only"
ENDPOINTS = "reviewinvite_core.adapters.sql.copy"
ORDERS = 3_000


def fill(url: str, orders: int) -> None:
    app = build(Settings(database_url=url, secret=SECRET))
    try:
        app.shops.add(a_shop("molen"))
        caller = accepted(app.shops.act_for("molen"))
        app.orders.import_many(caller, [OrderReport(email=f"c{number}@example.com") for number in range(orders)])
    finally:
        app.close()


def count(url: str, table: str) -> int:
    """Return the number of rows of a table, or 0 if it does not exist yet."""
    statement = f"SELECT COUNT(*) FROM {table}"
    try:
        if url.startswith("postgresql:"):
            with psycopg.connect(url) as connection:
                row = connection.execute(statement.encode()).fetchone()
                return row[0] if row else 0
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as opened:
            return int(opened.execute(statement).fetchone()[0])
    except (psycopg.errors.UndefinedTable, sqlite3.OperationalError):
        return 0


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'reviewinvite.db'}"


@pytest.mark.parametrize("to_postgres", [True, False], ids=["to postgres", "from postgres"])
def test_a_copy_that_is_killed_and_run_again_ends_as_if_nothing_had_been(
    empty: Installation, as_process: AsProcess, file_url: str, postgres_url: str, to_postgres: bool
) -> None:
    source, target = (file_url, postgres_url) if to_postgres else (postgres_url, file_url)
    fill(source, ORDERS)
    end = ("postgres_endpoint", "PostgresEndpoint") if to_postgres else ("sqlite_endpoint", "SqliteEndpoint")
    writing = (f"{ENDPOINTS}.{end[0]}", f"{end[1]}.change")
    with as_process(empty).halted(*writing, 5, "db", "copy", source, target) as process:  # in the third batch of orders
        process.kill()
        process.communicate(timeout=TIMEOUT_SECONDS)
    kept = count(target, "orders") + count(target, "invitations")
    assert 0 < kept < 2 * ORDERS
    refused = empty.refused(3, "shop", "list", REVIEWINVITE_DATABASE_URL=target, REVIEWINVITE_SECRET=SECRET)
    assert "not finished: run `reviewinvite db copy` again" in refused
    report = json.loads(empty.ok("db", "copy", source, target, "--json"))
    assert report["rows"]["orders"] == report["rows"]["invitations"] == ORDERS
    assert 0 < report["written"] <= 2 * ORDERS - kept + 1  # that one: the key ring, shop and keys went before
    assert report["differences"] == []
    moved = Installation(empty.folder, REVIEWINVITE_DATABASE_URL=target, REVIEWINVITE_SECRET=SECRET)
    assert moved.json("order", "report", "molen", "c7@example.com")["duplicate"]


@pytest.mark.parametrize("to_postgres", [True, False], ids=["to postgres", "to a file"])
def test_a_copy_that_was_held_up_does_not_undo_what_came_after_a_second_one(
    empty: Installation,
    as_process: AsProcess,
    file_url: str,
    postgres_url: str,
    postgres_server: str,
    to_postgres: bool,
) -> None:
    fill(postgres_url, ORDERS)
    looking = (f"{ENDPOINTS}.table", "CopiedTable.lookup")
    with ExitStack() as stack:
        target = stack.enter_context(postgres.database(postgres_server)) if to_postgres else file_url
        command = ("db", "copy", postgres_url, target)
        held_up = stack.enter_context(as_process(empty).halted(*looking, 5, *command))  # between two batches of orders
        assert 0 < count(target, "orders") < ORDERS
        empty.ok(*command)
        serving = Installation(empty.folder, REVIEWINVITE_DATABASE_URL=target, REVIEWINVITE_SECRET=SECRET)
        assert "duplicate" not in serving.json("order", "report", "molen", "later@example.com")
        held_up.send_signal(signal.SIGCONT)
        _, told = held_up.communicate(timeout=TIMEOUT_SECONDS)
        assert held_up.returncode == 3, told
        assert "Another `db copy` into TO has started since and taken over" in told
        assert count(target, "orders") == count(target, "invitations") == ORDERS + 1
        assert serving.json("order", "report", "molen", "later@example.com")["duplicate"]


def test_it_says_what_it_copied_and_that_the_secret_stays(
    empty: Installation, file_url: str, postgres_url: str
) -> None:
    fill(file_url, 3)
    ended = empty.run("db", "copy", file_url, postgres_url)
    assert ended.code == 0
    rows = dict(line.split() for line in ended.out.splitlines()[1:])
    assert rows["orders"] == rows["invitations"] == "3"
    assert "Rows compared: 9, all equal. Rows written: 9." in ended.err
    assert "TO has the secret of FROM" in ended.err
    assert "Rows written: 0." in empty.run("db", "copy", file_url, postgres_url).err


def test_a_row_that_differs_is_named_and_ends_with_1(empty: Installation, file_url: str, postgres_url: str) -> None:
    fill(file_url, 3)
    empty.ok("db", "copy", file_url, postgres_url)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("UPDATE shops SET name = 'Another'")
        connection.execute("DELETE FROM orders WHERE dedup_hash = (SELECT MIN(dedup_hash) FROM orders)")
    ended = empty.run("db", "copy", file_url, postgres_url)
    assert ended.code == 1
    assert "Error: shops/1: not the same." in ended.err
    assert ended.err.count("missing in TO") == 1
    told = empty.run("db", "copy", file_url, postgres_url, "--json")
    assert told.code == 1
    assert [one["what"] for one in json.loads(told.out)["differences"]] == ["not the same", "missing in TO"]


def test_other_data_in_the_target_is_refused(empty: Installation, file_url: str, postgres_url: str) -> None:
    fill(file_url, 3)
    fill(postgres_url, 1)
    assert "TO holds other data" in empty.refused(3, "db", "copy", file_url, postgres_url)
    assert count(postgres_url, "orders") == 1


def test_the_same_database_twice_is_refused(empty: Installation, file_url: str) -> None:
    fill(file_url, 3)
    assert "FROM and TO are the same database" in empty.refused(3, "db", "copy", file_url, file_url)


def test_a_source_that_is_not_there_fails(empty: Installation, postgres_url: str) -> None:
    assert "no database nowhere.db" in empty.refused(3, "db", "copy", "sqlite:///nowhere.db", postgres_url)
    assert list(empty.folder.iterdir()) == []


def test_on_a_terminal_a_bar_shows_how_far_it_is(
    empty: Installation, as_process: AsProcess, file_url: str, postgres_url: str
) -> None:
    fill(file_url, 3)
    assert "Copying and comparing" in as_process(empty).on_terminal("db", "copy", file_url, postgres_url)
    assert "Copying and comparing" not in empty.run("db", "copy", file_url, postgres_url).err

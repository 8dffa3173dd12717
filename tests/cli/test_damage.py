"""A damaged SQLite file is called damaged by every command, with what to do about it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.harness import Installation
from tests.cli.orders import write_order_file

PAGE = 4096
REMEDY = "restore a sound backup with `reviewinvite db restore FILE`"
NEXT_STEP = f"the database is damaged: {REMEDY}"


def overwrite(database: Path, pages: list[int]) -> None:
    with database.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(b"\xa5" * PAGE)


@pytest.fixture
def damaged(molen: Installation) -> Installation:
    """An installation with orders, whose table of invitations has only damaged pages."""
    write_order_file(molen.folder / "orders.csv", 0, 300)
    molen.ok("order", "import", "molen", "orders.csv")
    molen.ok("db", "backup", "backup.db")
    database = molen.folder / "reviewinvite.db"
    overwrite(database, root_page(database, "invitations"))
    return molen


def root_page(database: Path, table: str) -> list[int]:
    with closing(sqlite3.connect(database)) as connection:
        return [row[0] for row in connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table])]


def test_the_check_lists_the_damage_and_names_the_next_step(damaged: Installation) -> None:
    ended = damaged.run("db", "check", "--json")
    problems = json.loads(ended.out)["problems"]
    assert ended.code == 1
    assert problems[0] == NEXT_STEP
    assert 2 <= len(problems) <= 22
    assert problems[1] == "the table invitations is damaged"
    shown = damaged.run("db", "check")
    assert shown.out.splitlines() == problems
    assert shown.err.splitlines()[-1] == f"Problems found: {len(problems) - 1}."


def test_the_list_is_bounded(molen: Installation) -> None:
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection:
        connection.execute("CREATE TABLE theirs (one, other)")
        connection.executemany("INSERT INTO theirs VALUES (?, ?)", [(f"a{n}", f"b{n}") for n in range(100)])
        connection.execute("CREATE INDEX by_one ON theirs (one)")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = 'CREATE INDEX by_one ON theirs (other)' WHERE name = 'by_one'"
        )
        connection.commit()
    problems = json.loads(molen.run("db", "check", "--json").out)["problems"]
    assert problems[0] == NEXT_STEP
    assert problems[1] == "the table theirs is damaged"
    assert len(problems) == 23
    assert problems[-1] == "there is more damage than is listed here"
    assert "Problems found: at least 21." in molen.run("db", "check").err


@pytest.mark.parametrize("command", [("invitation", "list"), ("privacy", "purge"), ("worker", "--once")], ids=" ".join)
def test_a_command_that_meets_damage_calls_it_that(damaged: Installation, command: tuple[str, ...]) -> None:
    ended = damaged.run(*command)
    said = " ".join((ended.out + ended.err).split())
    assert ended.code == 3
    assert "the database reviewinvite.db is damaged (database disk image is malformed)" in said.lower()
    assert "`reviewinvite db restore` puts a backup in its place" in said
    assert "Check that it is reachable" not in said


@pytest.mark.parametrize(
    ("damaged_file", "command"),
    [("reviewinvite.db", ("db", "backup", "new.db")), ("backup.db", ("db", "restore", "--yes", "backup.db"))],
    ids=["backup", "restore"],
)
def test_a_copy_of_a_damaged_file_is_refused_with_the_file_and_the_next_step(
    molen: Installation, damaged_file: str, command: tuple[str, ...]
) -> None:
    write_order_file(molen.folder / "orders.csv", 0, 300)
    molen.ok("order", "import", "molen", "orders.csv")
    molen.ok("db", "backup", "backup.db")
    overwrite(molen.folder / damaged_file, root_page(molen.folder / damaged_file, "invitations"))
    said = " ".join(molen.refused(3, *command).split())
    assert f"Error: {damaged_file} is damaged (" in said
    assert f"): {REMEDY}." in said
    assert not (molen.folder / "new.db").exists()


def test_a_backup_can_be_put_in_its_place(damaged: Installation) -> None:
    damaged.ok("db", "restore", "--yes", "backup.db")
    assert damaged.json("db", "check") == {"problems": []}


@pytest.mark.parametrize("page", [1, 2])
def test_a_database_whose_schema_is_damaged_is_told_with_the_next_step(molen: Installation, page: int) -> None:
    overwrite(molen.folder / "reviewinvite.db", [page])
    ended = molen.run("db", "check")
    assert ended.code in (1, 3)
    assert "reviewinvite db restore" in ended.out + ended.err

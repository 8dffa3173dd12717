"""`db`, and what every command says when the database will not do."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests import disks
from tests.cli.command import COMMAND, POWERLESS, AsProcess
from tests.cli.harness import Installation

from reviewinvite_cli.output import size


def test_migrate_makes_a_database_and_then_has_nothing_to_do(empty: Installation) -> None:
    first = empty.json("db", "migrate")
    assert first["applied"]
    assert empty.json("db", "migrate") == {"applied": []}
    assert empty.run("db", "migrate").err == "The database is up to date.\n"
    assert empty.json("shop", "list") == []


def test_migrate_names_what_it_applied(empty: Installation) -> None:
    ended = empty.run("db", "migrate")
    assert ended.code == 0
    names = ended.out.split()
    assert names
    assert ended.err == f"Migrations applied: {len(names)}.\n"


def test_a_sound_database_passes_the_check(molen: Installation) -> None:
    assert molen.json("db", "check") == {"problems": []}
    assert molen.run("db", "check") == (0, "", "The database is sound.\n")


def test_the_check_names_a_missing_key_ring_and_the_next_step(empty: Installation) -> None:
    empty.ok("db", "migrate")
    ended = empty.run("db", "check")
    assert (ended.code, ended.err) == (1, "Problems found: 1.\n")
    assert ended.out.startswith("there is no key ring yet: start `reviewinvite serve`")
    empty.ok("shop", "list")
    assert empty.json("db", "check") == {"problems": []}


def test_the_check_counts_rows_and_bytes_where_it_is_asked_to(molen: Installation) -> None:
    molen.ok("key", "create", "molen")
    counted = molen.json("db", "check", "--statistics")
    assert counted["problems"] == []
    statistics = counted["statistics"]
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection:
        free = connection.execute("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
        assert (statistics["engine"], statistics["freeBytes"]) == ("sqlite", *free.fetchone())
    stored = {name for name, rows in statistics["rows"].items() if rows == 1}
    assert stored == {"key_ring", "shops", "api_keys", "hosts", "activity"}
    code, out, err = molen.run("db", "check", "--statistics")
    assert (code, err) == (0, "The database is sound.\n")
    shown = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert shown == {
        **{name: str(rows) for name, rows in statistics["rows"].items()},
        "size": size(statistics["bytes"]),
        "free": size(statistics["freeBytes"]),
    }


def test_the_check_lists_damage_and_ends_with_1(molen: Installation) -> None:
    molen.ok("key", "create", "molen")
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection:
        connection.execute("DELETE FROM shops")
        connection.commit()
    ended = molen.run("db", "check")
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "1 row of api_keys refers to a missing shop",
        "1 entry of an activity log belongs to a missing shop",
    ]
    assert "Problems found: 2." in ended.err
    assert molen.run("db", "check", "--statistics") == ended
    said = molen.run("db", "check", "--json")
    assert said.code == 1
    assert '"problems": [' in said.out


def test_the_check_notices_a_wrong_secret(molen: Installation) -> None:
    assert "secret" in molen.refused(3, "db", "check", REVIEWINVITE_SECRET="x" * 32)


def test_a_file_that_is_no_database_is_a_configuration_error(empty: Installation) -> None:
    (empty.folder / "reviewinvite.db").write_text("This is a text, and longer than a hundred characters. " * 20)
    for command in (("shop", "list"), ("db", "migrate"), ("db", "check"), ("worker", "--once")):
        said = empty.refused(3, *command)
        assert "Error: reviewinvite.db is not a SQLite database: name another file" in said


def test_another_programs_database_is_left_alone(empty: Installation) -> None:
    with closing(sqlite3.connect(empty.folder / "reviewinvite.db")) as connection:
        connection.execute("CREATE TABLE theirs (x)")
        connection.commit()
    assert "another program" in empty.refused(3, "shop", "list")
    assert "another program" in empty.refused(3, "db", "migrate")


NEEDS_A_DATABASE = [
    ("db", "check"),
    ("db", "recount"),
    ("db", "reconcile", "--yes"),
    ("db", "backup", "backup.db"),
    ("privacy", "erase", "--yes", "anna@example.com"),
    ("privacy", "export", "anna@example.com"),
    ("privacy", "purge"),
    ("secret", "rotate", "--yes"),
]


@pytest.mark.parametrize("command", NEEDS_A_DATABASE, ids=" ".join)
def test_what_needs_a_database_makes_none(empty: Installation, command: tuple[str, ...]) -> None:
    said = empty.refused(3, *command).lower()
    assert "there is no database reviewinvite.db: correct database_url" in said
    assert list(empty.folder.iterdir()) == []
    (empty.folder / "reviewinvite.db").touch()
    assert "the database reviewinvite.db is empty: correct database_url" in empty.refused(3, *command).lower()
    assert [(file.name, file.stat().st_size) for file in empty.folder.iterdir()] == [("reviewinvite.db", 0)]


def test_a_check_of_a_database_that_nobody_has_used_yet_makes_neither_secret_nor_mark(empty: Installation) -> None:
    empty.ok("db", "migrate")
    assert empty.run("db", "check").out.startswith("there is no key ring yet")
    assert [file.name for file in empty.folder.iterdir()] == ["reviewinvite.db"]


def test_a_database_that_has_lost_its_key_ring_is_not_sound(molen: Installation) -> None:
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db")) as connection:
        connection.execute("DELETE FROM key_ring")
        connection.commit()
    ended = molen.run("db", "check")
    assert (ended.code, ended.out) == (1, "there are shops, but no key ring: restore a backup\n")


@pytest.mark.parametrize("command", [("shop", "list"), ("db", "migrate"), ("worker", "--once")])
def test_a_folder_that_is_not_there_fails(empty: Installation, command: tuple[str, ...]) -> None:
    said = empty.refused(3, "--database-url", "sqlite:///nowhere/reviewinvite.db", *command)
    assert "no database nowhere/reviewinvite.db" in said or "no database at nowhere/reviewinvite.db" in said


@pytest.mark.skipif(not shutil.which("setpriv"), reason="needs setpriv to be somebody who may not write")
def test_a_folder_that_cannot_be_written_fails_with_what_to_do(empty: Installation, as_process: AsProcess) -> None:
    empty.folder.chmod(0o555)
    command = [
        *COMMAND,
        "--database-url",
        f"sqlite:///{empty.folder}/reviewinvite.db",
        "shop",
        "add",
        "a",
        "--name",
        "A",
    ]
    ended = as_process(Installation(Path("/"))).run_program([*POWERLESS, *command])
    assert (ended.code, ended.out) == (3, "")
    assert "Permission denied: correct database_url, or let this user write there" in ended.err


def test_a_locked_database_fails_and_works_again_afterwards(molen: Installation, as_process: AsProcess) -> None:
    with closing(sqlite3.connect(molen.folder / "reviewinvite.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        said = as_process(molen).refused(1, "shop", "add", "kaas", "--name", "Kaashandel")
        assert "locked" in said
        assert "try again" in said
    molen.ok("shop", "add", "kaas", "--name", "Kaashandel")


def test_a_full_disk_is_named_and_what_only_reads_still_works(one_shop: Path, tmp_path: Path) -> None:
    with disks.small_disk(tmp_path / "small", megabytes=1) as folder:
        shutil.copytree(one_shop, folder, dirs_exist_ok=True)
        full = Installation(folder)
        disks.fill(folder)
        assert full.json("db", "check") == {"problems": []}
        assert [shop["siteId"] for shop in full.json("shop", "list")] == ["molen"]
        assert full.run("db", "backup", str(tmp_path / "backup.db")).code == 0
        code, _, err = full.run("shop", "add", "other", "--name", "Other")
        assert (code, err.splitlines()[0][:46]) == (1, "Error: Database unavailable: the disk is full.")

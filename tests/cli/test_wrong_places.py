"""What every command does where there is no database, or none that can be opened. Spec: §1, Managing the service."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.budgets import in_full, others_in_full
from tests.cli.command_tree import EVERY_COMMAND, CommandPath
from tests.cli.harness import Installation
from tests.cli.test_each_command import ARGUMENTS
from tests.core.domain.signing_kit import KEYS, a_statement, document_of

from reviewinvite_core.bootstrap.adapter_factory import machine_time

CREATING = frozenset({"init", "shop add", "serve", "db migrate", "demo", "db restore"})
WITHOUT_DATABASE = frozenset({"help", "prove", "verify", "settings show", "mail test", "doctor"})
"""These work without the installation's database; `doctor` says that there is none."""
AN_ID = "01890a5d-ac96-774b-bcce-b302099a8057"
IDS = {
    "key": "rvi",
    "uncertain": AN_ID,
    "rejected": AN_ID,
    "invitation": AN_ID,
    "review": AN_ID,
    "signing_key": "k" * 43,
}

NOT_OPENED = frozenset({"backup record", "db finish-upgrade", "db prepare-rollback"})
"""These change files beside a database that has to be there, whatever state it is in."""
NEEDING = [path for path in EVERY_COMMAND if " ".join(path) not in CREATING | WITHOUT_DATABASE]
OPENING = [path for path in NEEDING if " ".join(path) not in NOT_OPENED]


@pytest.fixture
def bare(tmp_path: Path) -> Installation:
    """Return a folder with everything that commands are given, but without a database."""
    folder = tmp_path / "bare"
    folder.mkdir()
    (folder / "orders.csv").write_text("email,orderNumber\nanna@example.com,1\n")
    (folder / "statement.json").write_bytes(document_of(a_statement(now=machine_time())))
    (folder / "keys.json").write_bytes(KEYS)
    return Installation(folder)


def names(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*")}


def words_of(path: CommandPath) -> tuple[str, ...]:
    return (*path, *(each.format(**IDS) for each in ARGUMENTS[" ".join(path)].split()))


def test_no_command_is_forgotten() -> None:
    assert {" ".join(path) for path in EVERY_COMMAND} >= CREATING | WITHOUT_DATABASE
    assert len(NEEDING) > 50


@pytest.mark.parametrize("url", ["", in_full("sqlite:///no-such-folder/reviewinvite.db")], ids=["default", "no-folder"])
@pytest.mark.parametrize("path", NEEDING, ids=" ".join)
def test_a_command_on_a_missing_database_ends_with_3_and_creates_nothing(
    bare: Installation, path: CommandPath, url: str
) -> None:
    (bare.folder / "reviewinvite.toml").write_text(f"database_url = '{url}'\n" if url else "")
    before = names(bare.folder)
    words = [word.replace("sqlite:///reviewinvite.db", url) if url else word for word in words_of(path)]
    said = bare.refused(3, *words)
    assert "there is no database" in said.lower()
    assert names(bare.folder) == before


@pytest.mark.parametrize("path", sorted(WITHOUT_DATABASE))
def test_a_command_that_needs_no_database_makes_none(bare: Installation, path: str) -> None:
    bare.run(*words_of(tuple(path.split())))
    assert not any("reviewinvite.db" in name for name in names(bare.folder))


@pytest.mark.parametrize("path", sorted(CREATING - {"demo", "serve", "db restore"}))
def test_a_command_that_sets_up_makes_a_database(bare: Installation, path: str) -> None:
    bare.ok(*words_of(tuple(path.split())))
    assert (bare.folder / "reviewinvite.db").stat().st_size


@pytest.mark.parametrize("path", [("shop", "add"), ("db", "migrate"), ("serve",)], ids=" ".join)
def test_where_no_database_can_be_made_the_place_is_named(bare: Installation, path: CommandPath) -> None:
    given = ("--database-url", "sqlite:///no-such-folder/reviewinvite.db")
    ended = bare.run(*given, *(("serve", "--port", "0") if path == ("serve",) else words_of(path)))
    assert ended.code == 3
    assert "There can be no database at no-such-folder/reviewinvite.db: No such file or directory" in ended.err


def cut_off(database: Path) -> None:
    os.truncate(database, database.stat().st_size // 2 + 100)


def overwrite_all(database: Path) -> None:
    database.write_bytes(hashlib.shake_256().digest(50_000))


def overwrite_middle(database: Path) -> None:
    content = bytearray(database.read_bytes())
    content[3 * 4096 :] = b"\xa5" * (len(content) - 3 * 4096)
    database.write_bytes(content)


@pytest.mark.parametrize("damage", [cut_off, overwrite_all, overwrite_middle])
@pytest.mark.parametrize("path", others_in_full(OPENING, ("shop", "list"), ("worker",), ("db", "backup")), ids=" ".join)
def test_a_command_on_a_damaged_database_ends_with_3_and_names_the_file(
    bare: Installation, one_shop: Path, path: CommandPath, damage: Callable[[Path], None]
) -> None:
    shutil.copytree(one_shop, bare.folder, dirs_exist_ok=True)
    damage(bare.folder / "reviewinvite.db")
    ended = bare.run(*words_of(path))
    said = " ".join(ended.err.split())
    assert ended.code == 3, ended
    assert "reviewinvite.db" in said
    assert "is damaged" in said or "is not a SQLite database" in said
    assert "db restore" in said
    assert "a bug in reviewinvite" not in said.lower()

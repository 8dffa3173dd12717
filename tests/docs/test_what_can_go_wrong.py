"""docs/how-to/what-can-go-wrong.md quotes what the code says, and names commands that there are."""

from __future__ import annotations

import ast
import errno
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.command_tree import EVERY_COMMAND

from reviewinvite_core import Settings
from reviewinvite_core.bootstrap.settings import ENVIRONMENT_PREFIX

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "what-can-go-wrong.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| you see")]
QUOTED = sorted({text for row in ROWS for text in re.findall(r"`([^`]+)`", row.split(" | ")[0])})
NOT_MESSAGES = re.compile(r"/\w+|https://|(serve|worker|db|secret|invitation)( [\w-]+)?( --[\w-]+)?|[A-Z_]+")
"""Paths, commands and settings: what an operator sees or types, and no message."""


def folded(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "..." for part in node.values)


def texts() -> Iterator[str]:
    """Yield every string of the sources, with `...` for what is filled in, and the names of exceptions."""
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield folded(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.ClassDef):
                yield node.name


def full(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "full.db")) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        connection.execute("CREATE TABLE one (x)")


def read_only(folder: Path) -> None:
    sqlite3.connect(folder / "read.db").close()
    with closing(sqlite3.connect(f"file:{folder}/read.db?mode=ro", uri=True)) as connection:
        connection.execute("CREATE TABLE one (x)")


def locked(folder: Path) -> None:
    with (
        closing(sqlite3.connect(folder / "locked.db", isolation_level=None)) as one,
        closing(sqlite3.connect(folder / "locked.db", timeout=0)) as other,
    ):
        one.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE one (x)")


def away(folder: Path) -> None:
    sqlite3.connect(f"file:{folder}/none/away.db?mode=rw", uri=True)


def no_such_file(_: Path) -> None:
    raise OSError(os.strerror(errno.ENOENT))


FROM_ELSEWHERE: dict[str, Callable[[Path], None]] = {
    "database or disk is full": full,
    "attempt to write a readonly database": read_only,
    "database is locked": locked,
    "unable to open database file": away,
    "No such file or directory": no_such_file,
}
"""Messages of SQLite and the system that the service passes on, each with what makes it."""
FROM_PYTHON = {"SSLCertVerificationError"}


@pytest.fixture(scope="module")
def every_text() -> list[str]:
    return [" ".join(text.split()) for text in texts()]


@pytest.mark.parametrize("quoted", [text for text in QUOTED if not NOT_MESSAGES.fullmatch(text)])
def test_a_message_on_the_page_is_in_the_code(quoted: str, every_text: list[str]) -> None:
    if quoted in FROM_ELSEWHERE or quoted in FROM_PYTHON:
        return
    wanted = re.compile(r".*".join(map(re.escape, quoted.split("..."))))
    assert any(wanted.search(text) for text in every_text)


@pytest.mark.parametrize("quoted", FROM_ELSEWHERE)
def test_a_message_of_sqlite_or_the_system_is_what_it_says(quoted: str, sqlite_folder: Path) -> None:
    assert quoted in QUOTED
    with pytest.raises((sqlite3.Error, OSError), match=quoted):
        FROM_ELSEWHERE[quoted](sqlite_folder)


def test_the_commands_and_settings_on_the_page_are_there() -> None:
    for command in re.findall(r"`reviewinvite ([a-z][a-z -]*[a-z])", PAGE):
        words = tuple(command.split())
        assert words[:1] in EVERY_COMMAND or words[:2] in EVERY_COMMAND, command
    settings = {name.upper() for name in Settings.__annotations__}
    named = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", PAGE))
    assert named <= settings | {ENVIRONMENT_PREFIX}
    assert len(named) > 5


@pytest.mark.parametrize("page", ["operating.md", "how-to/README.md"])
def test_the_page_is_listed(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert re.search(r"\[What can go wrong, and what then\]\((how-to/)?what-can-go-wrong\.md\)", text)

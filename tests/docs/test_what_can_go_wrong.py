"""docs/how-to/what-can-go-wrong.md quotes what the code says, and names commands that there are."""

from __future__ import annotations

import ast
import errno
import os
import re
import resource
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from tests.cli.command_tree import EVERY_COMMAND

from reviewinvite_core import Settings
from reviewinvite_core.bootstrap.settings import ENVIRONMENT_PREFIX

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "what-can-go-wrong.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| you see")]
QUOTED = sorted({text for row in ROWS for text in re.findall(r"`([^`]+)`", row.split(" | ")[0])})
SAYS = {
    **dict.fromkeys(("warning", "error", "print_error", "StorageUnavailable", "DatabaseInUse", "DatabaseDamaged"), 0),
    "log_crossings": 1,
}
"""What logs, prints or raises a message, with the place of the message among its arguments."""

NEED_NO_ROW = frozenset(
    {
        # of commands, and complete: they say what to do, or what was wrong with the arguments
        "... is a directory; name a file in it.",
        ".... Nothing was changed.",
        "argument ... is not valid UTF-8.",
        "... exists already, and nothing was changed.",
        "the mail server cannot be reached: check MAIL_URL. ... will be tried again.",
        "not valid: ....",
        "the signature is valid, but the statement says `...`, not `trusted`.",
        "the invitation was not delivered in time.",
        "the API gave an unexpected answer.",
        # begin with a message that has a row
        ".... Nothing is sent without it.",
        "... (the setting HANDOVER_MARK says where it is). Nothing is sent; trying again.",
        # passing: they are logged as the cause of `storage unavailable`, and the next try succeeds
        "a review was written meanwhile",
        "the review was changed meanwhile",
        "the signing keys are being changed",
        "the transaction is gone",
        "the transaction was rolled back",
        "too many reads are waiting",
        "there is no key ring",
        # the end of the process
        "shutting down",
        "the process is shutting down",
        "",
    }
)
"""Messages for which nobody has to look anything up."""

NOT_MESSAGES = re.compile(r"/\w+|https://|(serve|worker|db|secret|invitation)( [\w-]+)?( --[\w-]+)?|[A-Z_]+")
"""Paths, commands and settings: what an operator sees or types, and no message."""


def folded(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "..." for part in node.values)


@cache
def sources() -> Sequence[ast.Module]:
    return [ast.parse(file.read_text(encoding="utf-8")) for file in (ROOT / "src").rglob("*.py")]


def texts() -> Iterator[str]:
    """Yield every string of the sources, with `...` for what is filled in, and the names of exceptions."""
    for tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                yield folded(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.ClassDef):
                yield node.name


def messages() -> Iterator[str]:
    """Yield what the sources log at warning or error level, print as an error, or raise for a fault of storage."""
    for tree in sources():
        assigned = {
            (each.lineno, node.id): each.value
            for each in ast.walk(tree)
            if isinstance(each, ast.Assign)
            for node in each.targets
            if isinstance(node, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and name_of(node.func) in SAYS:
                told = node.args[SAYS[name_of(node.func)]]
                if isinstance(told, ast.Name):  # the message is assigned in the lines above
                    lines = [line for line, name in assigned if name == told.id and line < node.lineno]
                    told = assigned.get((max(lines, default=0), told.id), told)
                if isinstance(told, ast.JoinedStr):
                    yield folded(told)
                elif isinstance(told, ast.Constant) and isinstance(told.value, str):
                    yield told.value


def pattern_of(quoted: str) -> re.Pattern[str]:
    """Return what finds a quotation in a message; commands print one with a capital at its beginning."""
    return re.compile(r".*".join(map(re.escape, quoted.split("..."))), re.IGNORECASE)


def name_of(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


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


def failing(folder: Path) -> None:
    """Have a write fail as a disk does: this process may write no more than a page for now."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with closing(sqlite3.connect(folder / "failing.db")) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
        try:
            connection.execute("CREATE TABLE one (x)")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


FROM_ELSEWHERE: dict[str, Callable[[Path], None]] = {
    "database or disk is full": full,
    "attempt to write a readonly database": read_only,
    "database is locked": locked,
    "unable to open database file": away,
    "No such file or directory": no_such_file,
    "disk I/O error": failing,
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
    wanted = pattern_of(quoted)
    assert any(wanted.search(text) for text in every_text)


def test_a_message_that_an_operator_sees_is_on_the_page() -> None:
    said = {" ".join(message.split()) for message in messages()}
    said = {message for message in said if re.search(r"[a-z]{3}.* ", message)} - NEED_NO_ROW
    assert len(said) > 40
    quoted = [pattern_of(text) for text in QUOTED if " " in text]  # a word alone is a state, a setting or a command
    missing = sorted(message for message in said if not any(text.search(message) for text in quoted))
    assert not missing


def test_no_message_is_exempt_that_is_not_said() -> None:
    assert set(messages()) >= NEED_NO_ROW - {""}


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

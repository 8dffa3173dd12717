"""URLs of databases from standard input, as arguments show in the list of processes."""

from __future__ import annotations

import os
import sys

import pytest
from tests.cli.command import AsProcess, ProcessInstallation
from tests.cli.harness import Ended, Installation
from tests.waiting import TIMEOUT_SECONDS

REVIEWINVITE = (sys.executable, "-m", "reviewinvite_cli")


def fed(installation: ProcessInstallation, text: str, *arguments: str) -> Ended:
    """Run a command with this text on standard input."""
    return installation.run_program([*REVIEWINVITE, *arguments], stdin=text.encode())


def test_a_database_url_is_a_line_of_standard_input(empty: Installation, as_process: AsProcess) -> None:
    process = as_process(empty)
    arguments = ("shop", "add", "molen", "--name", "De Molen")
    assert fed(process, "sqlite:///given.db\n", "--database-url", "-", *arguments).code == 0
    assert (empty.folder / "given.db").exists()
    added = fed(process, "sqlite:///given.db\nx@example.com\n", "--database-url", "-", "suppression", "add", "-")
    assert added.code == 0, added
    orders = "sqlite:///given.db\nemail\nanna@example.com\n"
    assert fed(process, orders, "--database-url", "-", "order", "import", "molen", "-").out.startswith("1 new")
    assert not (empty.folder / "reviewinvite.db").exists()


@pytest.mark.parametrize(
    ("source", "target", "text"),
    [
        ("-", "-", "sqlite:///reviewinvite.db\nsqlite:///copy.db\n"),
        ("sqlite:///reviewinvite.db", "-", "sqlite:///copy.db"),
        ("-", "sqlite:///copy.db", " sqlite:///reviewinvite.db \n"),
    ],
)
def test_a_copy_reads_its_urls_in_their_order(
    molen: Installation, as_process: AsProcess, source: str, target: str, text: str
) -> None:
    copied = fed(as_process(molen), text, "db", "copy", source, target)
    assert copied.code == 0, copied
    assert (molen.folder / "copy.db").exists()


@pytest.mark.parametrize(
    ("arguments", "text", "words"),
    [
        (("--database-url", "-", "shop", "list"), "", "--database-url: standard input has no line with a URL"),
        (("--database-url", "-", "shop", "list"), "\n", "standard input has no line with a URL"),
        (("--database-url", "-", "shop", "list"), "x" * 2000, "longer than 1,000 bytes"),
        (("db", "copy", "-", "-"), "sqlite:///a.db\n", "TO: standard input has no line with a URL"),
    ],
)
def test_what_is_no_url_on_standard_input_is_wrong_usage(
    empty: Installation, as_process: AsProcess, arguments: tuple[str, ...], text: str, words: str
) -> None:
    ended = fed(as_process(empty), text, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in " ".join(ended.err.split())
    assert not list(empty.folder.iterdir())


def test_a_url_that_is_not_valid_is_not_shown(empty: Installation, as_process: AsProcess) -> None:
    ended = fed(as_process(empty), "mysql://shop:geheim@localhost/x\n", "--database-url", "-", "shop", "list")
    assert ended.code == 3
    assert "geheim" not in ended.err


def test_on_a_terminal_a_url_is_asked_for_and_not_shown(empty: Installation, as_process: AsProcess) -> None:
    empty.ok("--database-url", "sqlite:///given.db", "db", "migrate")
    with as_process(empty).attached("--database-url", "-", "shop", "list") as (process, terminal):
        shown = b""
        while b"Database URL: " not in shown:
            shown += os.read(terminal, 1024)
        os.write(terminal, b"sqlite:///given.db\n")  # only now: what was typed before the question is dropped
        while b"no shops yet" not in shown:
            shown += os.read(terminal, 1024)
        assert process.wait(TIMEOUT_SECONDS) == 0
    assert b"given.db" not in shown

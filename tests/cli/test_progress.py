"""How `worker` shows on a terminal how deliveries go."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import pytest
from rich.console import Console
from tests.cli.command import AsProcess, ProcessInstallation
from tests.cli.harness import Installation
from tests.cli.orders import report_due
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_cli.progress import ProgressLine, in_lines
from reviewinvite_core.values import Progress


@attrs.define
class Terminal:
    """A command on a terminal, what it has shown so far, and the keys that are typed."""

    process: subprocess.Popen[bytes]
    master: int
    shown: str = ""

    def wait_for(self, words: str) -> None:
        """Read until the words are shown."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while words not in self.shown:
            assert time.monotonic() < deadline, self.shown
            self._read()

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def end(self) -> int:
        """Read all that is left; the exit code."""
        try:
            while True:
                self._read()
        except OSError:  # the other end is closed
            return self.process.wait(TIMEOUT_SECONDS)

    def _read(self) -> None:
        self.shown += os.read(self.master, 65536).decode().replace("\r\n", "\n")

    @property
    def screen(self) -> list[str]:
        """The lines as they are left when all that was drawn over is gone."""
        lines = [""]
        for piece in re.split(r"(\n|\r|\x1b\[2K|\x1b\[1A)", self.shown):
            if piece == "\n":
                lines.append("")
            elif piece == "\x1b[1A":
                lines.pop()
            elif piece == "\x1b[2K":
                lines[-1] = ""
            elif piece != "\r":
                lines[-1] += re.sub(r"\x1b\[\??[\d;]*[a-zA-Z]", "", piece)
        return [line for line in lines if line.strip()]


@contextmanager
def on_terminal(
    installation: ProcessInstallation, *arguments: str, columns: int = 80, **more: str
) -> Iterator[Terminal]:
    """Run a command on a terminal where Ctrl-C is a key."""
    with installation.attached(*arguments, columns=columns, **more) as (process, master):
        yield Terminal(process, master)


@pytest.mark.parametrize(("columns", "lines"), [(80, 1), (40, 2)])
def test_a_worker_on_a_terminal_draws_one_line_until_ctrl_c(
    molen: Installation, as_process: AsProcess, columns: int, lines: int
) -> None:
    with on_terminal(as_process(molen), "worker", columns=columns) as terminal:
        terminal.wait_for("due 0")
        report_due(molen, "1")
        terminal.wait_for("sent 1")
        report_due(molen, "2")
        terminal.wait_for("sent 2")
        terminal.type(b"\x03")
        assert terminal.end() == 0
    figures = terminal.screen[-lines:]
    words = re.split(r"   |\n", "\n".join(figures))
    assert re.fullmatch(r"due [01]", words[0])  # counted once a second
    assert words[1:5] == ["in flight 0", "sent 2", "refused 0", "uncertain 0"]
    assert re.fullmatch(r"\d+\.\d/s", words[5])
    assert all(len(line) <= columns for line in figures)
    assert "customer@" not in terminal.shown
    assert terminal.shown.count("\x1b[?25l") == terminal.shown.count("\x1b[?25h") == 1  # the cursor is back


def test_what_was_not_sent_stands_above_the_line(molen: Installation, as_process: AsProcess) -> None:
    invite_id = report_due(molen, "1")
    with on_terminal(as_process(molen), "worker", columns=200, REVIEWINVITE_MAIL_URL="smtp://127.0.0.1:1") as terminal:
        terminal.wait_for("state=scheduled")
        terminal.type(b"\x03")
        assert terminal.end() == 0
    above, line = terminal.screen[-2:]
    assert f"inviteId={invite_id} state=scheduled reason=unreachable" in above
    assert "sent 0" in line


def test_the_database_that_goes_away_is_told_above_the_line(molen: Installation, as_process: AsProcess) -> None:
    with on_terminal(as_process(molen), "worker", columns=200) as terminal:
        terminal.wait_for("due 0")
        database = molen.folder / "reviewinvite.db"
        database.rename(molen.folder / "away.db")
        terminal.wait_for("Warning: database unavailable")
        (molen.folder / "away.db").rename(database)
        report_due(molen, "1")
        terminal.wait_for("sent 1")
        terminal.type(b"\x03")
        assert terminal.end() == 0
    assert sum("Warning: database" in line for line in terminal.screen) == 1


@pytest.mark.parametrize("asked", [("--json",), ()], ids=["json", "dumb terminal"])
def test_lines_are_printed_where_nothing_is_to_be_drawn(
    molen: Installation, as_process: AsProcess, asked: tuple[str, ...]
) -> None:
    invite_id = report_due(molen, "1")
    with on_terminal(as_process(molen), "worker", *asked, columns=200, TERM="xterm" if asked else "dumb") as terminal:
        terminal.wait_for("accepted")
        terminal.type(b"\x03")
        assert terminal.end() == 0
    assert invite_id in terminal.shown
    assert "in flight" not in terminal.shown
    assert "\x1b[?25l" not in terminal.shown


def test_the_rate_is_that_of_the_last_seconds() -> None:
    line = ProgressLine(Console(width=200))
    shown = []
    for second, sent in enumerate([0, 50, 100, 150, *[200] * 20]):
        line.note(Progress(due=1000, in_flight=4, sent=sent, refused=0, uncertain=0))
        shown.append(line.words(1000.0 + second)[-1])
    assert shown[:5] == ["0.0/s", "50.0/s", "50.0/s", "50.0/s", "50.0/s"]
    assert shown[10] == "20.0/s"
    assert shown[-1] == "0.0/s"


def test_nothing_is_told_of_figures_before_there_are_any() -> None:
    assert ProgressLine(Console(width=80)).words(0.0) == ["looking for what is due"]


@pytest.mark.parametrize("width", [1, 9, 10, 25, 80])
def test_words_are_put_in_as_few_lines_as_they_fit_in_and_none_is_broken(width: int) -> None:
    words = ["due 12,345", "in flight 4", "sent 1", "refused 0"]
    lines = in_lines(words, width)
    assert [word for line in lines for word in line.split("   ")] == words
    assert all(len(line) <= max(width, len(line.split("   ")[0])) for line in lines)
    for upper, lower in itertools.pairwise(lines):
        assert len(upper) + 3 + len(lower.split("   ")[0]) > width

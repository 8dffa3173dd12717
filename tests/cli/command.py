"""The real command, in a real process, on a folder with a database of its own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

COMMAND = (sys.executable, "-m", "reviewinvite_cli")
HALTING = (sys.executable, str(Path(__file__).with_name("halting.py")))
SECONDS = 120  # for what takes one or two on a machine that does not stall


class Ended(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


class Installation:
    """A folder in which commands run; nothing of the environment's settings reaches them."""

    def __init__(self, folder: Path, *options: str, **variables: str) -> None:
        self.folder = folder
        self.options = options
        self.variables = variables

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        names = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH")
        kept = {name: os.environ[name] for name in names if name in os.environ}
        return {**kept, "PYTHONWARNINGS": "error", **self.variables, **(more or {})}

    def run(self, *arguments: str | bytes, **more: str) -> Ended:
        """Run a command to its end. No command ever shows a traceback, so none may here."""
        done = subprocess.run(
            [*COMMAND, *self.options, *arguments],
            cwd=self.folder,
            env=self.environment(more),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
        ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in ended.out + ended.err
        return ended

    def start(self, *arguments: str, program: Sequence[str] = COMMAND, **more: str) -> subprocess.Popen[str]:
        """Start a command, and do not wait for it."""
        return subprocess.Popen(
            [*program, *self.options, *arguments],
            cwd=self.folder,
            env=self.environment(more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @contextmanager
    def halted(self, module: str, function: str, nth: int, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """A command that stands still before the n-th call of a function; SIGCONT lets it go on."""
        with self.start(*arguments, program=(*HALTING, module, function, str(nth))) as process:
            try:
                status = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
                assert status is not None
                assert status.si_code == os.CLD_STOPPED, "it ended before it came there"
                yield process
            finally:
                process.kill()

    def ok(self, *arguments: str, **more: str) -> str:
        """What a command that succeeds writes to standard output."""
        ended = self.run(*arguments, **more)
        assert ended.code == 0, ended
        return ended.out

    def json(self, *arguments: str, **more: str) -> Any:
        """What a command that succeeds prints with `--json`."""
        return json.loads(self.ok(*arguments, "--json", **more))

    def refused(self, code: int, *arguments: str, **more: str) -> str:
        """What a command that ends with `code` says on standard error; it prints no data."""
        ended = self.run(*arguments, **more)
        assert ended.code == code, ended
        assert ended.out == ""
        assert ended.err
        return " ".join(ended.err.split())

    def on_terminal(self, *arguments: str, columns: int = 80, typed: str = "", **more: str) -> str:
        """All that a command shows on a terminal of so many columns, where somebody has typed something."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [*COMMAND, *self.options, *arguments],
            cwd=self.folder,
            env=self.environment({"TERM": "xterm", **more}),
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        os.write(master, typed.encode())
        shown = b""
        try:
            while piece := os.read(master, 65536):
                shown += piece
        except OSError:
            pass  # the other end is closed: the command has ended
        os.close(master)
        process.wait(SECONDS)
        return shown.decode().replace("\r\n", "\n")

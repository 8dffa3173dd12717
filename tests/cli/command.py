"""The command in a process of its own, for what only a process shows: signals, terminals, kills, imports."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from tests.cli import harness
from tests.cli.harness import Ended
from tests.waiting import TIMEOUT_SECONDS

COMMAND = (sys.executable, "-m", "reviewinvite_cli")
HALTING = (sys.executable, str(Path(__file__).with_name("halting.py")))
POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
"""Before a command: it may do with files what their owner may, even as root."""
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


class ProcessInstallation(harness.Installation):
    """An installation each of whose commands runs in a process of its own."""

    @classmethod
    def of(cls, installation: harness.Installation) -> ProcessInstallation:
        """Return the same installation; a variable that is set there later is set here, too."""
        made = cls(installation.folder, *installation.options)
        made.variables = installation.variables
        return made

    def run(self, *arguments: str | bytes, **more: str) -> Ended:
        """Run a command to its end. No command ever shows a traceback, so none may here."""
        return self.run_program([*COMMAND, *self.options, *arguments], more=more)

    def run_program(
        self, program: Sequence[str | bytes], *, more: Mapping[str, str] | None = None, stdin: bytes = b""
    ) -> Ended:
        """Run a whole command line, of the shell say, as `run` does."""
        done = subprocess.run(
            program,
            cwd=self.folder,
            env=self.environment(more),
            capture_output=True,
            input=stdin,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in ended.out + ended.err
        return ended

    def run_without(self, packages: Sequence[str], *arguments: str) -> Ended:
        """Run the installed script as if these packages were not installed."""
        entry = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["scripts"]["reviewinvite"]
        module, _, function = entry.partition(":")
        blocked = "".join(f"sys.modules[{package!r}] = None; " for package in packages)
        program = f"import sys; {blocked}sys.argv[1:] = {arguments!r}; from {module} import {function}; {function}()"
        return self.run_program([sys.executable, "-c", program])

    def imported(self, *arguments: str) -> set[str]:
        """Return the names of all modules that a command imports which succeeds."""
        ended = self.run_program([sys.executable, "-X", "importtime", *COMMAND[1:], *self.options, *arguments])
        assert ended.code == 0, ended
        return {line.rpartition("|")[2].strip() for line in ended.err.splitlines()}

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
    def serving(self, *options: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
        """Run `serve` on a free port; gives it and its address, which it logs to standard error."""
        process = self.start("serve", "--port", "0", *options, **variables)
        assert process.stderr is not None
        try:
            address = ""
            for line in process.stderr:
                found = re.search(r"http://127\.0\.0\.1:\d+", line)
                if found and line.startswith("{"):
                    address = found[0]
                    break
            assert address
            yield process, address
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()

    @contextmanager
    def halted(self, module: str, function: str, nth: int, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """Run a command that stops before the n-th call of a function; SIGCONT lets it go on."""
        with self.start(*arguments, program=(*HALTING, module, function, str(nth))) as process:
            try:
                status = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
                assert status is not None
                assert status.si_code == os.CLD_STOPPED, "it ended before it came there"
                yield process
            finally:
                process.kill()

    def on_terminal(self, *arguments: str, columns: int = 80, typed: str = "", **more: str) -> str:
        """Return all that a command shows on a terminal of this width, after `typed` has been typed."""
        master, slave = open_terminal(columns)
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
        process.wait(TIMEOUT_SECONDS)
        return shown.decode().replace("\r\n", "\n")

    @contextmanager
    def attached(
        self, *arguments: str, columns: int = 80, **more: str
    ) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
        """Run a command on a terminal where Ctrl-C is a key; gives it and the terminal's other end."""
        master, slave = open_terminal(columns)
        process = subprocess.Popen(
            [*COMMAND, *self.options, *arguments],
            cwd=self.folder,
            env=self.environment({"TERM": "xterm", **more}),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        try:
            yield process, master
        finally:
            process.kill()
            process.wait()
            os.close(master)


AsProcess: TypeAlias = Callable[[harness.Installation], ProcessInstallation]
Installation = ProcessInstallation  # the name by which other tests know it


def open_terminal(columns: int) -> tuple[int, int]:
    """Open a terminal of this width; return the descriptors of its two ends."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return master, slave

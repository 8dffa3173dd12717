"""The processes of a trial: started apart from the terminal, and ended with this process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import attrs

_CHILD = Path(__file__).with_name("child.py")
_LAST_LINES = 5


class ReservedPort:
    """A free port that nobody else gets while its server is dead.

    Without this, a client that connects again and again could be given the server's own port.
    """

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # so that the server can bind it, too
        self._socket.bind(("127.0.0.1", 0))
        self.number: int = self._socket.getsockname()[1]

    def close(self) -> None:
        self._socket.close()


@attrs.define
class Program:
    """One program that is started, ended and started again; start it on the main thread.

    Linux ends it when the *thread* that started it ends.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    ended_by_itself: int = 0
    _process: subprocess.Popen[bytes] | None = None

    def start(self, *more: str) -> None:
        """Start it with these additional arguments, unless it is running."""
        if self.is_running:
            return
        command = [sys.executable, str(_CHILD), str(os.getpid()), sys.executable, *self.arguments, *more]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                command,
                cwd=self.log.parent,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us alone
            )

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def process_id(self) -> int | None:
        """Its process id, or None if it is not running."""
        return self._process.pid if self._process and self.is_running else None

    def signal(self, number: int) -> None:
        """Send it a signal, if it is running."""
        if self._process and self.is_running:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self.signal(signal.SIGKILL)
        if self._process:
            self._process.wait()
        self._process = None

    def stop(self, seconds: float) -> None:
        """End it in good order; kill it if that takes longer."""
        self.signal(signal.SIGTERM)
        if self._process:
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
        self._process = None

    @property
    def has_ended_by_itself(self) -> bool:
        """Whether it was started and has ended, though nobody here ended it."""
        return self._process is not None and not self.is_running

    def revive(self) -> None:
        """Start it again if it ended by itself, as a supervisor does."""
        if self.has_ended_by_itself:
            self.ended_by_itself += 1
            self.start()

    def last_words(self) -> str:
        """Return the end of its log."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(lines[-_LAST_LINES:])

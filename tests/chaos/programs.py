"""Programs of the operating system that tests run: on a free port, in a folder of the test, and ended whole."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from tests.waiting import TIMEOUT_SECONDS, wait_until


def fill_in(template: Path, target: Path, **values: object) -> Path:
    """Write `template` to `target`, each `@NAME@` replaced by its value; return `target`.

    Raises: `KeyError` if the template names a value that is not given.
    """
    target.write_text(re.sub("@([A-Z_]+)@", lambda found: str(values[found[1].lower()]), template.read_text()))
    return target


def let_others_pass(folder: Path) -> None:
    """Let programs that give up root's privileges come into `folder`: those that pytest makes are for root alone."""
    for each in (folder, *folder.parents):
        if each.stat().st_uid == os.geteuid():
            each.chmod(each.stat().st_mode | 0o011)


def is_listening(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_SECONDS):
        return True
    return False


class Program:
    """A running program and all processes that it starts; `log` is what it prints."""

    def __init__(
        self,
        command: Sequence[str | Path],
        log: Path,
        *,
        env: Mapping[str, str] | None = None,
        user: int | None = None,
        group: int | None = None,
    ) -> None:
        self.log = log
        self._left: list[psutil.Process] = []  # those that may go on for a while after their parent
        with log.open("ab") as file:
            self._popen = subprocess.Popen(
                command,
                cwd=log.parent,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                user=user,
                group=group,
            )

    @property
    def pid(self) -> int:
        return self._popen.pid

    def wait_for_port(self, port: int) -> None:
        """Wait until it listens; fail the test if it ends before."""

        def listens() -> bool:
            assert self._popen.poll() is None, self.log.read_text()
            return is_listening(port)

        wait_until(listens)

    def terminate(self) -> int:
        """Send SIGTERM, wait until it has ended, and return its exit code."""
        self._left += psutil.Process(self._popen.pid).children(recursive=True)
        self._popen.terminate()
        return self._popen.wait(TIMEOUT_SECONDS)

    def kill(self) -> None:
        """End it and its processes at once, as `kill -9` does."""
        for process in (*self._stopped(), *self._left):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._popen.wait(TIMEOUT_SECONDS)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Stop all its processes for the block; their connections stay open."""
        stopped = self._stopped()
        try:
            yield
        finally:
            for process in reversed(stopped):
                with suppress(psutil.NoSuchProcess):
                    process.resume()

    def _stopped(self) -> list[psutil.Process]:
        """Stop all its processes, parents first so that none starts another; return them."""
        stopped: list[psutil.Process] = []
        with suppress(psutil.NoSuchProcess):
            waiting = [psutil.Process(self._popen.pid)]
            while waiting:
                process = waiting.pop()
                with suppress(psutil.NoSuchProcess):
                    process.suspend()
                    stopped.append(process)
                    waiting += process.children()
        return stopped

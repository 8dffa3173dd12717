"""The service on the command line: the real command, a process each time, on a SQLite file and the real clock."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import attrs

SECONDS = 120


@attrs.frozen
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


class CommandLine:
    """A folder in which `reviewinvite` is run; it keeps its database and its outbox there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._variables: dict[str, str] = {}

    def set(self, **settings: object) -> None:
        """Settings of the operator's, in the environment."""
        self._variables.update(_variables(settings))

    def run(self, line: str, **settings: str) -> Ended:
        """Run a command as it would be typed, with these settings in its environment, for this once."""
        command, *arguments = shlex.split(line)
        assert command == "reviewinvite"
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "PYTHONPATH") if name in os.environ}
        done = subprocess.run(
            [sys.executable, "-m", "reviewinvite_cli", *arguments],
            cwd=self.folder,
            env={**kept, "LANG": "C.UTF-8", "PYTHONWARNINGS": "error", **self._variables, **_variables(settings)},
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
            text=True,
        )
        assert "Traceback" not in done.stdout + done.stderr
        return Ended(done.returncode, done.stdout, done.stderr)

    def close(self) -> None:
        """Nothing runs on."""


def _variables(settings: Mapping[str, object]) -> dict[str, str]:
    return {f"REVIEWINVITE_{name.upper()}": str(value) for name, value in settings.items()}

"""The service on the command line: the real command, on a SQLite file and the real clock."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import attrs
from tests.cli.command import ProcessInstallation
from tests.cli.harness import Installation
from tests.waiting import TIMEOUT_SECONDS


@attrs.frozen
class CommandResult:
    """How a command ended, and what it printed."""

    exit_code: int
    stdout: str
    stderr: str


class CliDriver:
    """A folder in which `reviewinvite` is run; its database and its outbox are there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._installation = Installation(folder, LANG="C.UTF-8")

    def configure(self, **settings: object) -> None:
        """Change settings of the operator's, in the environment."""
        self._installation.variables.update(_variables(settings))

    def run(self, line: str, **settings: object) -> CommandResult:
        """Run a command as it would be typed, with these settings in its environment, for this once."""
        command, *arguments = shlex.split(line)
        assert command == "reviewinvite"
        return CommandResult(*self._installation.run(*arguments, **_variables(settings)))

    def start_and_stop(self, line: str) -> CommandResult:
        """Start a command as `run` does, and stop it once it has said where it listens."""
        command, *arguments = shlex.split(line)
        assert command == "reviewinvite"
        process = ProcessInstallation.of(self._installation).start(*arguments)
        with process:
            assert process.stderr is not None
            said = []
            for each in process.stderr:
                said.append(each)
                if json.loads(each).get("address"):
                    break
            process.terminate()
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        return CommandResult(process.returncode, out, "".join(said) + err)

    def close(self) -> None:
        """Do nothing: each command has ended."""


def _variables(settings: dict[str, object]) -> dict[str, str]:
    return {f"REVIEWINVITE_{name.upper()}": str(value) for name, value in settings.items()}

"""The service on the command line: the real command, on a SQLite file and the real clock."""

from __future__ import annotations

import shlex
from pathlib import Path

import attrs
from tests.cli.harness import Installation


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

    def close(self) -> None:
        """Do nothing: each command has ended."""


def _variables(settings: dict[str, object]) -> dict[str, str]:
    return {f"REVIEWINVITE_{name.upper()}": str(value) for name, value in settings.items()}

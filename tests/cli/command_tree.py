"""The commands of `reviewinvite`, as typer has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup

from reviewinvite_cli.main import app

CommandPath: TypeAlias = tuple[str, ...]


def commands(group: TyperGroup, *path: str) -> Iterator[tuple[CommandPath, TyperCommand]]:
    """Yield each command below `group` with its path, in the order of the help page."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, *path, name)
        else:
            assert isinstance(command, TyperCommand)
            yield (*path, name), command


def _root() -> TyperGroup:
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    return root


EVERY_COMMAND: Mapping[CommandPath, TyperCommand] = dict(commands(_root()))

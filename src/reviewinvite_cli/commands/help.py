"""`help`: the help of a command, as `--help` prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from reviewinvite_cli.options import argument
from reviewinvite_cli.usage import print_help


def _commands(context: typer.Context) -> Sequence[str]:
    """Return the names that may come next in `help shop add`."""
    shown = context.find_root()
    for name in context.params.get("command") or ():
        group = shown.command
        found = group.get_command(shown, name) if isinstance(group, typer.core.TyperGroup) else None
        if found is None:
            return ()
        shown = typer.Context(found, info_name=name, parent=shown)
    return shown.command.list_commands(shown) if isinstance(shown.command, typer.core.TyperGroup) else ()


def help(  # noqa: A001 - the command's name
    context: typer.Context,
    command: Annotated[
        list[str] | None, argument("COMMAND", "The command, such as shop add.", autocompletion=_commands)
    ] = None,
) -> None:
    """Show the help of a command, or the list of commands."""
    shown = context.find_root()
    for name in command or ():
        group = shown.command
        found = group.resolve_command(shown, [name])[1] if isinstance(group, typer.core.TyperGroup) else None
        if found is None:  # of a group that has no such command, `resolve_command` says which one is meant
            context.fail(f'No command "{" ".join(command or ())}".')
        shown = typer.Context(found, info_name=name, parent=shown)
    print_help(shown)

"""`help`: the help of a command, as `--help` prints it."""

from __future__ import annotations

from typing import Annotated

import typer

from reviewinvite_cli.completion import commands
from reviewinvite_cli.usage import print_help


def help(  # noqa: A001 - the command's name
    context: typer.Context,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND", help="The command, such as shop add.", show_default=False, autocompletion=commands
        ),
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

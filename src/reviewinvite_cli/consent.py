"""Asking before a command does what is hard to undo. Spec: §1, Managing the service."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from reviewinvite_cli.errors import FAILURE, INTERRUPTED, OK, warn, wrong_usage
from reviewinvite_cli.output import tell

YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


def require_terminal(context: typer.Context, *, yes: bool, option: str | None = None) -> None:
    """Exit with 2 if the command would have to ask, but there is no terminal on which to ask.

    Call it first: a script that forgets --yes then fails the same way whatever the database holds. `option` is the one
    that makes the question necessary, or None if the command always asks.
    """
    if not yes and (sys.stdin is None or not sys.stdin.isatty()):
        wrong_usage(context, "cannot ask for confirmation without a terminal: add --yes.", option)


def ask(warning: str, question: str, *, yes: bool) -> None:
    """Exit with 1 unless the user agrees, and with 130 after Ctrl-C; with --yes, agree for the user."""
    if yes:
        return
    warn(warning)
    try:
        code = OK if typer.confirm(question, err=True) else FAILURE
    except typer.Abort:  # Ctrl-C, on a line that is not ended yet
        tell("")
        code = INTERRUPTED
    if code:
        tell("Nothing was changed.")
        raise typer.Exit(code)


def require_consent(context: typer.Context, *, yes: bool, warning: str, question: str) -> None:
    """Exit unless the user agrees: with 1 if not, and with 2 if there is no terminal on which to ask."""
    require_terminal(context, yes=yes)
    ask(warning, question, yes=yes)

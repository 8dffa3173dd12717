"""Asking before a command does what is hard to undo. Spec: §1, Managing the service."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from reviewinvite_cli.errors import FAILURE, warn, wrong_usage
from reviewinvite_cli.output import tell

YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


def require_consent(context: typer.Context, *, warning: str, question: str, option: str | None = None) -> None:
    """Exit unless the user agrees: with 1 if not, and with 2 if there is no terminal on which to ask.

    `option` is the one that makes the question necessary, or None if the command always asks.
    """
    if not sys.stdin.isatty():
        wrong_usage(context, "cannot ask for confirmation without a terminal: add --yes.", option)
    warn(warning)
    if not typer.confirm(question, err=True):
        tell("Nothing was changed.")
        raise typer.Exit(FAILURE)

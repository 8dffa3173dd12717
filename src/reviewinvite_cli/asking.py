"""Asking the user: for consent before what is hard to undo, and for values that no argument should show.

Arguments are in the list of processes and in a shell's history, so an address or a URL may come from standard input.
Spec: §1, Managing the service.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from reviewinvite_cli.errors import FAILURE, INTERRUPTED, OK, warn, wrong_usage
from reviewinvite_cli.options import argument
from reviewinvite_cli.output import tell

STANDARD_INPUT = "-"
LONGEST_LINE = 1000

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


def _given(context: typer.Context, email: str) -> str:
    """Return the address that was given as an argument, or the first line of standard input if that is `-`."""
    if email != STANDARD_INPUT or context.resilient_parsing or sys.stdin is None:
        return email
    if sys.stdin.isatty():
        typer.echo("Address: ", nl=False, err=True)
    return sys.stdin.buffer.readline(LONGEST_LINE).decode(errors="replace").strip()


def url_given(context: typer.Context, parameter: typer.CallbackParam, url: str | None) -> str | None:
    """Return the URL that was given, or the next line of standard input if that is `-`; a terminal does not show it."""
    if url != STANDARD_INPUT or context.resilient_parsing:
        return url
    if sys.stdin is not None and sys.stdin.isatty():
        return str(typer.prompt("Database URL", hide_input=True, err=True)).strip()
    line = sys.stdin.buffer.readline(LONGEST_LINE + 1) if sys.stdin is not None else b""
    read = line.decode(errors="replace").strip()
    name = parameter.metavar if parameter.param_type_name == "argument" else parameter.opts[0]
    if not read:
        message = "standard input has no line with a URL."
        raise typer.BadParameter(message, ctx=context, param_hint=name)
    if len(line) > LONGEST_LINE:
        message = f"the line on standard input is longer than {LONGEST_LINE:,} bytes."
        raise typer.BadParameter(message, ctx=context, param_hint=name)
    return read


EmailArgument = Annotated[str, argument("EMAIL", "The address; - reads it from standard input.", callback=_given)]

"""Addresses and URLs from standard input: arguments show in the list of processes, and stay in a shell's history."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from reviewinvite_cli.options import argument

STANDARD_INPUT = "-"
LONGEST_LINE = 1000


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

"""Addresses from standard input: arguments show in the list of processes, and stay in a shell's history."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

STANDARD_INPUT = "-"
LONGEST_LINE = 1000


def _given(context: typer.Context, email: str) -> str:
    """Return the address that was given as an argument, or the first line of standard input if that is `-`."""
    if email != STANDARD_INPUT or context.resilient_parsing or sys.stdin is None:
        return email
    if sys.stdin.isatty():
        typer.echo("Address: ", nl=False, err=True)
    return sys.stdin.buffer.readline(LONGEST_LINE).decode(errors="replace").strip()


EmailArgument = Annotated[
    str,
    typer.Argument(
        metavar="EMAIL", help="The address; - reads it from standard input.", show_default=False, callback=_given
    ),
]

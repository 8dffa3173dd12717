"""Lists that may be long: what to select, and what to say if not all of it was printed."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Annotated

import typer

from reviewinvite_cli.completion import states
from reviewinvite_cli.numbers import whole
from reviewinvite_cli.output import tell
from reviewinvite_cli.times import from_naive

MOST_LISTED = 100_000
MOST_COUNTED = 10_000
"""Rows beyond these are not counted, because that would take longer than the list."""

_AGO = re.compile(r"(\d{1,6})([dh])", re.ASCII)


def since(text: str | datetime) -> datetime:
    """Return the instant that a date, a time or an age such as `7d` stands for."""
    if isinstance(text, datetime):
        return text
    if ago := _AGO.fullmatch(text):
        from reviewinvite_core.bootstrap.adapter_factory import machine_time

        number = int(ago[1])
        return machine_time() - (timedelta(days=number) if ago[2] == "d" else timedelta(hours=number))
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        message = "must be a date, a time or an age, such as 2026-03-01, 2026-03-01T09:00 or 7d."
        raise typer.BadParameter(message) from None
    return at if at.tzinfo else from_naive(at)


StateOption = Annotated[
    str | None,
    typer.Option("--state", metavar="STATE", help="Only this state.", show_default=False, autocompletion=states),
]
OrderNumberOption = Annotated[
    str | None, typer.Option("--order-number", metavar="X", help="Only orders with this number.", show_default=False)
]
SinceOption = Annotated[
    datetime | None,
    typer.Option(
        "--since",
        metavar="WHEN",
        parser=since,
        help="Only newer than: 2026-03-01, 2026-03-01T09:00 (UTC, or local with --local), 7d or 12h.",
        show_default=False,
    ),
]
CursorOption = Annotated[
    str | None,
    typer.Option("--cursor", metavar="CURSOR", help="Go on where the previous page ended.", show_default=False),
]
LimitOption = Annotated[
    int, typer.Option("--limit", metavar="N", parser=whole(1, MOST_LISTED), help="Maximum number of rows.")
]


def tell_shown(shown: int, counted: int, *, cursor: str, more: bool = False) -> None:
    """Say on standard error how many rows were printed, if not all were, and how to go on after them.

    `more` says that there are more than `counted`.
    """
    if shown < counted or more:
        total = f"more than {counted:,}" if more else f"{counted:,}"
        tell(f"Showing {shown:,} of {total}. Next page: --cursor {cursor}")

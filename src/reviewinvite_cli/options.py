"""How commands declare their options and arguments: what they share, which values fit, and what a shell offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from importlib import import_module
from typing import Annotated, Any

import typer

from reviewinvite_cli.times import from_naive

MOST_LISTED = 100_000

_AGO = re.compile(r"(\d{1,6})([dh])", re.ASCII)


def option(name: str, metavar: str, about: str, **more: Any) -> Any:
    """Return an option that takes a value, and whose default the help does not show."""
    return typer.Option(name, metavar=metavar, help=about, show_default=False, **more)


def argument(metavar: str, about: str, **more: Any) -> Any:
    return typer.Argument(metavar=metavar, help=about, show_default=False, **more)


def offering(values: str | Callable[[], Sequence[str]]) -> dict[str, Any]:
    """Return what makes a shell offer these values, or those of an enumeration of the domain: `members.Role`.

    The enumeration is imported when it is needed.
    """
    if callable(values):
        return {"autocompletion": lambda: list(values())}
    module, _, name = values.partition(".")
    return {"autocompletion": lambda: list(getattr(import_module(f"reviewinvite_core.domain.{module}"), name))}


def one_of(values: str | Callable[[], Sequence[str]]) -> dict[str, Any]:
    """Return what makes an option take one of these values only; see `offering`."""
    offered = offering(values)

    def parse(text: str) -> str:
        fit: Sequence[str] = offered["autocompletion"]()
        if text not in fit:
            message = f"must be one of: {', '.join(fit)}."
            raise typer.BadParameter(message)
        return fit[fit.index(text)]

    return {"parser": parse, **offered}


def whole(least: int, most: int) -> Callable[[str | int], int]:
    """Return a parser of whole numbers in this range."""

    def parse(text: str | int) -> int:
        if not (str(text).isascii() and str(text).isdecimal() and least <= int(text) <= most):
            message = f"must be a whole number from {least:,} to {most:,}."
            raise typer.BadParameter(message)
        return int(text)

    return parse


def number_of_days(text: str | float) -> float:
    """Return a number of days; the core says whether it is in range."""
    try:
        return float(text)
    except ValueError:
        message = "must be a number from 0 to 60."
        raise typer.BadParameter(message) from None


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


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
SiteIdArgument = Annotated[str, argument("SITE_ID", "The shop.")]
SiteOption = Annotated[str | None, option("--site", "SITE_ID", "Only this shop.")]
OrderNumberOption = Annotated[str | None, option("--order-number", "X", "Only orders with this number.")]
WHEN = "2026-03-01, 2026-03-01T09:00 (UTC, or local with --local), 7d or 12h"
SinceOption = Annotated[datetime | None, option("--since", "WHEN", f"Only newer than: {WHEN}.", parser=since)]
CursorOption = Annotated[str | None, option("--cursor", "CURSOR", "Go on where the previous page ended.")]
LimitOption = Annotated[
    int, typer.Option("--limit", metavar="N", parser=whole(1, MOST_LISTED), help="Maximum number of rows.")
]

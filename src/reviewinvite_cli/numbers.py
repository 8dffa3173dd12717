"""Numbers in options, refused in this command's own words."""

from __future__ import annotations

from collections.abc import Callable

import typer


def whole(least: int, most: int) -> Callable[[str | int], int]:
    """Return a parser of whole numbers in this range."""

    def parse(text: str | int) -> int:
        if not (str(text).isascii() and str(text).isdecimal() and least <= int(text) <= most):
            message = f"must be a whole number from {least:,} to {most:,}."
            raise typer.BadParameter(message)
        return int(text)

    return parse


def days(text: str | float) -> float:
    """Return a number of days; the core says whether it is in range."""
    try:
        return float(text)
    except ValueError:
        message = "must be a number from 0 to 60."
        raise typer.BadParameter(message) from None

"""Printing: aligned columns for people, JSON for programs. Data goes to standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime

import typer

from reviewinvite_cli.streams import is_decorated
from reviewinvite_cli.times import instant, moment, relative

MOST_COUNTED = 10_000
"""Rows of a list beyond these are not counted, because that would take longer than the list."""

_GAP = "  "


def source_in_words(source: str, *, confirmed: bool) -> str:
    """Return where an order was reported, and whether it still lacks its confirmation."""
    return source if confirmed else f"{source}, unconfirmed"


def print_json(value: object) -> None:
    """Print `value` as JSON; in ASCII if the output cannot encode every character."""
    import json

    from reviewinvite_core.wire.json_converter import as_json  # cattrs takes some 20 ms

    ascii_only = (sys.stdout.encoding or "ascii").lower().replace("-", "") != "utf8"
    typer.echo(_escaped(json.dumps(as_json(value), indent=2, ensure_ascii=ascii_only), _as_json))


def print_facts(facts: Sequence[tuple[str, object]]) -> None:
    """Print one object: a name and a value on each line; on a terminal, times also say how far away they are."""
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        words = _time_in_words(value) if isinstance(value, datetime) else _words(value)
        typer.echo(f"{_bold(name)}{' ' * (width - len(name))}{_GAP}{words}".rstrip())


def print_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows without truncating: fitted to the width of a terminal; elsewhere plainly, one per line."""
    texts = [[_words(value) for value in row] for row in rows]
    if sys.stdout.isatty():
        from reviewinvite_cli.terminal_table import draw_table

        if draw_table(headings, texts):
            return
    for line in _aligned([headings, *texts]):
        typer.echo(line)


def print_text(heading: str, text: str) -> None:
    """Print text that a user wrote, indented and with its line breaks, so that it cannot be mistaken for our output."""
    typer.echo(_bold(heading))
    for line in text.split("\n"):
        typer.echo(f"{_GAP}{safe(line)}".rstrip())


def tell(sentence: str) -> None:
    """Print a message for people on standard error, so that standard output is data only."""
    typer.echo(safe(sentence), err=True)


def tell_shown(shown: int, counted: int, *, cursor: str, more: bool = False) -> None:
    """Say on standard error how many rows were printed, if not all were, and how to go on after them.

    `more` says that there are more than `counted`.
    """
    if shown < counted or more:
        total = f"more than {counted:,}" if more else f"{counted:,}"
        tell(f"Showing {shown:,} of {total}. Next page: --cursor {cursor}")


def size(number: int) -> str:
    """Format a number of bytes for people: `2.7 MiB`."""
    for unit, one in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if number >= one:
            return f"{number / one:,.1f} {unit}"
    return f"{number} bytes"


def days(value: float) -> float | int:
    """Return a number of days without a needless fraction: `5`, `2.5`."""
    return int(value) if value == int(value) else value


def _words(value: object) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return instant(value)
    return safe(str(value))


def _time_in_words(value: datetime) -> str:
    if not sys.stdout.isatty():
        return moment(value)
    from reviewinvite_core.bootstrap.adapter_factory import machine_time

    return f"{moment(value)} ({relative(value, machine_time())})"


def safe(text: str) -> str:
    """Return the text with escapes for what could control a terminal."""
    return _escaped(text, _as_python)


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    """Return the text with characters escaped that control a terminal; imports the core only for unusual texts."""
    if text.isascii() and text.isprintable():
        return text
    from reviewinvite_core.domain.text import escape_controls

    return escape_controls(text, escape)


def _as_json(character: str) -> str:
    return character if character == "\n" else f"\\u{ord(character):04x}"


def _as_python(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _aligned(table: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]
    return [
        _GAP.join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def _width(text: str) -> int:
    """Return how many terminal columns the text takes; a Chinese character takes two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _bold(text: str) -> str:
    return typer.style(text, bold=True) if is_decorated() else text

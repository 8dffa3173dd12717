"""A table on a terminal, drawn by rich and fitted to its width. Only imported to draw one: rich is slow to import."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reviewinvite_cli.streams import is_decorated

IDS = frozenset({"INVITATION", "REVIEW", "SHOP", "KEY ID", "MEMBER ID", "MESSAGE", "HOST", "TABLE", "SETTING"})
"""Columns whose values go into other commands: they are never folded."""

MOST_ROWS = 2000
"""Rich takes about two seconds for as many rows; more are printed plainly."""

_LONGEST_WORD = 20  # longer ones are folded, except ids
_GAP = 2


def draw_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Print the table; return False if the terminal is too narrow for it, or it is too long.

    Columns that do not fit side by side are put below one another, two in the place of one, and texts are folded.
    """
    width = get_terminal_size().columns
    columns = list(zip(headings, *rows, strict=True))
    least = [_least(column) for column in columns]
    groups = _grouped(least, width)
    if len(rows) > MOST_ROWS or _total(groups, least) > width:
        return False
    decorated = is_decorated()
    table = Table(
        box=box.SIMPLE_HEAD if decorated else None,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1 if decorated else _GAP, 0, 0),  # the box brings the other column of the gap
        header_style="bold",
        border_style="dim",
    )
    widths = _widths(
        [max(least[at] for at in group) for group in groups],
        [max(_widest(columns[at]) for at in group) for group in groups],
        width,
    )
    for group, own in zip(groups, widths, strict=True):
        table.add_column(_stacked([headings[at] for at in group]), width=own, overflow="fold")
    for row in rows:
        table.add_row(*(_stacked([row[at] for at in group]) for group in groups))
    colours: Literal["standard"] | None = "standard" if decorated else None
    Console(file=sys.stdout, width=width, highlight=False, color_system=colours).print(table)
    return True


def _grouped(least: Sequence[int], width: int) -> list[list[int]]:
    """Return which columns share a place so that all fit; the first one keeps its own for as long as possible."""
    groups = [[at] for at in range(len(least))]
    while _total(groups, least) > width and len(groups) > 1:
        places = range(1 if len(groups) > 2 else 0, len(groups) - 1)
        saved = {at: min(max(least[each] for each in group) for group in groups[at : at + 2]) for at in places}
        at = max(saved, key=lambda at: (-len(groups[at]) - len(groups[at + 1]), saved[at]))
        groups[at : at + 2] = [groups[at] + groups[at + 1]]
    return groups


def _widths(least: Sequence[int], wished: Sequence[int], width: int) -> list[int]:
    """Return the width of each column: what is spare goes first to those that need little more."""
    widths = list(least)
    spare = width - sum(least) - _GAP * (len(least) - 1)
    for at in sorted(range(len(least)), key=lambda at: wished[at] - least[at]):
        more = min(spare, wished[at] - least[at])
        widths[at] += more
        spare -= more
    return widths


def _total(groups: Sequence[Sequence[int]], least: Sequence[int]) -> int:
    return sum(max(least[at] for at in group) for group in groups) + _GAP * (len(groups) - 1)


def _least(column: Sequence[str]) -> int:
    """Return the width below which the column must not go."""
    if column[0] in IDS:
        return _widest(column)
    return max(min(cell_len(word), _LONGEST_WORD) for text in column for word in text.split() or [""])


def _widest(column: Sequence[str]) -> int:
    return max(map(cell_len, column))


def _stacked(texts: Sequence[str]) -> Text:
    """Return the texts below one another, all but the first dimmed."""
    return Text("\n").join(Text(text, style="dim" if number else "") for number, text in enumerate(texts))

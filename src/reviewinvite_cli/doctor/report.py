"""Show findings: a table with marks and colours on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer

from reviewinvite_cli.doctor.finding import Finding, Status
from reviewinvite_cli.output import safe
from reviewinvite_cli.streams import is_decorated

_MARKS: Mapping[Status, tuple[str, str]] = {
    Status.OK: ("✓", "green"),
    Status.WARNING: ("!", "yellow"),
    Status.FAILURE: ("✗", "bold red"),
}


def show(findings: Sequence[Finding]) -> None:
    """Print the findings to standard output."""
    if is_decorated():
        _show_table(findings)
        return
    width = max(len(each.check) for each in findings)
    for each in findings:
        typer.echo(f"{each.status:<7}  {each.check:<{width}}  {safe(each.detail)}")
        if each.next:
            typer.echo(f"{'':<7}  {'':<{width}}  -> {safe(each.next)}")


def summary(findings: Sequence[Finding]) -> str:
    """Return how many failures and warnings there are, in words."""
    counts = [(sum(each.status is status for each in findings), status.value) for status in list(Status)[:0:-1]]
    parts = [f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count]
    return f"{' and '.join(parts)}." if parts else "All is well."


def _show_table(findings: Sequence[Finding]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    for each in findings:
        mark, style = _MARKS[each.status]
        words = Text(safe(each.detail))
        if each.next:
            words.append(f"\n→ {safe(each.next)}", style="bold")
        table.add_row(Text(mark, style=style), Text(each.check, style=style), words)
    Console(highlight=False).print(table)

"""Progress of long commands, on a terminal only: a bar that shows how far it is, or that it is still going."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_of(what: str, *, total: int | None = None) -> Iterator[Callable[[int, int | None], None]]:
    """Draw a bar on standard error if that is a terminal; yield the function that takes what is done, and of how much.

    Until that is called, the bar only shows that the command is busy.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda done, of: progress.update(task, completed=done, total=of)

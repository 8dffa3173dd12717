"""Progress on a terminal: of a long command as a bar, of deliveries as one line, redrawn as they go on."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reviewinvite_cli.errors import warn
from reviewinvite_cli.output import safe

if TYPE_CHECKING:
    from rich.console import Console

    from reviewinvite_core.values import Progress

RATE_SECONDS = 10.0
_GAP = "   "


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


def can_be_drawn() -> bool:
    """Return whether standard output is a terminal that can redraw a line."""
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in {"dumb", "unknown"}


class ProgressLine:
    """The current figures; other output appears above the line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._sent: deque[tuple[float, int]] = deque()
        self._now: Progress | None = None

    def note(self, progress: Progress) -> None:
        """Draw these figures from now on."""
        self._now = progress

    def warn(self, sentence: str) -> None:
        """Print a warning above the line."""
        if sys.stderr.isatty():
            self._console.print(f"Warning: {safe(sentence)}", markup=False, highlight=False)
        else:
            warn(sentence)

    def __rich__(self) -> str:
        """Return the line, wrapped if the terminal is too narrow."""
        return "\n".join(in_lines(self.words(time.monotonic()), self._console.width))

    def words(self, now: float) -> Sequence[str]:
        """Return the parts of the line; `now` is the monotonic clock in seconds."""
        progress = self._now
        if progress is None:
            return ["looking for what is due"]
        return [
            f"due {progress.due:,}",
            f"in flight {progress.in_flight:,}",
            f"sent {progress.sent:,}",
            f"refused {progress.refused:,}",
            f"uncertain {progress.uncertain:,}",
            f"{self._rate(now, progress.sent):.1f}/s",
        ]

    def _rate(self, now: float, sent: int) -> float:
        """Return the recent number of invitations sent per second."""
        self._sent.append((now, sent))
        while now - self._sent[0][0] > RATE_SECONDS:
            self._sent.popleft()
        since, before = self._sent[0]
        return (sent - before) / (now - since) if now > since else 0.0


def in_lines(words: Sequence[str], width: int) -> list[str]:
    """Join the words into as few lines of this width as possible, without breaking a word."""
    lines = [words[0]]
    for word in words[1:]:
        longer = f"{lines[-1]}{_GAP}{word}"
        if len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@contextmanager
def drawn() -> Iterator[ProgressLine]:
    """Draw the line on standard output a few times a second; its last state stays at the end."""
    from rich.console import Console
    from rich.live import Live

    console = Console(file=sys.stdout, highlight=False, markup=False)
    line = ProgressLine(console)
    with Live(console=console, get_renderable=lambda: line.__rich__(), redirect_stderr=sys.stderr.isatty()):
        yield line

"""Measure in turns, compare in pairs, and print the results as a table, missed goals too."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import attrs

Measure: TypeAlias = Callable[[], float]


@attrs.frozen
class Goal:
    """A bound that a figure has to keep."""

    bound: float
    least: bool

    def met_by(self, figure: float) -> bool:
        """Whether the figure keeps the bound; it is not rounded first."""
        return figure >= self.bound if self.least else figure <= self.bound

    def __str__(self) -> str:
        return f"{'at least' if self.least else 'at most'} {self.bound:g}"


def at_least(bound: float) -> Goal:
    """More is better."""
    return Goal(bound, least=True)


def at_most(bound: float) -> Goal:
    """Less is better."""
    return Goal(bound, least=False)


@attrs.frozen(kw_only=True)
class Claim:
    """A line of the table: what is measured, against what, and its goals.

    `key` names it on the command line and in `docs/benchmarks.md`. Without a goal it is only reported.
    """

    key: str
    what: str
    against: str = "-"
    unit: str = ""
    goal: Goal | None = None
    stretch: Goal | None = None

    @property
    def goals(self) -> str:
        """The goal and, in brackets, the stretch goal, as the table shows them."""
        return str(self.goal or "-") + (f" ({self.stretch.bound:g})" if self.stretch else "")

    def reached(self, figure: float) -> str:
        """Return which goal this figure reaches: `stretch`, `goal` or `no`; `-` if the claim has none."""
        if self.goal is None:
            return "-"
        if self.stretch is not None and self.stretch.met_by(figure):
            return "stretch"
        return "goal" if self.goal.met_by(figure) else "no"


@attrs.frozen(kw_only=True)
class Row:
    """A claim with its figures, as they are printed."""

    claim: Claim
    ours: str
    peer: str = "-"
    ratio: str = "-"
    spread: str = "-"
    reached: str

    def cells(self) -> Sequence[str]:
        """Return the cells of its line in the table, in the order of `HEADINGS`."""
        claim = self.claim
        figures = (self.ratio, self.spread, claim.goals, self.reached, self.ours, self.peer)
        return (claim.what, claim.against, *figures, f"`{claim.key}`")


HEADINGS = ("what", "against", "ratio", "spread", "goal (stretch)", "reached", "ours", "theirs", "row")


def _size(default: float, quick: float, explained: str) -> Any:
    return attrs.field(default=default, metadata={"quick": quick, "help": explained})


@attrs.frozen(kw_only=True)
class Sizes:
    """How much is measured. Each field is an option of the command."""

    repetitions: int = _size(7, 1, "turns of each row")
    seconds: float = _size(4, 0.3, "seconds of each load over HTTP")
    messages: int = _size(5_000, 60, "due invitations delivered in each turn")
    stored: int = _size(100_000, 500, "orders stored before a load over HTTP begins")
    few: int = _size(1_000, 200, "the smaller number of invitations and reviews stored, for growth")
    many: int = _size(1_000_000, 600, "the larger number, also that of a migration")
    calls: int = _size(300, 20, "orders reported one at a time in each turn")
    concurrent_calls: int = _size(2_000, 128, "orders reported by 64 callers in each turn")
    lines: int = _size(30_000, 200, "lines of an imported file")
    deliveries: int = _size(100_000, 200, "deliveries of one worker, whose memory is measured")
    starts: int = _size(25, 1, "starts of a process in each comparison of them")

    @classmethod
    def quick(cls) -> Sizes:
        """Return sizes that show only that every row can be measured."""
        return cls(**{field.name: field.metadata["quick"] for field in attrs.fields(cls)})


@attrs.frozen
class Group:
    """Claims that are measured together, in turns."""

    claims: Sequence[Claim]
    measure: Callable[[Sizes], Iterable[Row]]


def in_turns(measures: Mapping[str, Measure], repetitions: int) -> dict[str, list[float]]:
    """Run each measure `repetitions` times, A B A B and not A A B B, so that a noisy moment affects all alike."""
    figures: dict[str, list[float]] = {name: [] for name in measures}
    for repetition in range(repetitions):
        for name, measure in measures.items():
            figures[name].append(measure())
        latest = ", ".join(f"{name} {each[-1]:.4g}" for name, each in figures.items())
        progress(f"{repetition + 1} of {repetitions}: {latest}")
    return figures


def compared(claim: Claim, ours: Sequence[float], peer: Sequence[float]) -> Row:
    """Our figures against the peer's: the ratio is the median of the ratios of neighbours in time."""
    ratios = [one / other for one, other in zip(ours, peer, strict=True)]
    return Row(
        claim=claim,
        ours=f"{shown(median(ours))} {claim.unit}",
        peer=f"{shown(median(peer))} {claim.unit}",
        ratio=f"{median(ratios):.2f}",
        spread=f"{min(ratios):.2f} to {max(ratios):.2f}",
        reached=claim.reached(median(ratios)),
    )


def bounded(claim: Claim, ours: float) -> Row:
    """A figure of ours that stands alone."""
    return Row(claim=claim, ours=f"{shown(ours)} {claim.unit}", reached=claim.reached(ours))


def checked(claim: Claim, ours: str, *, met: bool, peer: str = "-") -> Row:
    """Something that either is so or is not."""
    return Row(claim=claim, ours=ours, peer=peer, reached="goal" if met else "no")


def report(rows: Iterable[Row], sizes: Sizes) -> None:
    """Print where this was measured and with which sizes, and a line for each row."""
    lines = [row.cells() for row in rows]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *lines, strict=True)]
    print(f"{_machine()}\n{_sizes(sizes)}\n")
    for line in (HEADINGS, ["-" * width for width in widths], *lines):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |")


def progress(sentence: str) -> None:
    """Tell whoever waits how far it is, on standard error."""
    print(sentence, file=sys.stderr, flush=True)


def _machine() -> str:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, {os.cpu_count()} cores, {_sync_milliseconds():.2f} ms for a write of 4 KiB and its fsync."


def _sizes(sizes: Sizes) -> str:
    changed = [
        f"{field.name.replace('_', ' ')} {getattr(sizes, field.name):,}"
        for field in attrs.fields(Sizes)
        if getattr(sizes, field.name) != field.default
    ]
    return f"Sizes: {', '.join(changed)}." if changed else "Sizes: as they are by default."


def _sync_milliseconds() -> float:
    """What durability costs here at least: everything durable below pays it."""
    seconds = []
    with tempfile.TemporaryDirectory() as directory, (Path(directory) / "file").open("wb", buffering=0) as file:
        for _ in range(100):
            begin = time.perf_counter()
            file.write(b"." * 4096)
            os.fsync(file.fileno())
            seconds.append(time.perf_counter() - begin)
    return median(seconds) * 1000


def shown(value: float) -> str:
    """Return the figure with three significant digits, or all before the point, with thousands apart."""
    digits = next((digits for digits, least in ((0, 100), (1, 10), (2, 1)) if value >= least), 3)
    return f"{value:,.{digits}f}"

"""Measure in turns, compare in pairs, and print what came out as a table, missed goals too."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TypeAlias

import attrs

Measure: TypeAlias = Callable[[], float]

_MET = {True: "yes", False: "no", None: "-"}


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
class Row:
    """One claim and what became of it; what has no goal is neither met nor missed."""

    claim: str
    ours: str
    baseline: str = "-"
    ratio: str = "-"
    spread: str = "-"
    goal: str
    met: bool | None


def in_turns(measures: Mapping[str, Measure], repetitions: int) -> dict[str, list[float]]:
    """Run each measure `repetitions` times, A B A B and not A A B B, so that a noisy moment affects all alike."""
    figures: dict[str, list[float]] = {name: [] for name in measures}
    for repetition in range(repetitions):
        for name, measure in measures.items():
            figures[name].append(measure())
        latest = ", ".join(f"{name} {each[-1]:.4g}" for name, each in figures.items())
        progress(f"{repetition + 1} of {repetitions}: {latest}")
    return figures


def compared(claim: str, unit: str, ours: Sequence[float], baseline: Sequence[float], goal: Goal | None = None) -> Row:
    """Our figures against the baseline's: the ratio is the median of the ratios of neighbours in time."""
    ratios = [one / other for one, other in zip(ours, baseline, strict=True)]
    return Row(
        claim=claim,
        ours=f"{_figure(median(ours))} {unit}",
        baseline=f"{_figure(median(baseline))} {unit}",
        ratio=f"{median(ratios):.2f}",
        spread=f"{min(ratios):.2f} to {max(ratios):.2f}",
        goal=str(goal) if goal else "-",
        met=goal.met_by(median(ratios)) if goal else None,
    )


def bounded(claim: str, unit: str, ours: float, goal: Goal) -> Row:
    """A figure of ours that stands alone."""
    return Row(claim=claim, ours=f"{_figure(ours)} {unit}", goal=f"{goal} {unit}", met=goal.met_by(ours))


def report(rows: Iterable[Row]) -> None:
    """Print where this was measured, and a line a claim."""
    rows = list(rows)
    headings = [field.name for field in attrs.fields(Row)]
    lines = [[*attrs.astuple(row)[:-1], _MET[row.met]] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]
    print(f"{_machine()}\n")
    for line in (headings, ["-" * width for width in widths], *lines):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |")


def progress(sentence: str) -> None:
    """Tell whoever waits how far it is, on standard error."""
    print(sentence, file=sys.stderr, flush=True)


def _machine() -> str:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, {os.cpu_count()} cores, {_sync_milliseconds():.2f} ms for a write of 4 KiB and its fsync."


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


def _figure(value: float) -> str:
    """Three significant digits, or all before the point, with thousands apart."""
    digits = next((digits for digits, least in ((0, 100), (1, 10), (2, 1)) if value >= least), 3)
    return f"{value:,.{digits}f}"

"""Show a trial to people while it runs, and its result to people and programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs
import typer

from reviewinvite_cli.output import print_facts, safe, tell
from reviewinvite_cli.prove.run import Progress, Result, SmallDisk
from reviewinvite_cli.prove.tally import Tally

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress, TaskID

_MOST_NAMED = 10


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Show progress on standard error: one line that is redrawn on a terminal, otherwise a line for each step."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import Progress as RichProgress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as drawn:
        yield _Drawn(drawn, drawn.add_task("", total=None))


class _Lines:
    """A line for each step. Implements `Progress`."""

    def event(self, sentence: str) -> None:
        tell(sentence)

    def figures(self, acknowledged: int, accepted: int, faults: int) -> None:
        pass


class _Drawn:
    """One line with the current figures; steps appear above it. Implements `Progress`."""

    def __init__(self, drawn: RichProgress, task: TaskID) -> None:
        self._drawn, self._task = drawn, task

    def event(self, sentence: str) -> None:
        self._drawn.console.print(safe(sentence), markup=False, highlight=False)

    def figures(self, acknowledged: int, accepted: int, faults: int) -> None:
        words = f"acknowledged {acknowledged:,}   messages accepted {accepted:,}   faults {faults:,}"
        self._drawn.update(self._task, description=words)


def as_json(result: Result) -> dict[str, Any]:
    """Return the result for programs."""
    tally = result.tally or Tally(acknowledged=0, sent=0, twice=0)
    restored = result.restored
    return {
        "ok": result.is_good,
        "complete": tally.is_complete,
        "acknowledged": tally.acknowledged,
        "sent": tally.sent,
        "twice": tally.twice,
        "lost": tally.lost,
        "uncertain": tally.uncertain,
        "uncertainAccepted": tally.uncertain_accepted,
        "refused": tally.refused,
        "unanswered": tally.unanswered,
        "unansweredSent": tally.unanswered_sent,
        "contradictions": tally.contradictions,
        "ordersTwice": list(tally.orders_twice),
        "ordersLost": list(tally.orders_lost),
        "engine": result.engine,
        "seconds": result.seconds,
        "seed": result.seed,
        "faults": {_camel(name): number for name, number in sorted(result.faults.items())},
        "failedRequests": result.failed_attempts,
        "restore": {_camel(name): value for name, value in attrs.asdict(restored).items()} if restored else None,
        "smallDisk": _small_disk_as_json(result.small_disk),
        "notDone": result.not_done,
        "problems": [*result.problems, *(result.small_disk.problems if result.small_disk else ())],
    }


def _small_disk_as_json(small: SmallDisk | None) -> dict[str, Any] | None:
    tally = small.tally if small else None
    if tally is None:
        return None
    return {name: getattr(tally, name) for name in ("acknowledged", "sent", "twice", "lost", "uncertain")}


def print_result(result: Result) -> None:
    """Print the result for people."""
    tally = result.tally
    if tally is None:
        return
    if not tally.is_complete:
        typer.echo("Incomplete: the trial was interrupted, so what is missing may still be waiting.")
    print_facts(_facts(tally))
    typer.echo()
    for line in _circumstances(result, tally):
        typer.echo(safe(line))
    for what, orders in (("twice", tally.orders_twice), ("lost", tally.orders_lost)):
        if orders:
            more = f" and {len(orders) - _MOST_NAMED} more" if len(orders) > _MOST_NAMED else ""
            typer.echo(f"{what}: {', '.join(orders[:_MOST_NAMED])}{more}")
    for problem in [*result.problems, *(result.small_disk.problems if result.small_disk else ())][:_MOST_NAMED]:
        typer.echo(safe(f"Problem: {problem}"))
    if tally.is_complete:
        typer.echo()
        typer.echo("Passed: nothing was sent twice, and nothing was lost." if result.is_good else "FAILED.")


def _facts(tally: Tally) -> list[tuple[str, object]]:
    return [
        ("acknowledged", f"{tally.acknowledged:,}  orders for which a shop got 201 or 200"),
        ("sent", f"{tally.sent:,}  of these, accepted by the mail server"),
        ("twice", f"{tally.twice:,}  customers for whom it accepted more than one message"),
        ("lost", f"{_number(tally.lost)}  acknowledged, but neither sent nor uncertain nor refused at the end"),
        ("uncertain", f"{_number(tally.uncertain)}  for you to resolve{_of_uncertain(tally)}"),
    ]


def _number(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _of_uncertain(tally: Tally) -> str:
    if not tally.uncertain or tally.uncertain_accepted is None:
        return ""
    return f"; the mail server had accepted {tally.uncertain_accepted:,}, and not {_rest(tally):,}"


def _rest(tally: Tally) -> int:
    return (tally.uncertain or 0) - (tally.uncertain_accepted or 0)


def _circumstances(result: Result, tally: Tally) -> Iterator[str]:
    yield f"Load: {result.engine}, {result.seconds} s; {result.failed_attempts:,} requests failed and were repeated."
    if tally.unanswered:
        yield (
            f"Orders that were reported and never acknowledged: {tally.unanswered:,}, of which "
            f"{tally.unanswered_sent:,} were sent."
        )
    faults = ", ".join(f"{name} {number}" for name, number in sorted(result.faults.items()))
    yield f"Faults: {faults or 'none'}."
    if result.restored:
        one = result.restored
        yield (
            f"Restore: {one.after_backup:,} orders came after the backup; {one.reported_again:,} were reported again. "
            f"db reconcile made {one.uncertain:,} uncertain. With the mail server's log, {one.resolved_as_sent:,} were "
            f"resolved as sent and {one.resolved_by_resending:,} sent again."
        )
    if result.small_disk and (small := result.small_disk.tally):
        yield (
            f"On a file system of 16 MiB that ran full: acknowledged {small.acknowledged:,}, sent {small.sent:,}, "
            f"twice {small.twice:,}, lost {_number(small.lost)}, uncertain {_number(small.uncertain)}."
        )
    for reason in result.not_done:
        yield f"Not done: {reason}."
    if tally.contradictions:
        yield f"Contradictions between answers, states and messages: {tally.contradictions:,}."
    yield f"Seed: {result.seed}."


def _camel(name: str) -> str:
    first, *others = name.replace("_", " ").split()
    return first + "".join(map(str.capitalize, others))

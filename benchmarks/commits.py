"""What the commit of an order and of a review takes in this commit, against an earlier one: in turns, on both engines.

The earlier commit is installed as `against` does it; both run `commit_once.py` as it is here.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from benchmarks.__main__ import add_sizes, sizes_from
from benchmarks.against import environment_of
from benchmarks.measure import Claim, Row, Sizes, at_most, compared, progress, report
from benchmarks.postgres import new_database, server

Taken: TypeAlias = Mapping[str, Mapping[str, float]]

PROGRAM = Path(__file__).with_name("commit_once.py")
STORED = 20_000
MEASURES = {
    "statements": ("statements run", "", at_most(1.05)),
    "pages": ("pages of the log written", "", at_most(1.05)),
    "ms": ("time", "ms", None),
}


def _claims(engine: str) -> Mapping[tuple[str, str], Claim]:
    return {
        (kind, measure): Claim(
            key=f"commit-{engine.lower()}-{kind}-{'time' if measure == 'ms' else measure}",
            what=f"{what} by the commit of one {kind}, {engine}",
            against="the same, an earlier commit",
            unit=unit,
            goal=goal,
        )
        for kind in ("order", "review")
        for measure, (what, unit, goal) in MEASURES.items()
    }


CLAIMS = {engine: _claims(engine) for engine in ("SQLite", "PostgreSQL")}


def measure(commit: str, sizes: Sizes) -> Iterator[Row]:
    """Yield the rows of this commit against `commit`."""
    stored, count = min(STORED, sizes.stored), sizes.calls
    with environment_of(commit) as earlier, server() as server_url:

        def on_sqlite(python: Path) -> Taken:
            with tempfile.TemporaryDirectory() as folder:
                return _taken(python, f"sqlite:///{folder}/commits.db", stored, count)

        def on_postgres(python: Path) -> Taken:
            with new_database(server_url) as settings:
                return _taken(python, settings.database_url, stored, count)

        for engine, run in (("SQLite", on_sqlite), ("PostgreSQL", on_postgres)):
            yield from _rows(engine, partial(run, Path(sys.executable)), partial(run, earlier), sizes.repetitions)


def _rows(engine: str, ours: Callable[[], Taken], earlier: Callable[[], Taken], repetitions: int) -> Iterator[Row]:
    ours()  # once for nothing: neither is then the first to find everything cold
    pairs = []
    for repetition in range(repetitions):
        pairs.append((ours(), earlier()))
        progress(f"{engine}, {repetition + 1} of {repetitions}: {pairs[-1]}")
    for (kind, measure), claim in CLAIMS[engine].items():
        yield compared(claim, [one[kind][measure] for one, _ in pairs], [other[kind][measure] for _, other in pairs])


def _taken(python: Path, url: str, stored: int, count: int) -> Taken:
    """Run the program with the reviewinvite that this interpreter has; without our own packages in its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = (str(python), str(PROGRAM), url, str(stored), str(count))
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    taken: Taken = json.loads(done.stdout)
    return taken


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commits", description=__doc__)
    parser.add_argument("commit", help="the earlier commit")
    add_sizes(parser)
    given = parser.parse_args(arguments)
    sizes = sizes_from(given)
    report(measure(given.commit, sizes), sizes)


if __name__ == "__main__":
    main()

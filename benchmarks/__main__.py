"""Measure, and print one table. Use a machine that does nothing else.

Without names: the rows against which the project's goals are set, in one run. A name is that of a row, or the
beginning of one: `deliver-4`, `growth-sqlite`.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Iterator, Sequence

import attrs

from benchmarks import (
    dashboard_http,
    delivery,
    footprint,
    growth,
    limits,
    migration,
    orders_http,
    orders_library,
    orders_postgres,
    profiles,
    reviews_http,
    snippet_http,
    views_http,
    worker_memory,
)
from benchmarks.measure import Claim, Group, Row, Sizes, progress, report

TABLE: Sequence[Group] = (
    delivery.FOUR,
    delivery.SIXTEEN,
    delivery.ON_POSTGRES,
    orders_http.SQLITE,
    snippet_http.GROUP,
    orders_library.GROUP,
    orders_postgres.GROUP,
    orders_http.POSTGRES,
    growth.SQLITE,
    growth.POSTGRES,
    dashboard_http.SQLITE,
    dashboard_http.POSTGRES,
    footprint.STARTS,
    worker_memory.GROUP,
    migration.SQLITE,
    migration.POSTGRES,
)
"""What the command measures without names."""

MORE: Sequence[Group] = (
    snippet_http.REFUSALS,
    orders_http.TWO,
    views_http.GROUP,
    reviews_http.GROUP,
    limits.SQLITE,
    limits.POSTGRES,
    footprint.MORE,
)
"""What it measures if it is named, or with `--others`."""


def claims_of(groups: Sequence[Group]) -> list[Claim]:
    """Return the claims of these groups."""
    return [claim for group in groups for claim in group.claims]


def measured(groups: Sequence[Group], names: Sequence[str], sizes: Sizes, failures: list[str]) -> Iterator[Row]:
    """Yield the rows of these groups whose keys begin with one of the names; all of them if there are no names.

    A group that fails is added to `failures`, and the next one is measured.
    """
    for group in groups:
        wanted = [claim for claim in group.claims if not names or claim.key.startswith(tuple(names))]
        if wanted:
            progress(", ".join(claim.key for claim in wanted))
            try:
                yield from (row for row in group.measure(sizes) if row.claim in wanted)
            except Exception:  # the other rows may have taken an hour
                failures.append(traceback.format_exc())
                progress(failures[-1])


def add_sizes(parser: argparse.ArgumentParser) -> None:
    """Add `--quick`, and an option for each size."""
    parser.add_argument(
        "--quick", action="store_true", help="tiny sizes: shows that all rows work; the figures mean nothing"
    )
    for field in attrs.fields(Sizes):
        default, explained = field.default, field.metadata["help"]
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(option, type=type(default), help=f"{explained} (default: {default:,})")


def sizes_from(given: argparse.Namespace) -> Sizes:
    """Return the sizes that the options say."""
    chosen = {field.name: getattr(given, field.name) for field in attrs.fields(Sizes)}
    return attrs.evolve(
        Sizes.quick() if given.quick else Sizes(), **{name: size for name, size in chosen.items() if size is not None}
    )


def main() -> None:
    """Measure what the arguments name, and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows to measure")
    parser.add_argument("--others", action="store_true", help="measure the rows that are not in the table")
    parser.add_argument("--list", action="store_true", help="only list the rows")
    parser.add_argument(
        "--profile", action="store_true", help="also print where our part of the named rows spends its time"
    )
    add_sizes(parser)
    given = parser.parse_args()
    groups = MORE if given.others else TABLE
    if given.names or given.list:
        groups = [*TABLE, *MORE]
    known = [claim.key for claim in claims_of(groups)]
    for name in given.names:
        if not any(key.startswith(name) for key in known):
            parser.error(f"no row begins with {name}; --list lists them")
    if given.list:
        print("\n".join(known))
    elif given.profile:
        profiles.run_profiled()
    else:
        sizes = sizes_from(given)
        failures: list[str] = []
        report(measured(groups, given.names, sizes, failures), sizes)
        if failures:
            sys.exit(f"{len(failures)} groups of rows failed")


if __name__ == "__main__":
    main()

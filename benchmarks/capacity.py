"""What one machine carries in a day, and what ten and a hundred do, computed from costs that are measured now.

The formulas are those of `docs/explanation/capacity.md`. Not a race, so there is no goal to be missed.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator

import attrs

from benchmarks.__main__ import add_sizes, sizes_from
from benchmarks.costs import Cost, Costs, on_postgres, on_sqlite
from benchmarks.measure import progress

DAY = 86_400
YEAR = 365
TB = 1e12
MACHINES = (1, 10, 100)
COPIES = {"PostgreSQL servers, each with its own shops": 1, "a distributed relative, three copies": 3}


@attrs.frozen(kw_only=True)
class Plan:
    """A machine, how busy it may be on average, and how many views there are for each order."""

    cores: int
    busy: float
    views: float

    @property
    def core_seconds(self) -> float:
        """The seconds of a core that a machine gives in a day."""
        return self.cores * self.busy * DAY

    def cost(self, costs: Costs) -> Cost:
        """Return the cost of an order with its delivery and its views."""
        return costs.order + costs.delivery + costs.view * self.views


@attrs.frozen(kw_only=True)
class Fleet:
    """Machines for the service and for databases, and the orders that they carry in a day."""

    services: int
    databases: int
    orders: float


def fleet_of(machines: int, cost: Cost, core_seconds: float, copies: int) -> Fleet:
    """Divide machines so that they carry most; each write is done on `copies` databases.

    One machine is both: service and database share its cores.
    """
    database = cost.database * copies
    if machines == 1:
        return Fleet(services=1, databases=0, orders=core_seconds / (cost.service + cost.database))
    splits = (
        Fleet(
            services=machines - databases,
            databases=databases,
            orders=core_seconds * min((machines - databases) / cost.service, databases / database),
        )
        for databases in range(min(copies, machines - 1), machines)
    )
    return max(splits, key=lambda fleet: fleet.orders)


def cost_lines(sqlite: Costs, postgres: Costs) -> Iterator[str]:
    """Yield the table of measured costs."""
    yield "| for each | SQLite: service | PostgreSQL: service | PostgreSQL: database |"
    yield "|---|---:|---:|---:|"
    for name in ("order", "delivery", "view"):
        ours, theirs = getattr(sqlite, name), getattr(postgres, name)
        cells = (f"{seconds * 1e6:,.0f} us" for seconds in (ours.service, theirs.service, theirs.database))
        yield f"| {name} | {' | '.join(cells)} |"
    yield f"| order, bytes stored | {sqlite.stored:,.0f} | - | {postgres.stored:,.0f} |"
    yield f"| order, bytes of log | - | - | {postgres.logged:,.0f} |"


def machine_lines(sqlite: Costs, postgres: Costs, plan: Plan) -> Iterator[str]:
    """Yield the table of what one machine carries in a day."""
    yield "| a day on one machine | SQLite | PostgreSQL on the same machine |"
    yield "|---|---:|---:|"
    for name in ("order", "delivery", "view"):
        each = [getattr(costs, name) for costs in (sqlite, postgres)]
        cells = (f"{_rounded(plan.core_seconds / (cost.service + cost.database))}" for cost in each)
        yield f"| {name}, nothing else | {' | '.join(cells)} |"
    both = [_mixed(costs, plan) for costs in (sqlite, postgres)]
    yield f"| orders, each with its delivery and {plan.views:g} views | {' | '.join(map(_rounded, both))} |"
    stored = (each * costs.stored * YEAR / TB for each, costs in zip(both, (sqlite, postgres), strict=True))
    yield f"| stored in a year | {' | '.join(f'{terabytes:,.2f} TB' for terabytes in stored)} |"


def fleet_lines(postgres: Costs, plan: Plan) -> Iterator[str]:
    """Yield the table of what machines carry together."""
    yield "| machines | database | for the service | for the database | orders a day | stored in a year |"
    yield "|---:|---|---:|---:|---:|---:|"
    for name, copies in COPIES.items():
        for machines in MACHINES if copies == 1 else MACHINES[1:]:
            fleet = fleet_of(machines, plan.cost(postgres), plan.core_seconds, copies)
            stored = fleet.orders * postgres.stored * copies * YEAR / TB
            split = f"{fleet.services} | {fleet.databases or 'the same'}"
            yield f"| {machines} | {name} | {split} | {_rounded(fleet.orders)} | {stored:,.2f} TB |"


def _mixed(costs: Costs, plan: Plan) -> float:
    return fleet_of(1, plan.cost(costs), plan.core_seconds, 1).orders


def _rounded(count: float) -> str:
    """Two significant digits: the costs are no more exact."""
    digits = 10 ** max(0, math.floor(math.log10(count)) - 1)
    return f"{round(count / digits) * digits:,}"


def main() -> None:
    """Measure the costs, and print what follows from them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.capacity", description=__doc__)
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="of each machine (default: as this one)")
    parser.add_argument("--busy", type=float, default=0.25, help="share of a day's core time in use (default: 0.25)")
    parser.add_argument("--views", type=float, default=20, help="views for each order (default: 20)")
    add_sizes(parser)
    given = parser.parse_args()
    plan, sizes = Plan(cores=given.cores, busy=given.busy, views=given.views), sizes_from(given)
    progress("SQLite")
    sqlite = on_sqlite(sizes)
    progress("PostgreSQL")
    postgres = on_postgres(sizes)
    print(f"{plan.cores} cores a machine, busy for {plan.busy:.0%} of a day.")
    for lines in (cost_lines(sqlite, postgres), machine_lines(sqlite, postgres, plan), fleet_lines(postgres, plan)):
        print("", *lines, sep="\n")


if __name__ == "__main__":
    main()

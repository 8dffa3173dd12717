"""What machines carry follows from the costs, by the formulas of docs/explanation/capacity.md."""

from __future__ import annotations

import pytest
from benchmarks.bytes_an_order import Figures, year_lines
from benchmarks.capacity import Plan, fleet_of
from benchmarks.costs import Cost, Costs

COSTS = Costs(order=Cost(0.001, 0.0005), delivery=Cost(0.001, 0.0005), view=Cost(0.0001), stored=1_000, logged=4_000)
PLAN = Plan(cores=2, busy=0.25, views=20)


def test_an_order_costs_its_delivery_and_its_views_too() -> None:
    cost = PLAN.cost(COSTS)
    assert (cost.service, cost.database) == pytest.approx((0.004, 0.001))


def test_one_machine_is_service_and_database() -> None:
    assert PLAN.core_seconds == 43_200
    assert fleet_of(1, PLAN.cost(COSTS), PLAN.core_seconds, 1).orders == pytest.approx(43_200 / 0.005)


@pytest.mark.parametrize(
    ("machines", "copies", "services", "databases"),
    [
        pytest.param(5, 1, 4, 1, id="one server is enough"),
        pytest.param(10, 1, 8, 2, id="a fifth of the machines are databases"),
        pytest.param(7, 3, 4, 3, id="three copies: three databases for the work of one"),
    ],
)
def test_machines_are_divided_so_that_they_carry_most(
    machines: int, copies: int, services: int, databases: int
) -> None:
    fleet = fleet_of(machines, PLAN.cost(COSTS), PLAN.core_seconds, copies)
    assert (fleet.services, fleet.databases) == (services, databases)
    assert fleet.orders == pytest.approx(43_200 * services / 0.004)


def test_copies_need_as_many_database_machines() -> None:
    cheap = Cost(0.004, 0.000001)
    assert fleet_of(10, cheap, PLAN.core_seconds, 3).databases == 3


def test_a_year_of_orders_follows_from_the_bytes_and_the_commits_of_one() -> None:
    sqlite = Figures(stage="sent", tables={"orders": 100, "invitations": 400}, logged=0, commits=2)
    postgres = Figures(stage="sent", tables={"orders": 1_000}, logged=4_000, commits=3)
    _, _, one, hundred, _ = year_lines(sqlite, postgres)
    assert one == "| 1 | 31.5 million | 31.5 GB | 15.8 GB | 4.00 kB/s | 126 GB | 3.00 |"
    assert hundred == "| 100 | 3,154 million | 3,154 GB | 1,577 GB | 400 kB/s | 12,614 GB | 300 |"

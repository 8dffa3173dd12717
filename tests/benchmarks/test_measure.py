"""What a row says about its figures."""

from __future__ import annotations

import pytest
from benchmarks.measure import Claim, at_least, at_most, compared, in_turns

FASTER = Claim(key="faster", what="ours", goal=at_least(1), stretch=at_least(1.5), unit="orders/s")


@pytest.mark.parametrize(("figure", "reached"), [(0.999, "no"), (1, "goal"), (1.5, "stretch")])
def test_a_row_says_which_goal_is_reached(figure: float, reached: str) -> None:
    assert FASTER.reached(figure) == reached


def test_less_is_better_for_times() -> None:
    claim = Claim(key="time", what="ours", goal=at_most(2.2), stretch=at_most(1.8))
    assert [claim.reached(figure) for figure in (2.3, 2.2, 1.8)] == ["no", "goal", "stretch"]


def test_the_ratio_is_the_median_of_the_ratios_of_neighbours() -> None:
    row = compared(FASTER, [100, 300, 120], [100, 100, 100])
    assert row.cells() == (
        *("ours", "-", "1.20", "1.00 to 3.00", "at least 1 (1.5)", "goal"),
        *("120 orders/s", "100 orders/s", "`faster`"),
    )


def test_measures_take_turns() -> None:
    ran: list[str] = []

    def measure(name: str) -> float:
        ran.append(name)
        return len(ran)

    assert in_turns({"ours": lambda: measure("ours"), "peer": lambda: measure("peer")}, 2) == {
        "ours": [1, 3],
        "peer": [2, 4],
    }
    assert ran == ["ours", "peer", "ours", "peer"]

"""A profile shows our own code, and neither the peers nor what fills a database."""

from __future__ import annotations

from benchmarks.profiles import profile

CORE = "/x/src/reviewinvite_core"
STACKS = (
    f'process 1:"python";main (/x/benchmarks/a.py:1);report ({CORE}/orders.py:5);execute (/y/sqlite3/dbapi.py:9) 6',
    f'process 1:"python";main (/x/benchmarks/a.py:1);report ({CORE}/orders.py:7) 2',
    f'process 1:"python";fill (/x/benchmarks/deliver_once.py:1);report ({CORE}/orders.py:5) 100',
    'process 2:"python -m benchmarks.load";main (/x/benchmarks/load.py:1) 100',
)


def test_the_shares_are_those_of_stacks_that_lead_through_our_packages() -> None:
    samples, itself, with_calls = profile(STACKS).split("\n\n")
    assert samples == "8 samples."
    assert itself.splitlines()[2:] == [
        "| 75.0% | `execute (y/sqlite3/dbapi.py)` |",
        "| 25.0% | `report (src/reviewinvite_core/orders.py)` |",
    ]
    assert with_calls.splitlines()[2:] == ["| 100.0% | `report (src/reviewinvite_core/orders.py)` |"]


def test_a_run_without_our_code_says_so() -> None:
    assert profile(STACKS[3:]) == "Nothing of the service was sampled."

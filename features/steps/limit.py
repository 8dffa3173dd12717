"""The figures that the operator sets."""

from __future__ import annotations

from features.drivers.cli import CommandLine
from features.drivers.library import Library
from pytest_bdd import given, parsers


@given(parsers.re(r"the operator allows each key (?P<count>\d+) reports? a minute"), converters={"count": int})
def so_many_a_minute(driver: Library | CommandLine, count: int) -> None:
    driver.set(orders_per_minute=count)


@given("the operator has switched the limit off")
def no_limit(driver: Library) -> None:
    driver.set(orders_per_minute=0)

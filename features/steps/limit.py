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


@given(
    parsers.re(r"the operator allows each browser's address (?P<count>\d+) reports? a minute"),
    converters={"count": int},
)
def so_many_a_minute_of_an_address(driver: Library, count: int) -> None:
    driver.set(snippets_per_minute=count)


@given(
    parsers.re(r"the operator allows browsers (?P<count>\d+) new orders? a day of each shop"), converters={"count": int}
)
def so_many_a_day(driver: Library, count: int) -> None:
    driver.set(snippets_per_day=count)


@given(
    parsers.re(r"the operator allows browsers (?P<count>\d+) invitations? a day to each customer"),
    converters={"count": int},
)
def so_many_to_a_customer(driver: Library, count: int) -> None:
    driver.set(snippets_per_recipient=count)


@given("the operator has switched the limits of browsers off")
def no_limits_of_browsers(driver: Library) -> None:
    driver.set(snippets_per_minute=0, snippets_per_day=0, snippets_per_recipient=0)

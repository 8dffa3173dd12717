"""The figures that the operator sets."""

from __future__ import annotations

from features.drivers.base import Driver
from features.drivers.cli import CliDriver
from pytest_bdd import given, parsers


@given(parsers.re(r"the operator allows each key (?P<count>\d+) reports? a minute"), converters={"count": int})
def limit_reports_per_key(driver: Driver | CliDriver, count: int) -> None:
    driver.configure(orders_per_minute=count)


@given("the operator has switched the limit off")
def no_limit_per_key(driver: Driver) -> None:
    driver.configure(orders_per_minute=0)


@given(
    parsers.re(r"the operator allows each browser's address (?P<count>\d+) reports? a minute"),
    converters={"count": int},
)
def limit_reports_per_address(driver: Driver, count: int) -> None:
    driver.configure(snippets_per_minute=count)


@given(parsers.parse("the operator allows each browser's address {count:d} reports a day to each shop"))
def limit_reports_per_address_a_day(driver: Driver, count: int) -> None:
    driver.configure(snippets_per_client_day=count)


@given(
    parsers.re(r"the operator allows browsers (?P<count>\d+) new orders? a day of each shop"), converters={"count": int}
)
def limit_new_orders_per_shop(driver: Driver, count: int) -> None:
    driver.configure(snippets_per_day=count)


@given(
    parsers.re(r"the operator allows browsers (?P<count>\d+) invitations? a day to each customer"),
    converters={"count": int},
)
def limit_invitations_per_customer(driver: Driver, count: int) -> None:
    driver.configure(snippets_per_recipient=count)


@given(parsers.parse("the operator allows browsers {count:d} invitations a day to each person at all shops"))
def limit_invitations_per_person(driver: Driver, count: int) -> None:
    driver.configure(snippets_per_person=count)


@given("the operator has switched the limits of browsers off")
def no_limits_for_browsers(driver: Driver) -> None:
    off = ("minute", "day", "recipient", "person", "client_day")
    driver.configure(**{f"snippets_per_{each}": 0 for each in off})

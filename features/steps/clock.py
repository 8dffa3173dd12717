"""The time, which stands still until a scenario moves it."""

from __future__ import annotations

from datetime import datetime, timedelta

from features.drivers.base import Driver
from features.steps.context import instant
from pytest_bdd import given, parsers, when


@given(parsers.parse("it is {at}"), converters={"at": instant})
@when(parsers.parse("it is {at}"), converters={"at": instant})
def it_is(driver: Driver, at: datetime) -> None:
    driver.clock.set(at)


@when(parsers.re(r"(?P<count>\d+) days? pass(?:es)?"), converters={"count": int})
def days_pass(driver: Driver, count: int) -> None:
    driver.clock.advance(timedelta(days=count))

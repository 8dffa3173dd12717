"""The time, which stands still until a scenario moves it."""

from __future__ import annotations

from datetime import timedelta

from features.drivers.library import Library
from features.steps.story import instant
from pytest_bdd import given, parsers, when


@given(parsers.parse("it is {at}"), converters={"at": instant})
@when(parsers.parse("it is {at}"), converters={"at": instant})
def it_is(driver: Library, at) -> None:
    driver.clock.set(at)


@when(parsers.re(r"(?P<count>\d+) days? pass(?:es)?"), converters={"count": int})
def days_pass(driver: Library, count: int) -> None:
    driver.clock.advance(timedelta(days=count))

"""The service as a whole: stopped, started, and cut off from its storage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from features.drivers.library import Library
from pytest_bdd import given, parsers, when


@pytest.fixture
def outage() -> Iterator[ExitStack]:
    """What keeps the service from its storage."""
    with ExitStack() as held:
        yield held


@given(parsers.parse("its pages are at {address}"))
def pages_at(driver: Library, address: str) -> None:
    driver.set(base_url=address)


@when("the service is stopped and started again")
def restart(driver: Library) -> None:
    driver.restart()


@given("another program holds the database")
def hold(driver: Library, outage: ExitStack) -> None:
    outage.enter_context(driver.hold_the_database())


@when("the other program lets go of the database")
def let_go(outage: ExitStack) -> None:
    outage.close()

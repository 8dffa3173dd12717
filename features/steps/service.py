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


@when("the operator backs up the database")
def back_up(driver: Library) -> None:
    driver.back_up()


@when("the operator restores the backup")
def restore(driver: Library) -> None:
    driver.restore()


@when("the operator reconciles")
def reconcile(driver: Library) -> None:
    driver.app.reconcile()
    assert driver.app.delivery.paused() is None


@when("the hand-over mark is lost")
def lose_the_mark(driver: Library) -> None:
    assert driver.mark
    driver.mark.unlink()


@given("another program holds the database")
def hold(driver: Library, outage: ExitStack) -> None:
    outage.enter_context(driver.hold_the_database())


@when("the other program lets go of the database")
def let_go(outage: ExitStack) -> None:
    outage.close()

"""The service as a whole: stopped, started, and cut off from its storage."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from features.drivers.base import Driver
from pytest_bdd import given, parsers, then, when

from reviewinvite_core.maintenance.database import change_mark_format


@pytest.fixture
def outage() -> Iterator[ExitStack]:
    """What keeps the service from its storage."""
    with ExitStack() as held:
        yield held


@given(parsers.parse("its pages are at {address}"))
def pages_at(driver: Driver, address: str) -> None:
    driver.configure(base_url=address)


@when("the service is stopped and started again")
def restart(driver: Driver) -> None:
    driver.restart()


@when("the operator backs up the database")
def back_up(driver: Driver) -> None:
    driver.back_up()


@when("the operator restores the backup")
def restore(driver: Driver) -> None:
    driver.restore()


@when("the operator reconciles")
def reconcile(driver: Driver) -> None:
    driver.app.delivery.reconcile()
    assert driver.app.delivery.paused() is None


@when("the hand-over mark is lost")
def lose_the_mark(driver: Driver) -> None:
    assert driver.mark_file
    driver.mark_file.unlink()


@when("the operator prepares the way back to the last release")
def prepare_rollback(driver: Driver) -> None:
    assert change_mark_format(driver.settings, back=True)


@when("the operator finishes the upgrade")
def finish_upgrade(driver: Driver) -> None:
    assert change_mark_format(driver.settings, back=False)


@then(parsers.re(r"the last release (?P<can>can|cannot) read the hand-over mark"))
def last_release_can_read(driver: Driver, can: str) -> None:
    assert driver.mark_file
    is_a_line = re.fullmatch(rb"reviewinvite-mark 1 [^\n]+\n", driver.mark_file.read_bytes())
    assert bool(is_a_line) is (can == "can")


@given("another program holds the database")
def hold(driver: Driver, outage: ExitStack) -> None:
    outage.enter_context(driver.lock_database())


@when("the other program lets go of the database")
def let_go(outage: ExitStack) -> None:
    outage.close()

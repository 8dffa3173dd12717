"""What is kept of a customer, and how it is forgotten."""

from __future__ import annotations

import re

from features.drivers.base import Driver
from features.drivers.cli import CliDriver
from features.steps.command import last_result
from features.steps.context import ScenarioContext
from pytest_bdd import given, parsers, then, when


@given(parsers.parse("the operator keeps addresses for {days:d} days"))
def keeps_for(driver: Driver, days: int) -> None:
    driver.configure(retention_days=days)


@when(parsers.parse("the operator erases {customer}"))
def erases(driver: Driver, customer: str) -> None:
    driver.app.privacy.erase_address(customer)


@when(parsers.parse("the worker runs, and the operator erases {customer} at the last moment"))
def delivers_and_erases(driver: Driver, customer: str) -> None:
    driver.mailer.before_commit = lambda: erases(driver, customer)
    driver.deliver()


@when("the operator purges")
def purges(driver: Driver) -> None:
    for _ in driver.app.privacy.purge():
        pass


@then(parsers.re(r"(?P<kept>no|an) address is kept of the invitation"))
def address_is_kept(driver: Driver, context: ScenarioContext, kept: str) -> None:
    invitation = driver.invitation(context.latest_invitation.invite_id).invitation
    assert (invitation.sealed_address is not None) == (kept == "an")


@then(parsers.parse("nothing is kept that {customer} could be written to with"))
def nothing_is_kept(driver: Driver, customer: str) -> None:
    held = driver.app.privacy.export(customer)
    assert len(held.invitations) > 1
    assert all(record.invitation.sealed_address is None for record in held.invitations)


@then(parsers.re(r'it does not print "(?P<words>[^"]+)"'))
def does_not_print(context: ScenarioContext, words: str) -> None:
    assert last_result(context).exit_code == 0
    assert re.search(re.escape(words), last_result(context).stdout + last_result(context).stderr) is None


@then(parsers.re(r'no file of the database holds "(?P<words>[^"]+)"'))
def no_file_holds(driver: CliDriver, words: str) -> None:
    files = list(driver.folder.glob("reviewinvite.db*"))
    assert files
    assert not any(words.encode() in file.read_bytes() for file in files)

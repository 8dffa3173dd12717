"""What is kept of a customer, and how it is forgotten."""

from __future__ import annotations

import re

from features.drivers.cli import CommandLine
from features.drivers.library import Library
from features.steps.command import ended
from features.steps.story import Story
from pytest_bdd import given, parsers, then, when


@given(parsers.parse("the operator keeps addresses for {days:d} days"))
def keeps_for(driver: Library, days: int) -> None:
    driver.set(retention_days=days)


@when(parsers.parse("the operator erases {customer}"))
def erases(driver: Library, customer: str) -> None:
    driver.app.erase_address(customer)


@when(parsers.parse("the worker runs, and the operator erases {customer} at the last moment"))
def delivers_and_erases(driver: Library, customer: str) -> None:
    driver.mailer.before_the_end = lambda: erases(driver, customer)
    driver.deliver()


@when("the operator purges")
def purges(driver: Library) -> None:
    for _ in driver.app.purge():
        pass


@then(parsers.re(r"(?P<kept>no|an) address is kept of the invitation"))
def address_is_kept(driver: Library, story: Story, kept: str) -> None:
    invitation = driver.invitation(story.latest.invite_id).invitation
    assert (invitation.sealed_address is not None) == (kept == "an")


@then(parsers.parse("nothing is kept that {customer} could be written to with"))
def nothing_is_kept(driver: Library, customer: str) -> None:
    held = driver.app.export_address(customer)
    assert len(held.invitations) > 1
    assert all(record.invitation.sealed_address is None for record in held.invitations)


@then(parsers.re(r'it does not print "(?P<words>[^"]+)"'))
def does_not_print(story: Story, words: str) -> None:
    assert ended(story).code == 0
    assert re.search(re.escape(words), ended(story).out + ended(story).err) is None


@then(parsers.re(r'no file of the database holds "(?P<words>[^"]+)"'))
def no_file_holds(driver: CommandLine, words: str) -> None:
    files = list(driver.folder.glob("reviewinvite.db*"))
    assert files
    assert not any(words.encode() in file.read_bytes() for file in files)

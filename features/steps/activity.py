"""The list of what was changed at a shop."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from features.drivers.base import Driver
from features.steps.context import instant
from pytest_bdd import parsers, then

from reviewinvite_core import accepted
from reviewinvite_core.values import Action, ActivityQuery, ActivityRecord, ActorKind


def activity_of(driver: Driver, shop: str) -> Sequence[ActivityRecord]:
    """Return all that was changed at a shop, the latest first."""
    return accepted(driver.app.members.list_activity(shop, ActivityQuery(limit=1000))).entries


@then(
    parsers.re(r"the latest activity of (?P<shop>\w+) is (?P<action>\S+) by (?P<actor>.+) at (?P<at>[\d-]+ [\d:]+)"),
    converters={"at": instant},
)
def latest(driver: Driver, shop: str, action: str, actor: str, at: datetime) -> None:
    entry = activity_of(driver, shop)[0]
    assert (entry.action, entry.at) == (action, at)
    assert (entry.actor.kind, entry.member_email, entry.key_label) == {
        "the operator": (ActorKind.OPERATOR, None, None),
        "its first key": (ActorKind.API_KEY, None, "first"),
    }.get(actor, (ActorKind.MEMBER, actor, None))


@then(parsers.re(r"(?P<shop>\w+) has one entry of (?P<action>\S+)"))
def has_one_entry(driver: Driver, shop: str, action: str) -> None:
    assert [each.action for each in activity_of(driver, shop)].count(Action(action)) == 1


@then(parsers.parse("no activity of {shop} names {customer}"))
def names_nobody(driver: Driver, shop: str, customer: str) -> None:
    entries = activity_of(driver, shop)
    assert entries
    assert all(customer not in (each.subject, each.member_email) for each in entries)

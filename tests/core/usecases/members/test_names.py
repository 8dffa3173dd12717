"""The name of a shop that has the trust mark: a new one waits for the operator."""

from __future__ import annotations

import logging

import attrs
import pytest
from tests.core.usecases.harness import AppHarness
from tests.members import OWNER, SITE, add_member, member_id_of

from reviewinvite_core import Actor, Invalid, ShopChanges, accepted
from reviewinvite_core.values import Action, ActivityQuery, ActorKind, ChangedMeanwhile, KeyRefused, Problem, Shop

NAME, NEW = "Bakkerij De Molen", "De Gouden Molen"


@pytest.fixture
def trusted(harness: AppHarness) -> AppHarness:
    """An application whose shop has the trust mark."""
    accepted(harness.app.trust_marks.grant(SITE))
    return harness


def by_member(harness: AppHarness) -> Actor:
    if not harness.app.members.list(SITE):
        add_member(harness.app)
    return attrs.evolve(harness.caller, member_id=member_id_of(harness.app, OWNER))


def rename(harness: AppHarness, name: str) -> Shop:
    """Have a member change the name, and something else with it."""
    return accepted(harness.app.shops.update(by_member(harness), ShopChanges(name=name, delay_days=1)))


def test_a_name_that_starts_to_wait_is_logged_whoever_asks(
    trusted: AppHarness, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "reviewinvite.shops")
    for name in (NEW, NEW, NAME, NEW):
        rename(trusted, name)
    accepted(trusted.app.shops.update(SITE, ShopChanges(name="The operator's")))
    logged = [each.getMessage() for each in caplog.records if each.name == "reviewinvite.shops"]
    assert logged == [f'a shop\'s new name waits for approval siteId={SITE} next="shop approve {SITE}"'] * 2


def test_a_key_cannot_even_ask_for_a_name(trusted: AppHarness) -> None:
    assert trusted.app.shops.update(trusted.key, ShopChanges(name=NEW)) == Invalid(Problem.UNKNOWN_FIELD, "name")
    assert accepted(trusted.app.shops.show(SITE)).requested_name is None


def test_only_the_name_that_was_seen_is_withdrawn_and_by_no_key(trusted: AppHarness) -> None:
    seen = rename(trusted, "A first thought")
    rename(trusted, NEW)
    assert trusted.app.shops.withdraw_name(by_member(trusted), seen) == ChangedMeanwhile()
    assert trusted.app.shops.withdraw_name(attrs.evolve(trusted.caller, key_id="key_1")) == KeyRefused(presented=True)
    assert accepted(trusted.app.shops.show(SITE)).requested_name == NEW


def test_what_waits_stays_when_something_else_changes(trusted: AppHarness) -> None:
    rename(trusted, NEW)
    shop = accepted(trusted.app.shops.update(SITE, ShopChanges(language="en")))
    assert shop.requested_name == NEW


def test_who_asked_for_a_name_who_approved_it_and_who_withdrew_it_is_in_the_activity_log(trusted: AppHarness) -> None:
    rename(trusted, NEW)
    rename(trusted, NEW)
    accepted(trusted.app.shops.approve_name(SITE))
    rename(trusted, "Withdrawn")
    accepted(trusted.app.shops.withdraw_name(by_member(trusted)))
    rename(trusted, "Entered over")
    rename(trusted, NEW)
    entries = accepted(trusted.app.members.list_activity(SITE, ActivityQuery())).entries
    names = {Action.NAME_REQUESTED, Action.NAME_APPROVED, Action.NAME_WITHDRAWN}
    log = {(each.action, each.actor.kind, each.subject) for each in entries if each.action in names}
    assert log == {
        *((Action.NAME_REQUESTED, ActorKind.MEMBER, each) for each in (NEW, "Withdrawn", "Entered over")),
        (Action.NAME_APPROVED, ActorKind.OPERATOR, NEW),
        (Action.NAME_WITHDRAWN, ActorKind.MEMBER, "Withdrawn"),
        (Action.NAME_WITHDRAWN, ActorKind.MEMBER, "Entered over"),
    }

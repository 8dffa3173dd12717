"""Members of shops: how they come and go, and what they do in the dashboard."""

from __future__ import annotations

from features.drivers.base import Driver
from features.drivers.member_browser import Outcome
from features.steps.context import TEXT, ScenarioContext, text
from features.steps.shop import change
from features.steps.sign_in import browser_of, sign_in
from features.steps.view import last_statement
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import NewMember, accepted

ROLES = {"an owner": "owner", "staff": "staff"}
ROLE = r"(?P<role>an owner|staff)"
WHO = r"(?P<who>\S+@\S+)"

REFUSALS = {
    "to staff": Outcome.ROLE_REFUSED,
    "for a while": Outcome.LIMIT_REACHED,
    "to the last owner": Outcome.LAST_OWNER,
    "as the sign-in is too old": Outcome.SIGN_IN_TOO_OLD,
    "as if there were no such shop": Outcome.SHOP_UNKNOWN,
    "as if there were no such invitation": Outcome.UNKNOWN,
}


def add_member(driver: Driver, context: ScenarioContext, shop: str, who: str, role: str) -> str:
    """Have the operator make a person a member; return the link that this person is sent."""
    context.link_owner = who
    added = accepted(driver.app.members.add(shop, NewMember(email=who, role=role)))
    assert added.link
    driver.deliver()
    return added.link


@given(parsers.re(rf"the operator has made {WHO} {ROLE} of (?P<shop>\w+)"))
def has_made(driver: Driver, context: ScenarioContext, who: str, role: str, shop: str) -> None:
    add_member(driver, context, shop, who, ROLES[role])


@given(parsers.re(rf"{WHO} is {ROLE} of (?P<shop>\w+), and has signed in before"))
def is_known(driver: Driver, context: ScenarioContext, who: str, role: str, shop: str) -> None:
    is_signed_in(driver, context, who, role, shop)
    browser_of(driver, context, who).sign_out()


@given(parsers.re(rf"{WHO} is {ROLE} of (?P<shop>\w+), and signed in"))
def is_signed_in(driver: Driver, context: ScenarioContext, who: str, role: str, shop: str) -> None:
    sign_in(driver, context, who, add_member(driver, context, shop, who, ROLES[role]))


@given(parsers.re(rf"{WHO} has opened the dashboard of (?P<shop>\w+)"))
def has_opened(driver: Driver, context: ScenarioContext, who: str, shop: str) -> None:
    browser_of(driver, context, who).open_shop(shop)


@when(parsers.re(rf"{WHO} cancels the invitation of (?P<shop>\w+)"))
def cancels(driver: Driver, context: ScenarioContext, who: str, shop: str) -> None:
    invite_id = context.latest_invitation.invite_id
    context.member_outcome = browser_of(driver, context, who).cancel(shop, invite_id)


@when(parsers.re(rf"{WHO} sets the delay of (?P<shop>\w+) to (?P<days>\d+) days"))
def sets_delay(driver: Driver, context: ScenarioContext, who: str, shop: str, days: str) -> None:
    context.member_outcome = browser_of(driver, context, who).set_delay(shop, int(days))


@when(parsers.re(rf"{WHO} calls (?P<shop>\w+) (?P<name>{TEXT})"))
def renames(driver: Driver, context: ScenarioContext, who: str, shop: str, name: str) -> None:
    context.member_outcome = browser_of(driver, context, who).rename(shop, text(name))


@when(parsers.re(rf"{WHO} withdraws the new name of (?P<shop>\w+)"))
def withdraws_name(driver: Driver, context: ScenarioContext, who: str, shop: str) -> None:
    context.member_outcome = browser_of(driver, context, who).withdraw_name(shop)


@when(parsers.re(rf"{WHO} makes a key for (?P<shop>\w+)"))
def makes_key(driver: Driver, context: ScenarioContext, who: str, shop: str) -> None:
    context.member_outcome = browser_of(driver, context, who).make_key(shop)


@when(parsers.re(rf"{WHO} revokes a key of (?P<shop>\w+)"))
def revokes_key(driver: Driver, context: ScenarioContext, who: str, shop: str) -> None:
    context.member_outcome = browser_of(driver, context, who).revoke_key(shop)


@when(parsers.re(rf"{WHO} invites (?P<other>\S+@\S+) to be {ROLE} of (?P<shop>\w+)"))
def invites(driver: Driver, context: ScenarioContext, who: str, other: str, role: str, shop: str) -> None:
    context.member_outcome = browser_of(driver, context, who).add_member(shop, other, ROLES[role])


@when(parsers.re(rf"{WHO} makes (?P<other>\S+@\S+) {ROLE} of (?P<shop>\w+)"))
def changes_role(driver: Driver, context: ScenarioContext, who: str, other: str, role: str, shop: str) -> None:
    context.member_outcome = browser_of(driver, context, who).change_role(shop, other, ROLES[role])


@when(parsers.re(rf"{WHO} removes (?P<other>\S+@\S+) from (?P<shop>\w+)"))
def removes(driver: Driver, context: ScenarioContext, who: str, other: str, shop: str) -> None:
    context.member_outcome = browser_of(driver, context, who).remove_member(shop, other)


@given(parsers.re(rf"{WHO} has (?P<times>\d+) times invited (?P<other>\S+@\S+) to (?P<shop>\w+), and removed them"))
def has_invited(driver: Driver, context: ScenarioContext, who: str, times: str, other: str, shop: str) -> None:
    for _ in range(int(times)):
        invites(driver, context, who, other, "staff", shop)
        is_done(context)
        removes(driver, context, who, other, shop)
        is_done(context)


@given(parsers.re(rf"{WHO} has invited (?P<count>\d+) people to (?P<shop>\w+)"))
def has_invited_people(driver: Driver, context: ScenarioContext, who: str, count: str, shop: str) -> None:
    for number in range(int(count)):
        invites(driver, context, who, f"person{number}@example.com", "staff", shop)
        is_done(context)


@when(parsers.re(rf"{WHO} sets the address for replies of (?P<shop>\w+) to (?P<reply_to>\S+@\S+)"))
def sets_reply_to(driver: Driver, context: ScenarioContext, who: str, shop: str, reply_to: str) -> None:
    context.member_outcome = browser_of(driver, context, who).set_reply_to(shop, reply_to)


@when(parsers.re(r"the operator invites (?P<other>\S+@\S+) to (?P<shop>\w+)"))
def operator_invites(driver: Driver, context: ScenarioContext, other: str, shop: str) -> None:
    add_member(driver, context, shop, other, "staff")
    context.member_outcome = Outcome.DONE


@when(parsers.re(r"the operator removes (?P<who>\S+@\S+) from (?P<shop>\w+)"))
def operator_removes(driver: Driver, who: str, shop: str) -> None:
    [member_id] = [each.member_id for each in accepted(driver.app.members.list(shop)) if each.email == who]
    accepted(driver.app.members.remove(shop, member_id))


@when(parsers.re(rf"the operator calls (?P<shop>\w+) (?P<name>{TEXT})"))
def operator_renames(driver: Driver, shop: str, name: str) -> None:
    change(driver, shop, name=text(name))


@when(parsers.parse("the operator approves the name of {shop}"))
def approves(driver: Driver, shop: str) -> None:
    accepted(driver.app.shops.approve_name(shop))


@then(parsers.parse("no name of {shop} waits for the operator"))
def no_name_waits(driver: Driver, shop: str) -> None:
    assert accepted(driver.app.shops.show(shop)).requested_name is None


@then("that is done")
def is_done(context: ScenarioContext) -> None:
    assert context.member_outcome is Outcome.DONE


@then(parsers.re(rf"that is refused,? (?P<why>{'|'.join(REFUSALS)})"))
def is_refused(context: ScenarioContext, why: str) -> None:
    assert context.member_outcome is REFUSALS[why]


@then(parsers.re(rf"the statement calls it (?P<name>{TEXT})"))
def statement_calls_it(context: ScenarioContext, name: str) -> None:
    assert last_statement(context).statement["name"] == text(name)


@then(parsers.re(r"the only member of (?P<shop>\w+) is the owner (?P<who>\S+@\S+)"))
def only_member(driver: Driver, shop: str, who: str) -> None:
    members = accepted(driver.app.members.list(shop))
    assert [(each.email, each.role) for each in members] == [(who, "owner")]


@then(parsers.re(rf"{WHO} is an owner at (?P<one>\w+), and staff at (?P<other>\w+)"))
def roles(driver: Driver, context: ScenarioContext, who: str, one: str, other: str) -> None:
    assert browser_of(driver, context, who).roles() == {one: "owner", other: "staff"}

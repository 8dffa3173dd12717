"""Sign-in links, and the sessions that begin with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from features.drivers.base import VISITOR, Driver
from features.drivers.member_browser import MemberBrowser
from features.steps.context import ScenarioContext
from features.steps.mail import emails_to, part_of
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import accepted
from reviewinvite_core.ports import Unreachable

LINK = re.compile(r"https?://\S+/dashboard/sign-in/[\w-]+")
WHO = r"(?P<who>\S+@\S+|(?:a|the) (?:stranger|scanner))"
PLACE = r"(?P<place> at home)?"
AT_WORK, AT_HOME = "Mozilla/5.0 (Windows NT 10.0) Chrome/142.0", "Mozilla/5.0 (Android 16) Firefox/145.0"


def browser_of(driver: Driver, context: ScenarioContext, who: str, place: str | None = None) -> MemberBrowser:
    """Return the browser of this person, the one at home or the usual one."""
    key = who.split()[-1] + (place or "")
    if key not in context.browsers:
        context.browsers[key] = driver.new_browser(AT_HOME if place else AT_WORK)
    return context.browsers[key]


def links_to(driver: Driver, context: ScenarioContext, who: str) -> Sequence[str]:
    """Return the links that this person has been sent, without those of the background."""
    links = [link for each in emails_to(driver, who) for link in LINK.findall(part_of(each, "plain"))]
    return links[context.old_links.get(who, 0) :]


def latest_link(driver: Driver, context: ScenarioContext) -> str:
    """Return the latest link of the member about whom the scenario is."""
    return links_to(driver, context, context.link_owner)[-1]


def sign_in(driver: Driver, context: ScenarioContext, who: str, link: str, place: str | None = None) -> None:
    """Have a person sign in by a link; from then on, the links that were sent so far are old ones."""
    context.old_links[who] = context.old_links.get(who, 0) + len(links_to(driver, context, who))
    assert browser_of(driver, context, who, place).press_button(link)


@given(parsers.parse("{who} has asked for a sign-in link"))
@when(parsers.parse("someone asks for a sign-in link for {who}"))
def asks(driver: Driver, context: ScenarioContext, who: str, address: str = VISITOR) -> None:
    context.link_owner = who
    context.told.append(driver.new_browser(AT_WORK).ask_for_link(who, address))
    driver.deliver()


@when(parsers.re(r"someone asks (?P<count>\d+) times for a sign-in link for (?P<who>\S+)"))
def asks_often(driver: Driver, context: ScenarioContext, count: str, who: str) -> None:
    for _ in range(int(count)):
        asks(driver, context, who)


@when(parsers.re(r"(?P<who>\S+@\S+) asks for a link in her own browser"))
def asks_there(driver: Driver, context: ScenarioContext, who: str) -> None:
    browser_of(driver, context, who).ask_for_link(who, VISITOR)
    driver.deliver()


@when(parsers.re(r"the mail server is away, and someone asks (?P<count>\d+) times for a sign-in link for (?P<who>\S+)"))
def asks_in_vain(driver: Driver, context: ScenarioContext, count: str, who: str) -> None:
    driver.mailer.refusal = Unreachable("connection refused")
    asks_often(driver, context, count, who)
    driver.mailer.refusal = None


@when(parsers.re(r"one client asks for sign-in links for (?P<count>\d+) addresses, and then for (?P<who>\S+)"))
def one_client_asks(driver: Driver, context: ScenarioContext, count: str, who: str) -> None:
    for each in [*(f"customer-{number}@example.com" for number in range(int(count))), who]:
        asks(driver, context, each, "203.0.113.250")


@when(parsers.parse("the operator makes {who} a link"))
def operator_makes(driver: Driver, context: ScenarioContext, who: str) -> None:
    context.link_owner = who
    accepted(driver.app.members.link("bakkerij", who))
    driver.deliver()


@when(parsers.re(rf"{WHO} opens the link"))
def opens(driver: Driver, context: ScenarioContext, who: str) -> None:
    context.offered = browser_of(driver, context, who).open_link(latest_link(driver, context))


@when(parsers.re(rf"{WHO} opens the first link"))
def opens_first(driver: Driver, context: ScenarioContext, who: str) -> None:
    context.offered = browser_of(driver, context, who).open_link(links_to(driver, context, who)[0])


@when("a stranger opens a link that looks right, but was never made")
def opens_made_up(driver: Driver, context: ScenarioContext) -> None:
    asks(driver, context, "eva@example.com")
    link = latest_link(driver, context)
    made_up = link[:-10] + ("A" if link[-10] != "A" else "B") + link[-9:]
    context.offered = browser_of(driver, context, "a stranger").open_link(made_up)


@when(parsers.re(rf"{WHO} presses its button"))
def presses(driver: Driver, context: ScenarioContext, who: str) -> None:
    browser_of(driver, context, who).press_button(latest_link(driver, context))


@when(parsers.re(rf"{WHO} presses the button of the first link"))
def presses_first(driver: Driver, context: ScenarioContext, who: str) -> None:
    browser_of(driver, context, who).press_button(links_to(driver, context, who)[0])


@given(parsers.parse("{who} is signed in at home, too"))
def is_signed_in_at_home(driver: Driver, context: ScenarioContext, who: str) -> None:
    sign_in(driver, context, who, accepted(driver.app.members.link("bakkerij", who)).link, " at home")


@when(parsers.re(r"(?P<who>\S+@\S+) opens the dashboard"))
def opens_dashboard(driver: Driver, context: ScenarioContext, who: str) -> None:
    browser_of(driver, context, who).roles()


@when(parsers.re(r"(?P<who>\S+@\S+) opens the dashboard every (?P<hours>\d+) hours for (?P<days>\d+) days?"))
def opens_dashboard_often(driver: Driver, context: ScenarioContext, who: str, hours: str, days: str) -> None:
    every = timedelta(hours=int(hours))
    for _ in range(timedelta(days=int(days)) // every):
        driver.clock.advance(every)
        browser_of(driver, context, who).roles()


@when(parsers.parse("{who} ends the session at home"))
def ends_session(driver: Driver, context: ScenarioContext, who: str) -> None:
    browser = browser_of(driver, context, who)
    [session_id] = [each.session_id for each in browser.sessions() if "Android" in each.device]
    browser.end_session(session_id)


@when(parsers.parse("{who} ends all other sessions"))
def ends_other_sessions(driver: Driver, context: ScenarioContext, who: str) -> None:
    browser_of(driver, context, who).end_other_sessions()


@when(parsers.parse("{who} tries to end the session of {other}"))
def tries_to_end(driver: Driver, context: ScenarioContext, who: str, other: str) -> None:
    [session] = browser_of(driver, context, other).sessions()
    browser_of(driver, context, who).end_session(session.session_id)


@when(parsers.parse("{who} signs out"))
def signs_out(driver: Driver, context: ScenarioContext, who: str) -> None:
    browser_of(driver, context, who).sign_out()


@then(parsers.re(r"(?P<who>\S+@\S+) has got (?P<count>no|\d+) sign-in links?"))
def has_got_links(driver: Driver, context: ScenarioContext, who: str, count: str) -> None:
    assert len(links_to(driver, context, who)) == (0 if count == "no" else int(count))


@then("both were told the same")
def told_the_same(context: ScenarioContext) -> None:
    one, other = context.told
    assert one == other


@then(parsers.parse("the page offers to sign in {who}"))
def offers(context: ScenarioContext, who: str) -> None:
    assert context.offered == who


@then("the link does not work")
def does_not_work(context: ScenarioContext) -> None:
    assert context.offered is None


@then(parsers.re(rf"{WHO} is signed in{PLACE}"))
def is_in(driver: Driver, context: ScenarioContext, who: str, place: str | None) -> None:
    assert browser_of(driver, context, who, place).roles() is not None


@then(parsers.re(rf"{WHO} is not signed in{PLACE}"))
def is_not_in(driver: Driver, context: ScenarioContext, who: str, place: str | None) -> None:
    assert browser_of(driver, context, who, place).roles() is None


@then(parsers.re(r"(?P<who>\S+@\S+) sees (?P<count>\d+) sessions"))
def sees_sessions(driver: Driver, context: ScenarioContext, who: str, count: str) -> None:
    assert len(browser_of(driver, context, who).sessions()) == int(count)

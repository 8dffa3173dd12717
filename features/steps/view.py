"""Visitors who look at badges, and strangers who verify shops."""

from __future__ import annotations

from datetime import datetime

from features.drivers.base import Driver
from features.drivers.http import HttpDriver
from features.drivers.values import DisplayedBadge, Rejected, SignedStatement
from features.steps.context import ScenarioContext, instant
from pytest_bdd import given, parsers, then, when

from reviewinvite_core.values import DayOfViews, Shop, Statement, TrustMark


def last_statement(context: ScenarioContext) -> SignedStatement:
    """Return the latest answer to a verification, which must be a statement."""
    answer = context.verifications[-1]
    assert isinstance(answer, SignedStatement), answer
    return answer


def last_badge(context: ScenarioContext) -> DisplayedBadge | None:
    return context.badge_views[-1]


@given(parsers.parse("the operator allows {free:d} views a day, and {member:d} with the trust mark"))
def limit_daily_views(driver: Driver, free: int, member: int) -> None:
    driver.configure(views_per_day_free=free, views_per_day_member=member)


@given(parsers.parse("{shop}'s trust mark is {mark}"))
def trust_mark_is(driver: Driver, shop: str, mark: str) -> None:
    if mark != TrustMark.ABSENT:
        assert isinstance(driver.app.trust_marks.grant(shop), Shop)
    if mark == TrustMark.REVOKED:
        assert isinstance(driver.app.trust_marks.revoke(shop), Shop)


@given(parsers.parse("the operator allows each address {percent:d} per cent of a shop's views"))
def limit_views_per_address(driver: Driver, percent: int) -> None:
    driver.configure(views_per_client_percent=percent)


@when(parsers.parse("{shop} is granted the trust mark"))
def is_granted(driver: Driver, shop: str) -> None:
    assert isinstance(driver.app.trust_marks.grant(shop), Shop)


@given(parsers.parse("{count:d} visitors have looked at {shop}'s badge"))
def visitors_have_viewed(driver: Driver, count: int, shop: str) -> None:
    driver.use_views(shop, count)


@when(parsers.parse("a visitor looks at {shop}'s badge"))
def visitor_views(driver: Driver, context: ScenarioContext, shop: str) -> None:
    context.badge_views.append(driver.view_badge(shop, None))


@when(parsers.parse("a visitor at {address} looks at {shop}'s badge"))
def visitor_at_an_address_views(driver: Driver, context: ScenarioContext, address: str, shop: str) -> None:
    context.badge_views.append(driver.view_badge(shop, None, address))


@when(parsers.parse("a visitor of {page} looks at {shop}'s badge"))
def visitor_of_a_page_views(driver: Driver, context: ScenarioContext, page: str, shop: str) -> None:
    context.badge_views.append(driver.view_badge(shop, page))


@then("the badge is shown")
def badge_is_shown(context: ScenarioContext) -> None:
    assert last_badge(context) is not None


@then(parsers.parse("the badge is shown as {status}"))
def badge_is_shown_as(context: ScenarioContext, status: str) -> None:
    badge = last_badge(context)
    assert badge is not None
    assert badge.status == status


@then("no badge is shown")
def no_badge_is_shown(context: ScenarioContext) -> None:
    assert last_badge(context) is None


@when(parsers.parse("someone verifies {shop}"))
def verifies(driver: Driver, context: ScenarioContext, shop: str) -> None:
    context.verifications.append(driver.fetch_statement(shop))


@when(parsers.parse("strangers verify {shop} {count:d} times"))
def verifies_often(driver: Driver, context: ScenarioContext, shop: str, count: int) -> None:
    context.verifications[:] = [driver.fetch_statement(shop) for _ in range(count)]


@when(parsers.parse("a stranger at {address} verifies {shop} {count:d} times"))
def verifies_from_an_address(driver: Driver, context: ScenarioContext, address: str, shop: str, count: int) -> None:
    context.verifications[:] = [driver.fetch_statement(shop, address) for _ in range(count)]


@then(parsers.parse("{count:d} of them get an answer, and the others are refused"))
def first_are_answered(context: ScenarioContext, count: int) -> None:
    assert [isinstance(answer, SignedStatement) for answer in context.verifications] == [
        number < count for number in range(len(context.verifications))
    ]


@then(parsers.re(r"(?P<shop>\w+) is (?P<status>trusted|unverified|revoked|inactive)"))
def shop_is(context: ScenarioContext, shop: str, status: str) -> None:
    assert (last_statement(context).statement["siteId"], last_statement(context).statement["status"]) == (shop, status)


@then(parsers.re(r"the verification is refused, and may be tried again in (?P<seconds>\d+) seconds?"))
def verification_refused_for(context: ScenarioContext, seconds: str) -> None:
    assert context.verifications[-1] == Rejected(code="limit_reached", wait_seconds=int(seconds))


@then("the verification is refused, because the shop is not known")
def verification_refused(context: ScenarioContext) -> None:
    assert context.verifications[-1] == Rejected(code="shop_unknown")


@then("the signature is good")
def signature_is_good(driver: Driver, context: ScenarioContext) -> None:
    assert isinstance(driver.verify_signature(last_statement(context)), Statement)


@then("the statement has expired")
def has_expired(driver: Driver, context: ScenarioContext) -> None:
    assert "expired" in str(driver.verify_signature(last_statement(context)))


@then(parsers.parse('the statement names "{name}" and {host}'))
def names(context: ScenarioContext, name: str, host: str) -> None:
    assert (last_statement(context).statement["name"], last_statement(context).statement["domains"]) == (name, [host])


@then(parsers.parse("the statement holds from {since} to {until}"), converters={"since": instant, "until": instant})
def holds_from_to(context: ScenarioContext, since: datetime, until: datetime) -> None:
    statement = last_statement(context).statement
    assert datetime.fromisoformat(statement["issuedAt"]) == since
    assert datetime.fromisoformat(statement["expiresAt"]) == until


@then(parsers.re(r"(?P<shop>\w+) has (?P<count>\d+) views? today"), converters={"count": int})
def has_views(driver: Driver, shop: str, count: int) -> None:
    views = driver.app.badges.show_views(shop)
    assert isinstance(views, DayOfViews)
    assert views.counted == count


# --- what HTTP alone has --------------------------------------------------------------------------------------------


@when(parsers.parse("a browser on {page} loads {path}"))
def browser_loads(driver: HttpDriver, context: ScenarioContext, page: str, path: str) -> None:
    context.script = driver.load_script(path, {"Referer": page})


@when("the browser asks whether it is still right")
def browser_asks(driver: HttpDriver, context: ScenarioContext) -> None:
    assert context.script is not None
    context.script = driver.load_script(context.script.path, {"If-None-Match": context.script.headers["etag"]})


@then("the script is empty")
def script_is_empty(context: ScenarioContext) -> None:
    assert context.script is not None
    assert (context.script.status, context.script.text) == (200, "")


@then(parsers.parse("the script may be kept so: {words}"))
def script_may_be_kept(context: ScenarioContext, words: str) -> None:
    assert context.script is not None
    assert context.script.headers["cache-control"] == words


@then("it learns that it has it already")
def has_it_already(context: ScenarioContext) -> None:
    assert context.script is not None
    assert (context.script.status, context.script.text) == (304, "")

"""Visitors who look at badges, and strangers who verify shops."""

from __future__ import annotations

from datetime import datetime

from features.drivers.answers import Refused, Seen, Told
from features.drivers.http import OverHttp
from features.drivers.library import Library
from features.steps.story import Story, instant
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import DayOfViews, Shop, Statement, TrustMark


def told(story: Story) -> Told:
    """The latest that a stranger was told, which has to be a statement."""
    answer = story.told_of[-1]
    assert isinstance(answer, Told), answer
    return answer


def looked(story: Story) -> Seen | None:
    return story.looks[-1]


@given(parsers.parse("the operator allows {free:d} views a day, and {member:d} with the trust mark"))
def so_many_views_a_day(driver: Library, free: int, member: int) -> None:
    driver.set(views_per_day_free=free, views_per_day_member=member)


@given(parsers.parse("{shop}'s trust mark is {mark}"))
def trust_mark_is(driver: Library, shop: str, mark: str) -> None:
    if mark != TrustMark.ABSENT:
        assert isinstance(driver.app.grant_trust_mark(shop), Shop)
    if mark == TrustMark.REVOKED:
        assert isinstance(driver.app.revoke_trust_mark(shop), Shop)


@when(parsers.parse("{shop} is granted the trust mark"))
def is_granted(driver: Library, shop: str) -> None:
    assert isinstance(driver.app.grant_trust_mark(shop), Shop)


@given(parsers.parse("{count:d} visitors have looked at {shop}'s badge"))
def visitors_have_looked(driver: Library, count: int, shop: str) -> None:
    assert all(driver.look_at_badges(shop, count))


@when(parsers.parse("a visitor looks at {shop}'s badge"))
def visitor_looks(driver: Library, story: Story, shop: str) -> None:
    story.looks.append(driver.look_at_badge(shop, None))


@when(parsers.parse("a visitor of {page} looks at {shop}'s badge"))
def visitor_of_a_page_looks(driver: Library, story: Story, page: str, shop: str) -> None:
    story.looks.append(driver.look_at_badge(shop, page))


@then("the badge is shown")
def badge_is_shown(story: Story) -> None:
    assert looked(story) is not None


@then(parsers.parse("the badge is shown as {status}"))
def badge_is_shown_as(story: Story, status: str) -> None:
    seen = looked(story)
    assert seen is not None
    assert seen.status == status


@then("no badge is shown")
def no_badge_is_shown(story: Story) -> None:
    assert looked(story) is None


@when(parsers.parse("someone verifies {shop}"))
def verifies(driver: Library, story: Story, shop: str) -> None:
    story.told_of.append(driver.verify(shop))


@when(parsers.parse("strangers verify {shop} {count:d} times"))
def verifies_often(driver: Library, story: Story, shop: str, count: int) -> None:
    story.told_of[:] = [driver.verify(shop) for _ in range(count)]


@then(parsers.parse("{count:d} of them are told, and the others refused"))
def so_many_are_told(story: Story, count: int) -> None:
    assert [isinstance(answer, Told) for answer in story.told_of] == [
        number < count for number in range(len(story.told_of))
    ]


@then(parsers.re(r"(?P<shop>\w+) is (?P<status>trusted|unverified|revoked|inactive)"))
def shop_is(story: Story, shop: str, status: str) -> None:
    assert (told(story).statement["siteId"], told(story).statement["status"]) == (shop, status)


@then(parsers.re(r"the verification is refused, and may be tried again in (?P<seconds>\d+) seconds?"))
def verification_refused_for(story: Story, seconds: str) -> None:
    assert story.told_of[-1] == Refused(code="limit_reached", wait_seconds=int(seconds))


@then("the verification is refused, because the shop is not known")
def verification_refused(story: Story) -> None:
    assert story.told_of[-1] == Refused(code="shop_unknown")


@then("the signature is good")
def signature_is_good(driver: Library, story: Story) -> None:
    assert isinstance(driver.check(told(story)), Statement)


@then("the statement has expired")
def has_expired(driver: Library, story: Story) -> None:
    assert "expired" in str(driver.check(told(story)))


@then(parsers.parse('the statement names "{name}" and {host}'))
def names(story: Story, name: str, host: str) -> None:
    assert (told(story).statement["name"], told(story).statement["domains"]) == (name, [host])


@then(parsers.parse("the statement holds from {since} to {until}"), converters={"since": instant, "until": instant})
def holds_from_to(story: Story, since: datetime, until: datetime) -> None:
    statement = told(story).statement
    assert datetime.fromisoformat(statement["issuedAt"]) == since
    assert datetime.fromisoformat(statement["expiresAt"]) == until


@then(parsers.re(r"(?P<shop>\w+) has (?P<count>\d+) views? today"), converters={"count": int})
def has_views(driver: Library, shop: str, count: int) -> None:
    views = driver.app.show_views(shop)
    assert isinstance(views, DayOfViews)
    assert views.counted == count


# --- what HTTP alone has --------------------------------------------------------------------------------------------


@when(parsers.parse("a browser on {page} loads {path}"))
def browser_loads(driver: OverHttp, story: Story, page: str, path: str) -> None:
    story.script = driver.load(path, {"Referer": page})


@when("the browser asks whether it is still right")
def browser_asks(driver: OverHttp, story: Story) -> None:
    assert story.script is not None
    story.script = driver.load(story.script.path, {"If-None-Match": story.script.headers["etag"]})


@then("the script is empty")
def script_is_empty(story: Story) -> None:
    assert story.script is not None
    assert (story.script.status, story.script.text) == (200, "")


@then(parsers.parse("the script may be kept so: {words}"))
def script_may_be_kept(story: Story, words: str) -> None:
    assert story.script is not None
    assert story.script.headers["cache-control"] == words


@then("it is told that it has it already")
def has_it_already(story: Story) -> None:
    assert story.script is not None
    assert (story.script.status, story.script.text) == (304, "")

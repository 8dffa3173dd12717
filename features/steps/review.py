"""Customers who write reviews, and operators who hide them."""

from __future__ import annotations

import re
from datetime import timedelta

from features.drivers.base import Driver
from features.drivers.http import HtmlResponse, HttpDriver
from features.drivers.review_page import ReviewPage
from features.drivers.shop_page import parse_shop_page
from features.drivers.values import Rejected
from features.steps.context import TEXT, ScenarioContext, text
from features.steps.shop import LANGUAGES
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import ReviewState
from reviewinvite_core.values import HideReason, ReviewRecord


def token(driver: Driver, context: ScenarioContext) -> str:
    """Return the token in the latest invitation; a page is not told which one its order has."""
    if not context.reports:
        [record] = driver.invitations(context.page_reports[-1][1])
        return driver.review_token(record.invitation.invite_id)
    return driver.review_token(context.latest_invitation.invite_id)


def last_page(context: ScenarioContext) -> ReviewPage:
    """Return the page that the customer saw last."""
    assert isinstance(context.review_page, ReviewPage), context.review_page
    return context.review_page


def public_page_in(page: HtmlResponse | None, shop: str) -> str | None:
    """Return the path of the shop's public page if the page says that everyone can read the review there."""
    assert page
    found = re.search(rf'(?:Everyone|Iedereen) .*?<a [^>]*href="[^"]*(/shops/{shop}[^"]*)"', page.html, re.DOTALL)
    return found[1] if found else None


@given(parsers.parse("the operator lets links be used for {days:d} days"))
def links_last(driver: Driver, days: int) -> None:
    driver.configure(review_link_days=days)


@given("its invitation has been sent")
def has_been_sent(driver: Driver) -> None:
    driver.clock.advance(timedelta(days=5))
    driver.deliver()


@given(parsers.re(r"(?P<customer>\S+) has written a review of (?P<rating>\d) stars?"), converters={"rating": int})
@when(parsers.re(r"(?P<customer>\S+) writes a review of (?P<rating>\d) stars?"), converters={"rating": int})
def writes(driver: Driver, context: ScenarioContext, customer: str, rating: int) -> None:
    order = context.reports[-1][0] if context.reports else context.page_reports[-1][2]
    assert order.email == customer
    context.review_page = driver.write_review(token(driver, context), rating, "", "")


@given(parsers.parse("{customer} has written a review {times:d} times, the last time with {rating:d} stars"))
def has_written_often(driver: Driver, context: ScenarioContext, customer: str, times: int, rating: int) -> None:
    for left in reversed(range(times)):
        writes(driver, context, customer, (rating + left) % 5 or 5)


@given(
    parsers.re(rf"(?P<customer>\S+) has written (?P<rating>\d) stars? and (?P<words>{TEXT}), as (?P<name>{TEXT})"),
    converters={"rating": int, "words": text, "name": text},
)
@when(
    parsers.re(rf"(?P<customer>\S+) writes (?P<rating>\d) stars? and (?P<words>{TEXT}), as (?P<name>{TEXT})"),
    converters={"rating": int, "words": text, "name": text},
)
def writes_words(driver: Driver, context: ScenarioContext, customer: str, rating: int, words: str, name: str) -> None:
    assert context.reports[-1][0].email == customer
    context.review_page = driver.write_review(token(driver, context), rating, words, name)


@when(parsers.parse("{customer} sends the form without stars"))
def writes_no_stars(driver: Driver, context: ScenarioContext, customer: str) -> None:
    assert context.reports[-1][0].email == customer
    context.review_page = driver.write_review(token(driver, context), None, "Lekker brood", "")


@when(parsers.re(r"(?P<customer>\S+) writes a (?P<what>text|name) of (?P<count>\d+) characters"))
def writes_so_much(driver: Driver, context: ScenarioContext, customer: str, what: str, count: str) -> None:
    assert context.reports[-1][0].email == customer
    words = "🍞" * int(count)
    texts = (words, "") if what == "text" else ("", words)
    context.review_page = driver.write_review(token(driver, context), 5, *texts)


@when(parsers.parse("{customer} withdraws the review"))
def withdraws(driver: Driver, context: ScenarioContext, customer: str) -> None:
    assert context.reports[-1][0].email == customer
    context.review_page = driver.withdraw_review(token(driver, context))


@when(parsers.parse("{customer} opens the link to write a review"))
def opens(driver: Driver, context: ScenarioContext, customer: str) -> None:
    assert context.reports[-1][0].email == customer
    context.review_page = driver.open_review_page(token(driver, context))


@when(parsers.parse("{customer} sends the form with {rating:d} stars"))
def sends_form(driver: HttpDriver, context: ScenarioContext, customer: str, rating: int) -> None:
    assert context.reports[-1][0].email == customer
    context.html_page = driver.send_review_form(token(driver, context), rating=str(rating), text="", author="")


@when("somebody opens a link to write a review that lacks its end")
def opens_a_broken_one(driver: Driver, context: ScenarioContext) -> None:
    context.review_page = driver.open_review_page(token(driver, context)[:-1])


@when("somebody opens the review page with the link to opt out")
def opens_with_another(driver: Driver, context: ScenarioContext) -> None:
    context.review_page = driver.open_review_page(driver.opt_out_token(context.latest_invitation.invite_id))


@when("the operator hides the review as an insult")
def hides(driver: Driver, context: ScenarioContext) -> None:
    shop = driver.shop_of(context.latest_invitation.invite_id)
    (record,) = driver.reviews(shop)
    assert isinstance(driver.app.reviews.hide(record.review.review_id, HideReason.INSULT), ReviewRecord)


@then("the page is not known")
def not_known(context: ScenarioContext) -> None:
    assert context.review_page is None


@then("a review can be written there")
def can_be_written(context: ScenarioContext) -> None:
    assert (last_page(context).can_write, last_page(context).rating) == (True, None)


@then(parsers.re(r"the page is in (?P<language>Dutch|English)"))
def in_language(context: ScenarioContext, language: str) -> None:
    assert last_page(context).language == LANGUAGES[language]


@then("nothing can be written there any more")
def nothing_can_be_written(context: ScenarioContext) -> None:
    assert (last_page(context).can_write, last_page(context).rating) == (False, None)


@then(
    parsers.re(rf"the page shows (?P<rating>\d) stars? and (?P<words>{TEXT}), as (?P<name>{TEXT})"),
    converters={"rating": int, "words": text, "name": text},
)
def page_shows(context: ScenarioContext, rating: int, words: str, name: str) -> None:
    assert (last_page(context).rating, last_page(context).text, last_page(context).author) == (rating, words, name)


@then(
    parsers.re(rf"the page shows (?P<rating>\d) stars? and no text, as (?P<name>{TEXT})"),
    converters={"rating": int, "name": text},
)
def page_shows_no_text(context: ScenarioContext, rating: int, name: str) -> None:
    assert (last_page(context).rating, last_page(context).text, last_page(context).author) == (rating, None, name)


@then(parsers.re(r"the review (?P<can>can|can not) be changed there"))
def can_be_changed(context: ScenarioContext, can: str) -> None:
    assert (last_page(context).can_write, last_page(context).rating is None) == (can == "can", False)


@then("the page says that everyone can read the review")
def says_it_is_public(context: ScenarioContext) -> None:
    assert public_page_in(context.html_page, "")


@then("the page does not say that everyone can read the review")
def does_not_say_it_is_public(context: ScenarioContext) -> None:
    assert public_page_in(context.html_page, "") is None


@then(parsers.parse("it leads to the page of {shop}, where the review is"))
def leads_to_public_page(driver: HttpDriver, context: ScenarioContext, shop: str) -> None:
    path = public_page_in(context.html_page, shop)
    assert path
    page = parse_shop_page(driver.request_page("GET", f"{path}?language=en").html)
    assert [each.rating for each in page.reviews] == [4]


@then("she reads that it is too late")
@then("she reads that nothing was saved")
def told_too_late(context: ScenarioContext) -> None:
    assert last_page(context).too_late


@then(parsers.parse("the form comes back, because of the {field}"))
def comes_back(context: ScenarioContext, field: str) -> None:
    assert isinstance(context.review_page, Rejected)
    assert context.review_page.field == {"stars": "rating", "text": "text", "name": "author"}[field]


@then(parsers.parse("nothing has been written of {shop}"))
def nothing_written(driver: Driver, shop: str) -> None:
    assert driver.reviews(shop) == []


@then(parsers.re(r"one review of (?P<shop>\w+) is (?P<state>published|hidden), with (?P<rating>\d) stars?"))
def one_review(driver: Driver, shop: str, state: str, rating: str) -> None:
    (record,) = driver.reviews(shop)
    assert (record.review.state, record.review.rating) == (ReviewState(state), int(rating))


@then(parsers.parse("of the one review of {shop} nothing is kept that was written"))
def nothing_kept(driver: Driver, shop: str) -> None:
    (record,) = driver.reviews(shop)
    review = record.review
    assert (review.state, review.rating, review.text, review.author) == (ReviewState.WITHDRAWN, None, None, None)

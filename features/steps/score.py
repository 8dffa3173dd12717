"""What customers think of a shop, and what everybody may see of that."""

from __future__ import annotations

import re

from features.drivers.base import Driver
from features.drivers.values import DisplayedScore, ShopPage
from features.steps.context import TEXT, ScenarioContext, text
from features.steps.view import last_statement
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import NewReply, OrderReport, ReviewDraft, accepted
from reviewinvite_core.values import HideReason, ReviewLink, ReviewRecord

SCORE = r"(?P<mean>\d\.\d\d) from (?P<count>\d+) reviews?"


def integers(words: str) -> list[int]:
    """Return the numbers in a list of words: 5, 4 and 1."""
    return [int(each) for each in re.findall(r"\d+", words)]


def write_review(driver: Driver, context: ScenarioContext, shop: str, rating: int, words: str | None = None) -> None:
    """Have the customer of a new order write a review."""
    number = len(context.review_ids)
    order = OrderReport(email=f"rater{number}@example.com", order_number=f"rated {number}", delay_days=0)
    reported = accepted(driver.app.orders.report(accepted(driver.app.shops.act_for(shop)), order))
    token = driver.review_token(reported.invite_id)
    written = driver.app.reviews.write(token, ReviewDraft(rating=rating, text=words))
    assert isinstance(written, ReviewLink)
    assert written.review
    context.review_ids.append(written.review.review_id)
    context.review_tokens.append(token)


def last_page(context: ScenarioContext) -> ShopPage:
    """Return the latest page, which must exist."""
    page = context.shop_pages[-1]
    assert page is not None
    return page


@given(parsers.re(r"customers of (?P<shop>\w+) rated it (?P<ratings>[\d, and]+)"), converters={"ratings": integers})
@when(parsers.re(r"customers of (?P<shop>\w+) rate it (?P<ratings>[\d, and]+)"), converters={"ratings": integers})
def customers_rate(driver: Driver, context: ScenarioContext, shop: str, ratings: list[int]) -> None:
    for rating in ratings:
        write_review(driver, context, shop, rating)


@given(parsers.parse("{count:d} customers of {shop} rated it, one a minute"))
def one_rated_each_minute(driver: Driver, context: ScenarioContext, count: int, shop: str) -> None:
    for number in range(count):
        driver.clock.set(driver.clock.now().replace(minute=number))
        write_review(driver, context, shop, 5, f"review {number}")


@given(parsers.re(rf"a customer of (?P<shop>\w+) rated it (?P<rating>\d) and wrote (?P<words>{TEXT})"))
def customer_wrote(driver: Driver, context: ScenarioContext, shop: str, rating: str, words: str) -> None:
    write_review(driver, context, shop, int(rating), text(words))


@given(parsers.re(rf"(?P<shop>\w+) replied (?P<words>{TEXT})"))
def shop_replied(driver: Driver, context: ScenarioContext, shop: str, words: str) -> None:
    reply = NewReply(text=text(words))
    accepted(driver.app.reviews.reply(accepted(driver.app.shops.act_for(shop)), context.review_ids[-1], reply))


@when("the last of them is hidden by the operator")
def last_is_hidden(driver: Driver, context: ScenarioContext) -> None:
    assert isinstance(driver.app.reviews.hide(context.review_ids[-1], HideReason.SPAM), ReviewRecord)


@when("the last of them is shown again")
def last_is_shown_again(driver: Driver, context: ScenarioContext) -> None:
    assert isinstance(driver.app.reviews.show_again(context.review_ids[-1]), ReviewRecord)


@when("the last of them is withdrawn by its writer")
def last_is_withdrawn(driver: Driver, context: ScenarioContext) -> None:
    assert isinstance(driver.app.reviews.withdraw(context.review_tokens[-1]), ReviewLink)


@when(parsers.parse("the writer of the last of them now rates it {rating:d}"))
def last_is_changed(driver: Driver, context: ScenarioContext, rating: int) -> None:
    assert isinstance(driver.app.reviews.write(context.review_tokens[-1], ReviewDraft(rating=rating)), ReviewLink)


@when(parsers.parse("someone looks at the page of {shop}"))
def looks_at_page(driver: Driver, context: ScenarioContext, shop: str) -> None:
    context.shop_pages.append(driver.open_shop_page(shop))


@when(parsers.parse("they go on to the older reviews of {shop}"))
def looks_at_older(driver: Driver, context: ScenarioContext, shop: str) -> None:
    assert last_page(context).older is not None
    context.shop_pages.append(driver.open_shop_page(shop, last_page(context).older))


@then(parsers.parse("per 100 confirmed orders it says {cancelled:d} cancelled and {members:d} kept back"))
def says_shares(context: ScenarioContext, cancelled: int, members: int) -> None:
    assert last_page(context).shares[:2] == (cancelled, members)


@then(parsers.parse("per 100 orders of the website it says {cancelled:d} cancelled"))
def says_website_share(context: ScenarioContext, cancelled: int) -> None:
    assert last_page(context).shares[2] == cancelled


@then("it says nothing of invitations that were not sent")
def says_no_shares(context: ScenarioContext) -> None:
    assert last_page(context).shares == (None, None, None)


@then(parsers.re(rf"the score of the last 12 months is {SCORE}"))
def recent_is(context: ScenarioContext, mean: str, count: str) -> None:
    assert last_page(context).recent == DisplayedScore(mean=mean, count=int(count))


@then(parsers.re(rf"the score of all time is {SCORE}"))
def all_time_is(context: ScenarioContext, mean: str, count: str) -> None:
    assert last_page(context).all_time == DisplayedScore(mean=mean, count=int(count))


@then("there is no score of the last 12 months")
def no_recent(context: ScenarioContext) -> None:
    assert last_page(context).recent is None


@then("there is no score at all")
def no_score(context: ScenarioContext) -> None:
    assert (last_page(context).recent, last_page(context).all_time, last_page(context).reviews) == (None, None, ())


@then(parsers.re(r"from 1 to 5 there are (?P<counts>[\d, and]+) of each rating"), converters={"counts": integers})
def by_rating(context: ScenarioContext, counts: list[int]) -> None:
    assert list(last_page(context).by_rating) == counts


@then(parsers.re(rf"the statement gives {SCORE}"))
def statement_gives(context: ScenarioContext, mean: str, count: str) -> None:
    assert last_statement(context).statement["rating"] == {"mean": mean, "count": int(count)}


@then(parsers.parse('the page is that of "{name}", which is {mark}'))
def page_is_of(context: ScenarioContext, name: str, mark: str) -> None:
    assert (last_page(context).name, last_page(context).mark) == (name, mark)


@then("the shop has no page")
def no_page(context: ScenarioContext) -> None:
    assert context.shop_pages[-1] is None


@then(parsers.re(rf"the newest review is of (?P<day>\S+), rates (?P<rating>\d) and says (?P<words>{TEXT})"))
def newest_is(context: ScenarioContext, day: str, rating: str, words: str) -> None:
    newest = last_page(context).reviews[0]
    assert (newest.day, newest.rating, newest.text) == (day, int(rating), text(words))


@then(parsers.re(r"the newest review is (?P<is_not>not )?called one of a verified order"))
def newest_is_verified(context: ScenarioContext, is_not: str | None) -> None:
    assert last_page(context).reviews[0].is_verified == (is_not is None)


@then(parsers.parse("{confirmed:d} of the reviews of the last 12 months are of verified orders"))
def verified_are(context: ScenarioContext, confirmed: int) -> None:
    assert last_page(context).verified == confirmed


@then("the newest review is by a customer who gave no name")
def newest_has_no_name(context: ScenarioContext) -> None:
    assert last_page(context).reviews[0].author is None


@then(parsers.re(rf"the shop replies to it (?P<words>{TEXT})"))
def newest_has_reply(context: ScenarioContext, words: str) -> None:
    assert last_page(context).reviews[0].reply == text(words)


@then(parsers.parse("it shows {count:d} reviews, from {first} to {last}"))
def shows_from_to(context: ScenarioContext, count: int, first: str, last: str) -> None:
    texts = [each.text for each in last_page(context).reviews]
    assert (len(texts), texts[0], texts[-1]) == (count, f"review {first}", f"review {last}")


@then("there are older reviews")
def has_older(context: ScenarioContext) -> None:
    assert last_page(context).older is not None


@then("there are no older reviews")
def has_no_older(context: ScenarioContext) -> None:
    assert last_page(context).older is None

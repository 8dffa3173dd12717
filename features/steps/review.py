"""Customers who write reviews, and operators who hide them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from features.drivers.answers import Refused
from features.drivers.library import Library
from features.drivers.review_page import ReviewPage
from features.steps.shop import LANGUAGES
from features.steps.story import TEXT, Story, text
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import HideReason, ReviewQuery, ReviewRecord, ReviewState


def link(driver: Library, story: Story) -> str:
    """The token in the latest invitation."""
    return driver.link_to_review(story.latest.invite_id)


def reviews(driver: Library, shop: str) -> Sequence[ReviewRecord]:
    """All that was ever written of the shop, withdrawn or not."""
    found = driver.app.list_reviews(ReviewQuery(site_id=shop, limit=1000))
    assert isinstance(found, Sequence)
    return found


def shown(story: Story) -> ReviewPage:
    """The page that the customer saw last."""
    assert isinstance(story.review_page, ReviewPage), story.review_page
    return story.review_page


@given(parsers.parse("the operator lets links be used for {days:d} days"))
def links_last(driver: Library, days: int) -> None:
    driver.set(review_link_days=days)


@given("its invitation has been sent")
def has_been_sent(driver: Library) -> None:
    driver.clock.advance(timedelta(days=5))
    driver.deliver()


@given(parsers.re(r"(?P<customer>\S+) has written a review of (?P<rating>\d) stars?"), converters={"rating": int})
@when(parsers.re(r"(?P<customer>\S+) writes a review of (?P<rating>\d) stars?"), converters={"rating": int})
def writes(driver: Library, story: Story, customer: str, rating: int) -> None:
    assert story.told[-1][0].email == customer
    story.review_page = driver.write_review(link(driver, story), rating, "", "")


@given(parsers.parse("{customer} has written a review {times:d} times, the last time with {rating:d} stars"))
def has_written_often(driver: Library, story: Story, customer: str, times: int, rating: int) -> None:
    for left in reversed(range(times)):
        writes(driver, story, customer, (rating + left) % 5 or 5)


@given(
    parsers.re(rf"(?P<customer>\S+) has written (?P<rating>\d) stars? and (?P<words>{TEXT}), as (?P<name>{TEXT})"),
    converters={"rating": int, "words": text, "name": text},
)
@when(
    parsers.re(rf"(?P<customer>\S+) writes (?P<rating>\d) stars? and (?P<words>{TEXT}), as (?P<name>{TEXT})"),
    converters={"rating": int, "words": text, "name": text},
)
def writes_words(driver: Library, story: Story, customer: str, rating: int, words: str, name: str) -> None:
    assert story.told[-1][0].email == customer
    story.review_page = driver.write_review(link(driver, story), rating, words, name)


@when(parsers.parse("{customer} sends the form without stars"))
def writes_no_stars(driver: Library, story: Story, customer: str) -> None:
    assert story.told[-1][0].email == customer
    story.review_page = driver.write_review(link(driver, story), None, "Lekker brood", "")


@when(parsers.re(r"(?P<customer>\S+) writes a (?P<what>text|name) of (?P<count>\d+) characters"))
def writes_so_much(driver: Library, story: Story, customer: str, what: str, count: str) -> None:
    assert story.told[-1][0].email == customer
    words = "🍞" * int(count)
    texts = (words, "") if what == "text" else ("", words)
    story.review_page = driver.write_review(link(driver, story), 5, *texts)


@when(parsers.parse("{customer} withdraws the review"))
def withdraws(driver: Library, story: Story, customer: str) -> None:
    assert story.told[-1][0].email == customer
    story.review_page = driver.withdraw_review(link(driver, story))


@when(parsers.parse("{customer} opens the link to write a review"))
def opens(driver: Library, story: Story, customer: str) -> None:
    assert story.told[-1][0].email == customer
    story.review_page = driver.look_at_review(link(driver, story))


@when("somebody opens a link to write a review that lacks its end")
def opens_a_broken_one(driver: Library, story: Story) -> None:
    story.review_page = driver.look_at_review(link(driver, story)[:-1])


@when("somebody opens the review page with the link to opt out")
def opens_with_another(driver: Library, story: Story) -> None:
    story.review_page = driver.look_at_review(driver.link_to_opt_out(story.latest.invite_id))


@when("the operator hides the review as an insult")
def hides(driver: Library, story: Story) -> None:
    shop = driver.shop_of(story.latest.invite_id)
    (record,) = reviews(driver, shop)
    assert isinstance(driver.app.hide_review(record.review.review_id, HideReason.INSULT), ReviewRecord)


@then("the page is not known")
def not_known(story: Story) -> None:
    assert story.review_page is None


@then("a review can be written there")
def can_be_written(story: Story) -> None:
    assert (shown(story).can_write, shown(story).rating) == (True, None)


@then(parsers.re(r"the page is in (?P<language>Dutch|English)"))
def in_language(story: Story, language: str) -> None:
    assert shown(story).language == LANGUAGES[language]


@then("nothing can be written there any more")
def nothing_can_be_written(story: Story) -> None:
    assert (shown(story).can_write, shown(story).rating) == (False, None)


@then(
    parsers.re(rf"the page shows (?P<rating>\d) stars? and (?P<words>{TEXT}), as (?P<name>{TEXT})"),
    converters={"rating": int, "words": text, "name": text},
)
def page_shows(story: Story, rating: int, words: str, name: str) -> None:
    assert (shown(story).rating, shown(story).text, shown(story).author) == (rating, words, name)


@then(
    parsers.re(rf"the page shows (?P<rating>\d) stars? and no text, as (?P<name>{TEXT})"),
    converters={"rating": int, "name": text},
)
def page_shows_no_text(story: Story, rating: int, name: str) -> None:
    assert (shown(story).rating, shown(story).text, shown(story).author) == (rating, None, name)


@then(parsers.re(r"the review (?P<can>can|can not) be changed there"))
def can_be_changed(story: Story, can: str) -> None:
    assert (shown(story).can_write, shown(story).rating is None) == (can == "can", False)


@then("she is told that it is too late")
@then("she is told that nothing was saved")
def told_too_late(story: Story) -> None:
    assert shown(story).too_late


@then(parsers.parse("the form comes back, because of the {field}"))
def comes_back(story: Story, field: str) -> None:
    assert isinstance(story.review_page, Refused)
    assert story.review_page.field == {"stars": "rating", "text": "text", "name": "author"}[field]


@then(parsers.parse("nothing has been written of {shop}"))
def nothing_written(driver: Library, shop: str) -> None:
    assert reviews(driver, shop) == []


@then(parsers.re(r"one review of (?P<shop>\w+) is (?P<state>published|hidden), with (?P<rating>\d) stars?"))
def one_review(driver: Library, shop: str, state: str, rating: str) -> None:
    (record,) = reviews(driver, shop)
    assert (record.review.state, record.review.rating) == (ReviewState(state), int(rating))


@then(parsers.parse("of the one review of {shop} nothing is kept that was written"))
def nothing_kept(driver: Library, shop: str) -> None:
    (record,) = reviews(driver, shop)
    review = record.review
    assert (review.state, review.rating, review.text, review.author) == (ReviewState.WITHDRAWN, None, None, None)

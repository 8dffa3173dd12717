"""What customers think of a shop, and what everybody may see of that."""

from __future__ import annotations

import re

from features.drivers.answers import Scored, ShopPage
from features.drivers.library import Library
from features.steps.story import TEXT, Story, text
from features.steps.view import told
from pytest_bdd import given, parsers, then, when
from tests.links import token_of

from reviewinvite_core import HideReason, NewReply, OrderReport, Reported, ReviewDraft, ReviewLink, ReviewRecord
from reviewinvite_core.domain.links import Purpose

SCORE = r"(?P<mean>\d\.\d\d) from (?P<count>\d+) reviews?"


def numbers(words: str) -> list[int]:
    """The numbers in a list of words: 5, 4 and 1."""
    return [int(each) for each in re.findall(r"\d+", words)]


def write(driver: Library, story: Story, shop: str, rating: int, words: str | None = None) -> None:
    """Have the customer of a new order write."""
    number = len(story.reviews)
    order = OrderReport(email=f"rater{number}@example.com", order_number=f"rated {number}", delay=0)
    reported = driver.app.report_order(driver.app.act_for(shop), order)
    assert isinstance(reported, Reported)
    link = token_of(driver.app, reported.invite_id, Purpose.REVIEW)
    written = driver.app.write_review(link, ReviewDraft(rating=rating, text=words))
    assert isinstance(written, ReviewLink)
    assert written.review
    story.reviews.append(written.review.review_id)
    story.review_links.append(link)


def seen(story: Story) -> ShopPage:
    """The latest page, which has to be there."""
    page = story.pages[-1]
    assert page is not None
    return page


@given(parsers.re(r"customers of (?P<shop>\w+) rated it (?P<ratings>[\d, and]+)"), converters={"ratings": numbers})
@when(parsers.re(r"customers of (?P<shop>\w+) rate it (?P<ratings>[\d, and]+)"), converters={"ratings": numbers})
def customers_rate(driver: Library, story: Story, shop: str, ratings: list[int]) -> None:
    for rating in ratings:
        write(driver, story, shop, rating)


@given(parsers.parse("{count:d} customers of {shop} rated it, one a minute"))
def so_many_rated(driver: Library, story: Story, count: int, shop: str) -> None:
    for number in range(count):
        driver.clock.set(driver.clock.now().replace(minute=number))
        write(driver, story, shop, 5, f"review {number}")


@given(parsers.re(rf"a customer of (?P<shop>\w+) rated it (?P<rating>\d) and wrote (?P<words>{TEXT})"))
def customer_wrote(driver: Library, story: Story, shop: str, rating: str, words: str) -> None:
    write(driver, story, shop, int(rating), text(words))


@given(parsers.re(rf"(?P<shop>\w+) replied (?P<words>{TEXT})"))
def shop_replied(driver: Library, story: Story, shop: str, words: str) -> None:
    reply = NewReply(text=text(words))
    assert isinstance(driver.app.answer_review(driver.app.act_for(shop), story.reviews[-1], reply), ReviewRecord)


@when("the last of them is hidden by the operator")
def last_is_hidden(driver: Library, story: Story) -> None:
    assert isinstance(driver.app.hide_review(story.reviews[-1], HideReason.SPAM), ReviewRecord)


@when("the last of them is shown again")
def last_is_shown_again(driver: Library, story: Story) -> None:
    assert isinstance(driver.app.show_review_again(story.reviews[-1]), ReviewRecord)


@when("the last of them is withdrawn by its writer")
def last_is_withdrawn(driver: Library, story: Story) -> None:
    assert isinstance(driver.app.withdraw_review(story.review_links[-1]), ReviewLink)


@when(parsers.parse("the writer of the last of them now rates it {rating:d}"))
def last_is_changed(driver: Library, story: Story, rating: int) -> None:
    assert isinstance(driver.app.write_review(story.review_links[-1], ReviewDraft(rating=rating)), ReviewLink)


@when(parsers.parse("someone looks at the page of {shop}"))
def looks_at_page(driver: Library, story: Story, shop: str) -> None:
    story.pages.append(driver.look_at_page(shop))


@when(parsers.parse("they go on to the older reviews of {shop}"))
def looks_at_older(driver: Library, story: Story, shop: str) -> None:
    assert seen(story).older is not None
    story.pages.append(driver.look_at_page(shop, seen(story).older))


@then(parsers.re(rf"the score of the last 12 months is {SCORE}"))
def recent_is(story: Story, mean: str, count: str) -> None:
    assert seen(story).recent == Scored(mean=mean, count=int(count))


@then(parsers.re(rf"the score of all time is {SCORE}"))
def all_time_is(story: Story, mean: str, count: str) -> None:
    assert seen(story).all_time == Scored(mean=mean, count=int(count))


@then("there is no score of the last 12 months")
def no_recent(story: Story) -> None:
    assert seen(story).recent is None


@then("there is no score at all")
def no_score(story: Story) -> None:
    assert (seen(story).recent, seen(story).all_time, seen(story).reviews) == (None, None, ())


@then(parsers.re(r"from 1 to 5 there are (?P<counts>[\d, and]+) of each rating"), converters={"counts": numbers})
def by_rating(story: Story, counts: list[int]) -> None:
    assert list(seen(story).by_rating) == counts


@then(parsers.re(rf"the statement gives {SCORE}"))
def statement_gives(story: Story, mean: str, count: str) -> None:
    assert told(story).statement["rating"] == {"mean": mean, "count": int(count)}


@then(parsers.parse('the page is that of "{name}", which is {mark}'))
def page_is_of(story: Story, name: str, mark: str) -> None:
    assert (seen(story).name, seen(story).mark) == (name, mark)


@then("the shop has no page")
def no_page(story: Story) -> None:
    assert story.pages[-1] is None


@then(parsers.re(rf"the newest review is of (?P<day>\S+), rates (?P<rating>\d) and says (?P<words>{TEXT})"))
def newest_is(story: Story, day: str, rating: str, words: str) -> None:
    newest = seen(story).reviews[0]
    assert (newest.day, newest.rating, newest.text) == (day, int(rating), text(words))


@then("the newest review is by a customer who gave no name")
def newest_has_no_name(story: Story) -> None:
    assert seen(story).reviews[0].author is None


@then(parsers.re(rf"the shop replies to it (?P<words>{TEXT})"))
def newest_has_reply(story: Story, words: str) -> None:
    assert seen(story).reviews[0].reply == text(words)


@then(parsers.parse("it shows {count:d} reviews, from {first} to {last}"))
def shows_from_to(story: Story, count: int, first: str, last: str) -> None:
    texts = [each.text for each in seen(story).reviews]
    assert (len(texts), texts[0], texts[-1]) == (count, f"review {first}", f"review {last}")


@then("there are older reviews")
def has_older(story: Story) -> None:
    assert seen(story).older is not None


@then("there are no older reviews")
def has_no_older(story: Story) -> None:
    assert seen(story).older is None

"""What a shop reads of what its customers wrote, what it answers, and what it withdraws."""

from __future__ import annotations

from features.drivers.answers import ReadReview, Refused
from features.drivers.library import Library
from features.steps.story import TEXT, Story, text
from pytest_bdd import given, parsers, then, when

NAME = "Anna de Vries"


def the_review(driver: Library) -> str:
    (record,) = driver.reviews()
    return record.review.review_id


def read(story: Story) -> ReadReview:
    (review,) = story.read_reviews
    return review


@given(parsers.re(rf"the customer of that order has given (?P<stars>\d) stars and written (?P<words>{TEXT})"))
def has_written(driver: Library, story: Story, stars: str, words: str) -> None:
    driver.write_review(driver.link_to_review(story.latest.invite_id), int(stars), text(words) or "", NAME)


@when("the customer withdraws that review")
def withdraws_it(driver: Library, story: Story) -> None:
    driver.withdraw_review(driver.link_to_review(story.latest.invite_id))


@when("the operator hides that review")
def hides(driver: Library) -> None:
    driver.hide_review(the_review(driver))


@when(parsers.parse("the operator forgets {customer}, but keeps the reviews"))
def erases_and_keeps(driver: Library, customer: str) -> None:
    driver.app.erase_address(customer, keep_reviews=True)


@when(parsers.parse("{shop} reads its reviews"))
def reads(driver: Library, story: Story, shop: str) -> None:
    answer = driver.read_reviews(story.key_of(shop))
    assert not isinstance(answer, Refused)
    story.read_reviews = answer


@when(parsers.re(rf"(?P<shop>\w+) replies (?P<words>{TEXT}) to that review"))
def replies(driver: Library, story: Story, shop: str, words: str) -> None:
    story.shop_refused = driver.reply(story.key_of(shop), the_review(driver), text(words) or "")


@when(parsers.parse("{shop} withdraws that invitation"))
def withdraws(driver: Library, story: Story, shop: str) -> None:
    story.shop_refused = driver.cancel(story.key_of(shop), story.latest.invite_id)


@then(parsers.parse("the shop is refused with {code}"))
def is_refused(story: Story, code: str) -> None:
    assert story.shop_refused is not None
    assert story.shop_refused.code == code


@then(parsers.re(rf"it reads that order (?P<number>\S+) has (?P<stars>\d) stars and the text (?P<words>{TEXT})"))
def reads_it(story: Story, number: str, stars: str, words: str) -> None:
    one = read(story)
    assert (one.order_number, one.state, one.rating, one.text) == (number, "published", int(stars), text(words))


@then(parsers.parse("it reads that the review of order {number} is {state}, and no text"))
def reads_state(story: Story, number: str, state: str) -> None:
    one = read(story)
    assert (one.order_number, one.state, one.text, one.author) == (number, state, None, None)


@then("it reads of no review")
def reads_nothing(story: Story) -> None:
    assert story.read_reviews == []


@then(parsers.re(rf"it reads its own reply (?P<words>{TEXT})"))
def reads_reply(story: Story, words: str) -> None:
    assert read(story).reply == text(words)


@then("it reads no reply of its own")
def reads_no_reply(story: Story) -> None:
    assert read(story).reply is None


@then("no name stands under that review")
def is_nameless(driver: Library) -> None:
    (record,) = driver.reviews()
    assert record.review.author is None

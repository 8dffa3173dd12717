"""What a shop reads of what its customers wrote, what it answers, and what it withdraws."""

from __future__ import annotations

from features.drivers.base import Driver
from features.drivers.values import MerchantReview, Rejected
from features.steps.context import TEXT, ScenarioContext, text
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import accepted

NAME = "Anna de Vries"


def only_review_id(driver: Driver) -> str:
    """Return the id of the one review that there is."""
    (record,) = driver.reviews()
    return record.review.review_id


def only_review_read(context: ScenarioContext) -> MerchantReview:
    """Return the one review that the shop has read."""
    (review,) = context.merchant_reviews
    return review


@given(parsers.re(rf"the customer of that order has given (?P<stars>\d) stars and written (?P<words>{TEXT})"))
def has_written(driver: Driver, context: ScenarioContext, stars: str, words: str) -> None:
    driver.write_review(driver.review_token(context.latest_invitation.invite_id), int(stars), text(words), NAME)


@when("the customer withdraws that review")
def withdraws_it(driver: Driver, context: ScenarioContext) -> None:
    driver.withdraw_review(driver.review_token(context.latest_invitation.invite_id))


@when("the operator hides that review")
def hides(driver: Driver) -> None:
    driver.hide_review(only_review_id(driver))


@when(parsers.parse("the operator forgets {customer}, but keeps the reviews"))
def erases_and_keeps(driver: Driver, customer: str) -> None:
    driver.app.privacy.erase_address(customer, keep_reviews=True)


@when(parsers.parse("{shop} reads its reviews"))
def reads(driver: Driver, context: ScenarioContext, shop: str) -> None:
    reviews = driver.read_reviews(context.key_of(shop))
    assert not isinstance(reviews, Rejected)
    context.merchant_reviews = reviews


@when(parsers.re(rf"(?P<shop>\w+) replies (?P<words>{TEXT}) to that review"))
def replies(driver: Driver, context: ScenarioContext, shop: str, words: str) -> None:
    context.merchant_rejection = driver.reply(context.key_of(shop), only_review_id(driver), text(words))


@when(parsers.parse("{shop} withdraws that invitation"))
def withdraws(driver: Driver, context: ScenarioContext, shop: str) -> None:
    context.merchant_rejection = driver.cancel(context.key_of(shop), context.latest_invitation.invite_id)


@then(parsers.parse("{shop} finds the order {number} among the {state}"))
def finds(driver: Driver, context: ScenarioContext, shop: str, number: str, state: str) -> None:
    assert driver.order_numbers_in(context.key_of(shop), state) == [number]


@then(parsers.parse("the shop is refused with {code}"))
def is_refused(context: ScenarioContext, code: str) -> None:
    assert context.merchant_rejection is not None
    assert context.merchant_rejection.code == code


@then(parsers.re(rf"it reads that order (?P<number>\S+) has (?P<stars>\d) stars and the text (?P<words>{TEXT})"))
def reads_it(context: ScenarioContext, number: str, stars: str, words: str) -> None:
    one = only_review_read(context)
    assert (one.order_number, one.state, one.rating, one.text) == (number, "published", int(stars), text(words))


@then(parsers.parse("it reads that the review of order {number} is {state}, and no text"))
def reads_state(context: ScenarioContext, number: str, state: str) -> None:
    one = only_review_read(context)
    assert (one.order_number, one.state, one.text, one.author) == (number, state, None, None)


@then("it reads of no review")
def reads_nothing(context: ScenarioContext) -> None:
    assert context.merchant_reviews == []


@then(parsers.re(rf"it reads its own reply (?P<words>{TEXT})"))
def reads_reply(context: ScenarioContext, words: str) -> None:
    assert only_review_read(context).reply == text(words)


@then("it reads no reply of its own")
def reads_no_reply(context: ScenarioContext) -> None:
    assert only_review_read(context).reply is None


@then("no name stands under that review")
def is_nameless(driver: Driver) -> None:
    (record,) = driver.reviews()
    assert record.review.author is None


FIELDS = {"the name": "name", "the address for replies": "replyTo"}


@when(parsers.parse("{shop}'s program sets the delay to {days:g} days"))
def sets_delay(driver: Driver, context: ScenarioContext, shop: str, days: float) -> None:
    context.merchant_rejection = driver.change_settings(context.key_of(shop), delayDays=days)


@when(parsers.re(rf"(?P<shop>\w+)'s program sets (?P<what>the name|the address for replies) to (?P<words>{TEXT})"))
def sets_text(driver: Driver, context: ScenarioContext, shop: str, what: str, words: str) -> None:
    context.merchant_rejection = driver.change_settings(context.key_of(shop), **{FIELDS[what]: text(words)})


@then(parsers.re(rf"(?P<shop>\w+) is still called (?P<words>{TEXT})"))
def is_still_called(driver: Driver, shop: str, words: str) -> None:
    assert accepted(driver.app.shops.show(shop)).name == text(words)


@when(parsers.parse("{shop}'s program sets a {theme} and {size} badge"))
def sets_badge(driver: Driver, context: ScenarioContext, shop: str, theme: str, size: str) -> None:
    context.merchant_rejection = driver.set_badge(context.key_of(shop), theme, size)


@then(parsers.parse("{shop} has a {theme} and {size} badge"))
def has_badge(driver: Driver, shop: str, theme: str, size: str) -> None:
    badge = accepted(driver.app.shops.show(shop)).badge
    assert (badge.theme, badge.size) == (theme, size)


@when(parsers.parse("{shop}'s program adds the domain {host}"))
def adds_domain(driver: Driver, context: ScenarioContext, shop: str, host: str) -> None:
    context.merchant_rejection = driver.add_domain(context.key_of(shop), host)


@when(parsers.parse("{shop}'s program has {host} checked"))
def has_domain_checked(driver: Driver, context: ScenarioContext, shop: str, host: str) -> None:
    context.merchant_rejection = driver.check_domain(context.key_of(shop), host)


@then(parsers.parse("{shop}'s domain is {status}"))
def domain_is(driver: Driver, shop: str, status: str) -> None:
    (domain,) = accepted(driver.app.domains.list(shop))
    assert domain.status == status

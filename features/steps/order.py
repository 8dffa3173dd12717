"""Orders, as shops report them: with their first API key, unless a scenario says otherwise."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import attrs
from features.drivers.answers import Order, Scheduled
from features.drivers.library import Library
from features.steps.shop import LANGUAGES
from features.steps.story import TEXT, Story, text
from pytest_bdd import given, parsers, then, when

SAME_TIME = 8

WORDS_OF_AN_ORDER = re.compile(
    rf"(?:order (?P<number>{TEXT}) of (?P<email>{TEXT})|an order of (?P<customer>{TEXT}) without a number)"
    rf"(?: in (?:(?P<language>Dutch|English)|language (?P<code>{TEXT})))?"
    r"(?: with a delay of (?P<days>\S+) days?)?"
)
AN_ORDER = re.sub(r"\?P<\w+>", "?:", WORDS_OF_AN_ORDER.pattern)
A_REPORT = rf"(?P<order>{AN_ORDER})(?: with its (?P<which>first|second) key)?"


def order_in(words: str) -> Order:
    """The order that the words of a scenario tell of."""
    told = WORDS_OF_AN_ORDER.fullmatch(words)
    assert told is not None
    return Order(
        email=text(told["email"] or told["customer"]),
        number=text(told["number"]),
        language=LANGUAGES[told["language"]] if told["language"] else text(told["code"]),
        delay_days=float(told["days"]) if told["days"] else None,
    )


def tell(driver: Library, story: Story, order: Order, key: str) -> None:
    """Report the order with the key, and keep the answer."""
    story.told.append((order, key))
    story.answers.append(driver.report(order, key))


@given(parsers.re(rf"(?P<shop>\w+) has reported {A_REPORT}"), converters={"order": order_in})
def has_reported(driver: Library, story: Story, shop: str, order: Order, which: str | None) -> None:
    tell(driver, story, order, story.key_of(shop, which))
    assert not story.latest.duplicate


@when(parsers.re(rf"(?P<shop>\w+) reports {A_REPORT}"), converters={"order": order_in})
def reports(driver: Library, story: Story, shop: str, order: Order, which: str | None) -> None:
    tell(driver, story, order, story.key_of(shop, which))


@when(parsers.parse("{shop} reports it again"))
def reports_again(driver: Library, story: Story, shop: str) -> None:
    order, _ = story.told[-1]
    tell(driver, story, order, story.key_of(shop))


@when(
    parsers.re(rf"(?P<shop>\w+) reports (?P<order>{AN_ORDER}), and the answer is lost"), converters={"order": order_in}
)
def reports_and_the_answer_is_lost(driver: Library, story: Story, shop: str, order: Order) -> None:
    driver.report_and_lose_the_answer(order, story.key_of(shop))
    story.told.append((order, story.key_of(shop)))


@when(parsers.parse("{shop} reports an order whose number has {length:d} characters"))
def reports_a_long_number(driver: Library, story: Story, shop: str, length: int) -> None:
    tell(driver, story, Order(email="anna@example.com", number="1" * length), story.key_of(shop))


@when(parsers.parse("{shop} reports an order of an address with {length:d} characters before the @"))
def reports_a_long_address(driver: Library, story: Story, shop: str, length: int) -> None:
    tell(driver, story, Order(email="a" * length + "@example.com", number="1001"), story.key_of(shop))


@given(parsers.re(r"(?P<shop>\w+) has reported (?P<count>\d+) orders?"), converters={"count": int})
def has_reported_many(driver: Library, story: Story, shop: str, count: int) -> None:
    reports_many(driver, story, shop, count)
    all_accepted(story)


@when(parsers.re(r"(?P<shop>\w+) reports (?P<count>\d+) orders"), converters={"count": int})
def reports_many(driver: Library, story: Story, shop: str, count: int) -> None:
    story.answers.clear()
    for _ in range(count):
        tell(driver, story, story.next_order(), story.key_of(shop))


@when(parsers.parse("{shop} reports one more order"))
def reports_one_more(driver: Library, story: Story, shop: str) -> None:
    tell(driver, story, story.next_order(), story.key_of(shop))


@when(parsers.parse("{shop} reports {count:d} orders at the same time"))
def reports_many_at_once(driver: Library, story: Story, shop: str, count: int) -> None:
    at_once(driver, story, shop, [story.next_order() for _ in range(count)])


@when(parsers.parse("{shop} reports order {number} of {email} {count:d} times at the same moment"))
def reports_one_many_times_at_once(
    driver: Library, story: Story, shop: str, number: str, email: str, count: int
) -> None:
    at_once(driver, story, shop, [Order(email=email, number=number)] * count)


def at_once(driver: Library, story: Story, shop: str, orders: list[Order]) -> None:
    key = story.key_of(shop)
    with ThreadPoolExecutor(SAME_TIME) as clients:
        story.answers[:] = clients.map(lambda order: driver.report(order, key), orders)


@when(parsers.parse("a program that embeds the service reports {count:d} orders of {shop}"))
def an_embedder_reports(driver: Library, story: Story, shop: str, count: int) -> None:
    story.answers[:] = [driver.report_for(shop, story.next_order()) for _ in range(count)]


@then("it is a new order")
def is_new(story: Story) -> None:
    earlier = story.accepted[:-1]
    assert not story.latest.duplicate
    assert story.latest.invite_id not in {answer.invite_id for answer in earlier}


@then("it is the same order")
def is_the_same(story: Story) -> None:
    first = story.accepted[0]
    assert story.latest is not first, "nothing was reported twice"
    assert story.latest == attrs.evolve(first, duplicate=True)


@then("it was reported before")
def was_reported_before(story: Story) -> None:
    assert story.latest.duplicate


@then("one report is a new order, and all others are told of its invitation")
def one_is_new(story: Story) -> None:
    assert len(story.accepted) == len(story.answers) > 1
    assert [answer.duplicate for answer in story.accepted].count(False) == 1
    assert len({(answer.invite_id, answer.scheduled_for) for answer in story.accepted}) == 1


@then("all of them are accepted")
def all_accepted(story: Story) -> None:
    assert story.answers
    assert all(isinstance(answer, Scheduled) for answer in story.answers)


@then(parsers.re(r"(?P<accepted>\d+) of them are accepted, and (?P<refused>\d+) (?:is|are) refused"))
def so_many_accepted(story: Story, accepted: str, refused: str) -> None:
    assert len(story.accepted) == int(accepted)
    assert len(story.answers) - len(story.accepted) == int(refused)

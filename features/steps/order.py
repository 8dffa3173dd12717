"""Orders, as shops report them: with their first API key, unless a scenario says otherwise."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import attrs
from features.drivers.base import Driver
from features.drivers.library import LibraryDriver
from features.drivers.values import Order, Scheduled
from features.steps.context import TEXT, ScenarioContext, text
from features.steps.shop import LANGUAGES
from pytest_bdd import given, parsers, then, when

CLIENTS = 8

ORDER_PATTERN = re.compile(
    rf"(?:order (?P<number>{TEXT}) of (?P<email>{TEXT})|an order of (?P<customer>{TEXT}) without a number)"
    rf"(?: in (?:(?P<language>Dutch|English)|language (?P<code>{TEXT})))?"
    r"(?: with a delay of (?P<days>\S+) days?)?"
)
AN_ORDER = re.sub(r"\?P<\w+>", "?:", ORDER_PATTERN.pattern)
A_REPORT = rf"(?P<order>{AN_ORDER})(?: with its (?P<which>first|second) key)?"


def parse_order(words: str) -> Order:
    """Return the order that the words of a scenario stand for."""
    match = ORDER_PATTERN.fullmatch(words)
    assert match is not None
    code = LANGUAGES[match["language"]] if match["language"] else match["code"]
    return Order(
        email=text(match["email"] or match["customer"]),
        number=text(match["number"]) if match["number"] else None,
        language=text(code) if code else None,
        delay_days=float(match["days"]) if match["days"] else None,
    )


def report(driver: Driver, context: ScenarioContext, order: Order, key: str) -> None:
    """Report the order with the key, and keep the result."""
    context.reports.append((order, key))
    context.results.append(driver.report(order, key))


@given(parsers.re(rf"(?P<shop>\w+) has reported {A_REPORT}"), converters={"order": parse_order})
def has_reported(driver: Driver, context: ScenarioContext, shop: str, order: Order, which: str | None) -> None:
    report(driver, context, order, context.key_of(shop, which))
    assert not context.latest_invitation.duplicate


@when(parsers.re(rf"(?P<shop>\w+) reports {A_REPORT}"), converters={"order": parse_order})
def reports(driver: Driver, context: ScenarioContext, shop: str, order: Order, which: str | None) -> None:
    report(driver, context, order, context.key_of(shop, which))


@when(parsers.parse("{shop} reports it again"))
def reports_again(driver: Driver, context: ScenarioContext, shop: str) -> None:
    order, _ = context.reports[-1]
    report(driver, context, order, context.key_of(shop))


@when(
    parsers.re(rf"(?P<shop>\w+) reports (?P<order>{AN_ORDER}), and the answer is lost"),
    converters={"order": parse_order},
)
def reports_and_the_answer_is_lost(driver: Driver, context: ScenarioContext, shop: str, order: Order) -> None:
    driver.report_and_lose_response(order, context.key_of(shop))
    context.reports.append((order, context.key_of(shop)))


@when(parsers.parse("{shop} reports an order whose number has {length:d} characters"))
def reports_a_long_number(driver: Driver, context: ScenarioContext, shop: str, length: int) -> None:
    report(driver, context, Order(email="anna@example.com", number="1" * length), context.key_of(shop))


@when(parsers.parse("{shop} reports an order of an address with {length:d} characters before the @"))
def reports_a_long_address(driver: Driver, context: ScenarioContext, shop: str, length: int) -> None:
    report(driver, context, Order(email="a" * length + "@example.com", number="1001"), context.key_of(shop))


@given(parsers.re(r"(?P<shop>\w+) has reported (?P<count>\d+) orders?"), converters={"count": int})
def has_reported_many(driver: Driver, context: ScenarioContext, shop: str, count: int) -> None:
    reports_many(driver, context, shop, count)
    all_accepted(context)


@when(parsers.re(r"(?P<shop>\w+) reports (?P<count>\d+) orders"), converters={"count": int})
def reports_many(driver: Driver, context: ScenarioContext, shop: str, count: int) -> None:
    context.results.clear()
    for _ in range(count):
        report(driver, context, context.next_order(), context.key_of(shop))


@when(parsers.parse("{shop} reports one more order"))
def reports_one_more(driver: Driver, context: ScenarioContext, shop: str) -> None:
    report(driver, context, context.next_order(), context.key_of(shop))


@when(parsers.parse("{shop} reports {count:d} orders at the same time"))
def reports_many_at_once(driver: Driver, context: ScenarioContext, shop: str, count: int) -> None:
    report_at_once(driver, context, shop, [context.next_order() for _ in range(count)])


@when(parsers.parse("{shop} reports order {number} of {email} {count:d} times at the same moment"))
def reports_one_many_times_at_once(
    driver: Driver, context: ScenarioContext, shop: str, number: str, email: str, count: int
) -> None:
    report_at_once(driver, context, shop, [Order(email=email, number=number)] * count)


def report_at_once(driver: Driver, context: ScenarioContext, shop: str, orders: list[Order]) -> None:
    key = context.key_of(shop)
    with ThreadPoolExecutor(CLIENTS) as clients:
        context.results[:] = clients.map(lambda order: driver.report(order, key), orders)


@when(parsers.parse("a program that embeds the service reports {count:d} orders of {shop}"))
def an_embedder_reports(driver: LibraryDriver, context: ScenarioContext, shop: str, count: int) -> None:
    context.results[:] = [driver.report_embedded(shop, context.next_order()) for _ in range(count)]


@then("it is a new order")
def is_new(context: ScenarioContext) -> None:
    earlier = context.scheduled[:-1]
    assert not context.latest_invitation.duplicate
    assert context.latest_invitation.invite_id not in {result.invite_id for result in earlier}


@then("it is the same order")
def is_the_same(context: ScenarioContext) -> None:
    first = context.scheduled[0]
    assert context.latest_invitation is not first, "nothing was reported twice"
    assert context.latest_invitation == attrs.evolve(first, duplicate=True)


@then("it was reported before")
def was_reported_before(context: ScenarioContext) -> None:
    assert context.latest_invitation.duplicate


@then("one report is a new order, and all others get its invitation")
def one_is_new(context: ScenarioContext) -> None:
    assert len(context.scheduled) == len(context.results) > 1
    assert [result.duplicate for result in context.scheduled].count(False) == 1
    assert len({(result.invite_id, result.scheduled_for) for result in context.scheduled}) == 1


@then("all of them are accepted")
def all_accepted(context: ScenarioContext) -> None:
    assert context.results
    assert all(isinstance(result, Scheduled) for result in context.results)


@then(parsers.re(r"(?P<accepted>\d+) of them are accepted, and (?P<refused>\d+) (?:is|are) refused"))
def counts_accepted_and_refused(context: ScenarioContext, accepted: str, refused: str) -> None:
    assert len(context.scheduled) == int(accepted)
    assert len(context.results) - len(context.scheduled) == int(refused)

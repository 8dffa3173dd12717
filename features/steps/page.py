"""Pages in customers' browsers, as they tell of orders."""

from __future__ import annotations

from collections.abc import Iterable

from features.drivers.base import Driver
from features.drivers.http import SNIPPET, HttpDriver
from features.drivers.values import Acknowledged, BrowserPage, Order
from features.steps.context import TEXT, ScenarioContext, text
from features.steps.order import AN_ORDER, parse_order
from pytest_bdd import given, parsers, then, when

NO_ORIGIN = "nowhere"
PAGE_REPORTS = rf"a page of (?P<origin>{TEXT}) (?:tells|has told) of (?P<order>{AN_ORDER}) at (?P<shop>\w+)"


def report(driver: Driver, context: ScenarioContext, page: BrowserPage, shop: str, order: Order) -> None:
    """Have the page report an order, and keep the result."""
    context.page_reports.append((page, shop, order))
    context.results.append(driver.report_from_page(page, shop, order))


def report_all(
    driver: Driver, context: ScenarioContext, shop: str, orders: Iterable[tuple[BrowserPage, Order]]
) -> None:
    context.results.clear()
    for page, order in orders:
        report(driver, context, page, shop, order)


def own_page(shop: str, number: int = 9) -> BrowserPage:
    """A page of the host that a scenario gives each shop: `bakkerij.nl`; each number is another browser."""
    return BrowserPage(origin=f"https://{shop}.nl", address=f"203.0.{number // 250}.{number % 250}")


@given(parsers.parse("{host} is a verified host of {shop}"))
def is_verified(driver: Driver, host: str, shop: str) -> None:
    driver.verify_host(shop, host)


@given(parsers.re(PAGE_REPORTS.replace("(?:tells|has told)", "has told")), converters={"order": parse_order})
@when(parsers.re(PAGE_REPORTS.replace("(?:tells|has told)", "tells")), converters={"order": parse_order})
def page_reports(driver: Driver, context: ScenarioContext, origin: str, order: Order, shop: str) -> None:
    report(driver, context, BrowserPage(origin=None if origin == NO_ORIGIN else text(origin)), shop, order)


@when("the page tells of it again")
def page_reports_again(driver: Driver, context: ScenarioContext) -> None:
    report(driver, context, *context.page_reports[-1])


@when(parsers.parse("the page tells of it {count:d} times more"))
def page_reports_often(driver: Driver, context: ScenarioContext, count: int) -> None:
    for _ in range(count):
        report(driver, context, *context.page_reports[-1])


@given(parsers.re(r"a browser has told (?P<shop>\w+) of (?P<count>\d+) orders?"), converters={"count": int})
@when(parsers.re(r"a browser tells (?P<shop>\w+) of (?P<count>\d+) orders?"), converters={"count": int})
def a_browser_reports(driver: Driver, context: ScenarioContext, shop: str, count: int) -> None:
    report_all(driver, context, shop, [(own_page(shop), context.next_order()) for _ in range(count)])


@given(parsers.re(r"(?P<count>\d+) browsers have told (?P<shop>\w+) of an order each"), converters={"count": int})
@when(parsers.re(r"(?P<count>\d+) browsers tell (?P<shop>\w+) of an order each"), converters={"count": int})
def browsers_report(driver: Driver, context: ScenarioContext, shop: str, count: int) -> None:
    report_all(driver, context, shop, [(own_page(shop, number), context.next_order()) for number in range(count)])


@given(
    parsers.re(rf"(?P<count>\d+) browsers have told (?P<shop>\w+) of another order of (?P<email>{TEXT}) each"),
    converters={"count": int},
)
@when(
    parsers.re(rf"(?P<count>\d+) browsers tell (?P<shop>\w+) of another order of (?P<email>{TEXT}) each"),
    converters={"count": int},
)
def browsers_report_one_customer(driver: Driver, context: ScenarioContext, shop: str, count: int, email: str) -> None:
    orders = [Order(email=text(email), number=str(next(context.order_numbers))) for _ in range(count)]
    report_all(driver, context, shop, [(own_page(shop, number), order) for number, order in enumerate(orders)])


@when("a browser asks whether a page of any origin may tell of orders")
def asks_before(driver: HttpDriver, context: ScenarioContext) -> None:
    headers = {"Origin": "https://anywhere.nl", "Access-Control-Request-Method": "POST"}
    context.response = driver.request("OPTIONS", SNIPPET, None, headers)


@when(parsers.parse("a page of {origin} sends {body}"))
def sends(driver: HttpDriver, context: ScenarioContext, origin: str, body: str) -> None:
    context.response = driver.post_from_page(BrowserPage(origin=origin), body.encode())


@then("it is acknowledged")
def is_acknowledged(context: ScenarioContext) -> None:
    assert context.results[-1] == Acknowledged()


@then("all of them are acknowledged")
def all_acknowledged(context: ScenarioContext) -> None:
    assert len(context.acknowledged) == len(context.results) > 0


@then(
    parsers.re(r"(?P<acknowledged>\d+) of them are acknowledged, and (?P<refused>\d+) (?:is|are) refused"),
    converters={"acknowledged": int, "refused": int},
)
def counts_acknowledged_and_refused(context: ScenarioContext, acknowledged: int, refused: int) -> None:
    assert (len(context.acknowledged), len(context.results)) == (acknowledged, acknowledged + refused)

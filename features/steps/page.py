"""Pages in customers' browsers, as they tell of orders."""

from __future__ import annotations

from collections.abc import Iterable

from features.drivers.answers import Acknowledged, Order, Page
from features.drivers.http import SNIPPET, OverHttp
from features.drivers.library import Library
from features.steps.order import AN_ORDER, order_in
from features.steps.story import TEXT, Story, text
from pytest_bdd import given, parsers, then, when

NO_ORIGIN = {"nowhere": None}
A_TELLING = rf"a page of (?P<origin>{TEXT}) (?:tells|has told) of (?P<order>{AN_ORDER}) at (?P<shop>\w+)"


def tell(driver: Library, story: Story, page: Page, shop: str, order: Order) -> None:
    """Have the page tell of an order, and keep the answer."""
    story.shown.append((page, shop, order))
    story.answers.append(driver.tell_from(page, shop, order))


def tell_all(driver: Library, story: Story, shop: str, told: Iterable[tuple[Page, Order]]) -> None:
    story.answers.clear()
    for page, order in told:
        tell(driver, story, page, shop, order)


def own_page(shop: str, number: int = 9) -> Page:
    """A page of the host that a scenario gives each shop: `bakkerij.nl`; each number is another browser."""
    return Page(origin=f"https://{shop}.nl", address=f"203.0.{number // 250}.{number % 250}")


@given(parsers.parse("{host} is a verified host of {shop}"))
def is_verified(driver: Library, host: str, shop: str) -> None:
    driver.verify_host(shop, host)


@given(parsers.re(A_TELLING.replace("(?:tells|has told)", "has told")), converters={"order": order_in})
@when(parsers.re(A_TELLING.replace("(?:tells|has told)", "tells")), converters={"order": order_in})
def page_tells(driver: Library, story: Story, origin: str, order: Order, shop: str) -> None:
    where = text(origin)
    tell(driver, story, Page(origin=NO_ORIGIN.get(str(where), where)), shop, order)


@when("the page tells of it again")
def page_tells_again(driver: Library, story: Story) -> None:
    tell(driver, story, *story.shown[-1])


@given(parsers.re(r"a browser has told (?P<shop>\w+) of (?P<count>\d+) orders?"), converters={"count": int})
@when(parsers.re(r"a browser tells (?P<shop>\w+) of (?P<count>\d+) orders?"), converters={"count": int})
def a_browser_tells(driver: Library, story: Story, shop: str, count: int) -> None:
    tell_all(driver, story, shop, [(own_page(shop), story.next_order()) for _ in range(count)])


@given(parsers.re(r"(?P<count>\d+) browsers have told (?P<shop>\w+) of an order each"), converters={"count": int})
@when(parsers.re(r"(?P<count>\d+) browsers tell (?P<shop>\w+) of an order each"), converters={"count": int})
def browsers_tell(driver: Library, story: Story, shop: str, count: int) -> None:
    tell_all(driver, story, shop, [(own_page(shop, number), story.next_order()) for number in range(count)])


@given(
    parsers.re(rf"(?P<count>\d+) browsers have told (?P<shop>\w+) of another order of (?P<email>{TEXT}) each"),
    converters={"count": int},
)
@when(
    parsers.re(rf"(?P<count>\d+) browsers tell (?P<shop>\w+) of another order of (?P<email>{TEXT}) each"),
    converters={"count": int},
)
def browsers_tell_of_one_customer(driver: Library, story: Story, shop: str, count: int, email: str) -> None:
    orders = [Order(email=str(text(email)), number=str(next(story.numbers))) for _ in range(count)]
    tell_all(driver, story, shop, [(own_page(shop, number), order) for number, order in enumerate(orders)])


@when("a browser asks whether a page of any origin may tell of orders")
def asks_before(driver: OverHttp, story: Story) -> None:
    asked = {"Origin": "https://anywhere.nl", "Access-Control-Request-Method": "POST"}
    story.response = driver.ask("OPTIONS", SNIPPET, None, asked)


@when(parsers.parse("a page of {origin} sends {body}"))
def sends(driver: OverHttp, story: Story, origin: str, body: str) -> None:
    story.response = driver.send_from(Page(origin=origin), body.encode())


@then("it is acknowledged")
def is_acknowledged(story: Story) -> None:
    assert story.answers[-1] == Acknowledged()


@then("all of them are acknowledged")
def all_acknowledged(story: Story) -> None:
    assert len(story.acknowledged) == len(story.answers) > 0


@then(
    parsers.re(r"(?P<acknowledged>\d+) of them are acknowledged, and (?P<refused>\d+) (?:is|are) refused"),
    converters={"acknowledged": int, "refused": int},
)
def so_many_acknowledged(story: Story, acknowledged: int, refused: int) -> None:
    assert (len(story.acknowledged), len(story.answers)) == (acknowledged, acknowledged + refused)

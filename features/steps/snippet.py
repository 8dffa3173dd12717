"""Which orders a shop takes from pages, and how its server signs them."""

from __future__ import annotations

import attrs
from features.drivers.base import Driver
from features.drivers.values import BrowserPage, Order
from features.steps.context import ScenarioContext, text
from features.steps.order import parse_order
from features.steps.page import PAGE_REPORTS, report
from pytest_bdd import given, parsers, then, when
from tests.snippet_signature import signed_with

from reviewinvite_core import ShopChanges, accepted
from reviewinvite_core.values import SnippetMode

PLACES = {"its secret": -1, "the secret before it": -2, "its first secret": 0}
SIGNED_PAGE = PAGE_REPORTS + f", signed with (?P<which>nothing|another secret|{'|'.join(PLACES)})"


def signature(context: ScenarioContext, shop: str, order: Order, which: str) -> str | None:
    """Return what the shop's server writes on the page."""
    if which == "nothing":
        return None
    secret = "rvs_of_somebody_else" if which == "another secret" else context.snippet_secrets[shop][PLACES[which]]
    return signed_with(secret, shop, order.email, order.number or "")


@given(parsers.parse("{shop} has a snippet secret"))
def has_secret(driver: Driver, context: ScenarioContext, shop: str) -> None:
    context.snippet_secrets[shop] = [accepted(driver.app.shops.snippet_secret(shop)).text]


@given(parsers.parse("{shop} has replaced its snippet secret"))
@when(parsers.parse("{shop} replaces its snippet secret"))
def replaces_secret(driver: Driver, context: ScenarioContext, shop: str) -> None:
    context.snippet_secrets[shop].append(accepted(driver.app.shops.snippet_secret(shop, rotate=True)).text)


@given(parsers.re(SIGNED_PAGE.replace("(?:tells|has told)", "has told")), converters={"order": parse_order})
@when(parsers.re(SIGNED_PAGE.replace("(?:tells|has told)", "tells")), converters={"order": parse_order})
def signed_page_reports(
    driver: Driver, context: ScenarioContext, origin: str, order: Order, shop: str, which: str
) -> None:
    signed = attrs.evolve(order, signature=signature(context, shop, order, which))
    report(driver, context, BrowserPage(origin=text(origin)), shop, signed)


@given(parsers.parse("{shop} takes signed orders only"))
def takes_signed(driver: Driver, shop: str) -> None:
    accepted(driver.app.shops.update(shop, ShopChanges(snippet=SnippetMode.SIGNED)))


@when(parsers.re(r"(?P<shop>\w+)'s program sets its snippet to (?P<mode>open|signed|off)"))
def sets_snippet(driver: Driver, context: ScenarioContext, shop: str, mode: str) -> None:
    context.merchant_rejection = driver.change_settings(context.key_of(shop), snippet=mode)


@then(parsers.parse("{count:d} wrong signatures came to {shop} today"))
def wrong_signatures_came(driver: Driver, count: int, shop: str) -> None:
    assert accepted(driver.app.orders.show_snippets(shop)).wrong_signatures == count

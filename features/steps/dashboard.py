"""What a merchant does with the pages of the dashboard alone."""

from __future__ import annotations

from features.drivers.http import HttpDriver
from features.drivers.http_browser import HttpBrowser
from features.drivers.values import Order
from features.steps.context import TEXT, ScenarioContext, text
from features.steps.order import report
from features.steps.sign_in import browser_of
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import NewShop, accepted
from reviewinvite_core.values import ProofWay

WHO = r"(?P<who>\S+@\S+)"


def pages_of(driver: HttpDriver, context: ScenarioContext, who: str) -> HttpBrowser:
    """Return the browser in which this person uses the dashboard."""
    browser = browser_of(driver, context, who)
    assert isinstance(browser, HttpBrowser)
    return browser


@given(parsers.re(r"the shop (?P<shop>\w+)"))
def a_bare_shop(driver: HttpDriver, shop: str) -> None:
    accepted(driver.app.shops.add(NewShop(site_id=shop, name=shop.title())))


@when(parsers.re(rf"{WHO} adds (?P<host>\S+) to (?P<shop>\w+), and publishes what the page shows"))
def adds_domain(driver: HttpDriver, context: ScenarioContext, who: str, host: str, shop: str) -> None:
    proof = pages_of(driver, context, who).add_domain(shop, host)
    driver.proofs.published[host, proof] = ProofWay.DNS


@when(parsers.re(rf"{WHO} has (?P<host>\S+) of (?P<shop>\w+) checked"))
def has_checked(driver: HttpDriver, context: ScenarioContext, who: str, host: str, shop: str) -> None:
    context.domain_result = pages_of(driver, context, who).is_proved(shop, host)


@when(parsers.re(rf"{WHO} makes a key for the web shop of (?P<shop>\w+)"))
def makes_first_key(driver: HttpDriver, context: ScenarioContext, who: str, shop: str) -> None:
    context.printed_key = pages_of(driver, context, who).new_key(shop)


@when(parsers.re(rf"the web shop of (?P<shop>\w+) reports order (?P<number>\S+) of (?P<customer>{TEXT})"))
def web_shop_reports(driver: HttpDriver, context: ScenarioContext, number: str, customer: str) -> None:
    assert context.printed_key
    report(driver, context, Order(email=text(customer), number=number), context.printed_key)


@when(parsers.re(rf"{WHO} sends the invitation of (?P<shop>\w+) at once"))
def sends_now(driver: HttpDriver, context: ScenarioContext, who: str, shop: str) -> None:
    pages_of(driver, context, who).send_now(shop, context.latest_invitation.invite_id)


@when(parsers.re(rf"{WHO} replies (?P<words>{TEXT}) in the dashboard of (?P<shop>\w+)"))
def replies_there(driver: HttpDriver, context: ScenarioContext, who: str, words: str, shop: str) -> None:
    pages_of(driver, context, who).reply(shop, text(words))


@then(parsers.re(rf"(?P<count>\d) steps are left for {WHO} at (?P<shop>\w+)"))
def steps_are_left(driver: HttpDriver, context: ScenarioContext, count: str, who: str, shop: str) -> None:
    assert pages_of(driver, context, who).steps_left(shop) == int(count)


@then("the page says that it is verified")
def is_verified(context: ScenarioContext) -> None:
    assert context.domain_result is True


@then(parsers.re(rf"everybody reads the reply (?P<words>{TEXT}) on the page of (?P<shop>\w+)"))
def everybody_reads(driver: HttpDriver, words: str, shop: str) -> None:
    page = driver.open_shop_page(shop)
    assert page
    assert [review.reply for review in page.reviews] == [text(words)]

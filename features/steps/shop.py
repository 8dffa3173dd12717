"""Shops, as the operator makes and changes them."""

from __future__ import annotations

from typing import Any

from features.drivers.base import Driver
from features.steps.context import ScenarioContext
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import NewShop, ShopChanges, accepted

LANGUAGES = {"Dutch": "nl", "English": "en"}


def change(driver: Driver, shop: str, **changes: Any) -> None:
    accepted(driver.app.shops.update(shop, ShopChanges(**changes)))


@given(parsers.parse("the shop {shop} with an API key"))
def a_shop(driver: Driver, context: ScenarioContext, shop: str) -> None:
    accepted(driver.app.shops.add(NewShop(site_id=shop, name=shop.title())))
    context.api_keys[shop] = [accepted(driver.app.api_keys.create(shop, "first"))]


@given(parsers.parse('{shop} is called "{name}"'))
def is_called(driver: Driver, shop: str, name: str) -> None:
    change(driver, shop, name=name)


@given(parsers.re(r"(?P<shop>\w+) writes to its customers in (?P<language>Dutch|English)"))
def writes_in(driver: Driver, shop: str, language: str) -> None:
    change(driver, shop, language=LANGUAGES[language])


@given(parsers.parse("{shop} has given {address} for replies"))
def has_replies_sent_to(driver: Driver, shop: str, address: str) -> None:
    change(driver, shop, reply_to=address)


@given(parsers.parse("{shop} has taken its address for replies away"))
def has_no_replies_sent(driver: Driver, shop: str) -> None:
    change(driver, shop, reply_to="")


@given(parsers.parse("{shop} invites its customers after {days:g} days"))
@when(parsers.parse("{shop} from now on invites its customers after {days:g} days"))
def invites_after(driver: Driver, shop: str, days: float) -> None:
    change(driver, shop, delay_days=days)


@given(parsers.parse("{shop} invites a customer at most once in {days:d} days"))
@when(parsers.parse("{shop} from now on invites a customer at most once in {days:d} days"))
def invites_at_most(driver: Driver, shop: str, days: int) -> None:
    change(driver, shop, frequency_days=days)


@given(parsers.parse("{shop} is not active"))
@when(parsers.parse("the operator deactivates {shop}"))
def deactivated(driver: Driver, shop: str) -> None:
    change(driver, shop, active=False)


@when(parsers.parse("the operator activates {shop} again"))
def activated(driver: Driver, shop: str) -> None:
    change(driver, shop, active=True)


@then(parsers.re(r"(?P<shop>\w+) has (?P<count>\d+|no) invitations?"))
def has_invitations(driver: Driver, shop: str, count: str) -> None:
    assert len(driver.invitations(shop)) == (0 if count == "no" else int(count))

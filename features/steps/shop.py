"""Shops, as the operator makes and changes them."""

from __future__ import annotations

from features.drivers.library import Library
from features.steps.story import Story
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import NewShop, Shop, ShopChanges

LANGUAGES = {"Dutch": "nl", "English": "en"}


def change(driver: Library, shop: str, **changes: object) -> None:
    assert isinstance(driver.app.set_shop(shop, ShopChanges(**changes)), Shop)


@given(parsers.parse("the shop {shop} with an API key"))
def a_shop(driver: Library, story: Story, shop: str) -> None:
    assert isinstance(driver.app.add_shop(NewShop(site_id=shop, name=shop.title())), Shop)
    story.keys[shop] = [driver.app.create_key(shop, "first")]


@given(parsers.parse('{shop} is called "{name}"'))
def is_called(driver: Library, shop: str, name: str) -> None:
    change(driver, shop, name=name)


@given(parsers.re(r"(?P<shop>\w+) writes to its customers in (?P<language>Dutch|English)"))
def writes_in(driver: Library, shop: str, language: str) -> None:
    change(driver, shop, language=LANGUAGES[language])


@given(parsers.parse("{shop} has given {address} for replies"))
def has_replies_sent_to(driver: Library, shop: str, address: str) -> None:
    change(driver, shop, reply_to=address)


@given(parsers.parse("{shop} has taken its address for replies away"))
def has_no_replies_sent(driver: Library, shop: str) -> None:
    change(driver, shop, reply_to="")


@given(parsers.parse("{shop} invites its customers after {days:g} days"))
@when(parsers.parse("{shop} from now on invites its customers after {days:g} days"))
def invites_after(driver: Library, shop: str, days: float) -> None:
    change(driver, shop, delay=days)


@given(parsers.parse("{shop} is not active"))
@when(parsers.parse("the operator deactivates {shop}"))
def deactivated(driver: Library, shop: str) -> None:
    change(driver, shop, active=False)


@when(parsers.parse("the operator activates {shop} again"))
def activated(driver: Library, shop: str) -> None:
    change(driver, shop, active=True)


@then(parsers.re(r"(?P<shop>\w+) has (?P<count>\d+|no) invitations?"))
def has_invitations(driver: Library, shop: str, count: str) -> None:
    assert len(driver.invitations(shop)) == (0 if count == "no" else int(count))

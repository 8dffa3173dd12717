"""The dashboard's pages that ask again, or say that something is not done yet, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import attrs
import pytest
from playwright.sync_api import Page as Tab, expect
from tests.browser.dashboard import WINDOWS, assert_usable, sign_in
from tests.browser.fake_web import BASE_URL, HOST, SITE
from tests.browser.page_visit import PageVisit, TakePicture

from reviewinvite_core import Application, NewMember, Role, accepted

OWNER = "anna@example.com"
LONG = "een.heel.lang.adres.dat.niet.past@een-webwinkel-met-een-lange-naam.example.com"


@pytest.fixture(scope="module")
def shop(app: Application) -> str:
    """A shop that has the trust mark, a key whose label is long, a host, and a member whose address is long."""
    accepted(app.trust_marks.grant(SITE))
    app.api_keys.create(SITE, "Webwinkel " * 9)
    app.members.add(SITE, NewMember(email=OWNER, role=Role.OWNER))
    app.members.add(SITE, NewMember(email=LONG))
    return SITE


@attrs.frozen
class Way:
    """How people get to a page: in a section they do something; `address` is how the page's address ends."""

    section: str
    act: Callable[[Tab], None]
    address: str


def click(selector: str) -> Callable[[Tab], None]:
    return lambda tab: tab.locator(selector).first.click()


def save(tab: Tab, field: str, value: str) -> None:
    tab.locator(field).fill(value)
    tab.locator("form", has=tab.locator(field)).get_by_role("button").click()


def save_name(tab: Tab) -> None:
    width = tab.evaluate("innerWidth")
    save(tab, "#name", f"Kaashandel De Oude Molen {width} " * 8)


def add_member_after_the_session(tab: Tab) -> None:
    tab.context.clear_cookies(name=re.compile("session"))  # the language stays
    save(tab, "#email", LONG)


WAYS: Mapping[str, Way] = {
    "key-revoke": Way("integrations", click("a[href$='/revoke']"), "/revoke"),
    "domain-remove": Way("integrations", click("a[href*='/domains/']"), f"/domains/{HOST}/remove"),
    "member-remove": Way("members", click(f"li:has-text('{LONG}') a[href$='/remove']"), "/remove"),
    "name-waits": Way("settings", save_name, "done=waits"),
    "session-ended": Way("members", add_member_after_the_session, "/members"),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_page_that_asks_again_fits_any_window_and_hinders_nobody(
    visit: PageVisit, app: Application, shop: str, take_picture: TakePicture, name: str
) -> None:
    way, tab = WAYS[name], visit.tab
    for width, scheme, language in WINDOWS:
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        sign_in(visit, app, shop, OWNER)
        visit.open(f"{BASE_URL}/dashboard/{shop}/{way.section}?language={language}")
        way.act(tab)
        expect(tab).to_have_url(re.compile(f"{re.escape(way.address)}(#.*)?$"))
        assert_usable(tab, take_picture, f"dashboard-{name}-{width}-{scheme}")
        tab.context.clear_cookies()

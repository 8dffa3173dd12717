"""The dashboard in a browser: a member who is signed in, and what every page has to be."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from playwright.sync_api import Page as Tab
from tests.browser.accessibility import violations
from tests.browser.fake_web import BASE_URL
from tests.browser.page_visit import PageVisit, TakePicture
from tests.waiting import wait_until

from reviewinvite_core import Application, accepted

OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
IS_IN_WINDOW = """each => {
    const {left, right} = each.querySelector(".drop-list").getBoundingClientRect();
    return 0 <= left && left < right && right <= innerWidth;
}"""
MENUS = "details.drop:visible:not([open])"
"""Those that are closed; `.menu` is there in narrow windows."""
WINDOWS = [(320, "dark", "nl"), (1280, "light", "en")]
if os.environ.get("BROWSER_PICTURES"):  # people look at more than is worth a check each time
    WINDOWS += [(360, "light", "nl"), (360, "dark", "en"), (1280, "dark", "nl")]


def sign_in(visit: PageVisit, app: Application, site: str, email: str) -> None:
    """Open one more link of a member in the tab, and press its button."""
    link = accepted(app.members.link(site, email)).link
    visit.open(f"{BASE_URL}{urlsplit(link).path}")
    visit.tab.locator("button[name=sign-in]").click()
    visit.tab.wait_for_url(lambda url: "/sign-in" not in url)


def assert_fits_any_window(visit: PageVisit, take_picture: TakePicture, path: str, name: str) -> None:
    """Assert that a page fits narrow and wide windows, light and dark, and hinders nobody; take a picture of each."""
    for width, scheme, language in WINDOWS:
        visit.tab.set_viewport_size({"width": width, "height": 800})
        visit.tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        visit.open(f"{BASE_URL}{path}{'&' if '?' in path else '?'}language={language}")
        assert_usable(visit.tab, take_picture, f"{name}-{width}-{scheme}")


def assert_usable(tab: Tab, take_picture: TakePicture, name: str) -> None:
    """Assert that the page in a tab fits its window and hinders nobody, also with its menus open."""
    tab.wait_for_load_state()  # its styles, too: what was waited for may be there before them
    take_picture(name, full_page=True)
    wait_until(lambda: tab.evaluate(OVERFLOW) <= 0)  # its window may just have been resized
    found = violations(tab)
    assert not found, f"{name}: {found}"
    for menu in tab.locator(MENUS).element_handles():
        menu.evaluate("each => each.open = true")
        assert menu.evaluate(IS_IN_WINDOW), f"{name}: {menu.get_attribute('class')}"
        assert tab.evaluate(OVERFLOW) <= 0, f"{name}: {menu.get_attribute('class')}"
        found = violations(tab, "details.drop[open]")
        assert not found, f"{name}: {found}"
        menu.evaluate("each => each.open = false")

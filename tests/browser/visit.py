"""A customer who comes to a page, and what the page notices."""

from __future__ import annotations

import html
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext
from playwright.sync_api import Page as Tab
from tests.browser.web import Page, Web
from tests.http.service import wait_until

from reviewinvite_core.domain.embedding import EMAIL_PLACE, ORDER_NUMBER_PLACE

SECONDS = 60.0

_OWN_SCRIPT = """
addEventListener("DOMContentLoaded", () => { document.title = "went on"; });
setInterval(() => { window.ticks = (window.ticks || 0) + 1; }, 5);
"""


class Visit:
    """A tab, and all that went wrong in it: uncaught errors and rejections, and what scripts wrote to the console.

    What the browser itself notes there (a request that failed, a policy that forbids one) is no page's doing.
    """

    def __init__(self, tab: Tab, web: Web) -> None:
        self.tab = tab
        self.web = web
        self.noticed: list[object] = []
        developer = tab.context.new_cdp_session(tab)
        developer.on("Runtime.exceptionThrown", lambda told: self.noticed.append(told))
        developer.on("Runtime.consoleAPICalled", lambda told: self.noticed.append(told))
        developer.send("Runtime.enable")

    def go(self, address: str, until: str = "load") -> None:
        """Open a page."""
        self.tab.goto(address, wait_until=until)  # type: ignore[arg-type]

    def rest(self) -> None:
        """Give what happens after the load event its time, until the service has answered all that it was asked."""
        self.tab.wait_for_timeout(100)
        wait_until(lambda: self.web.asked == self.web.answered)
        self.tab.wait_for_timeout(100)

    def assert_unnoticed(self) -> None:
        """The page's own script has gone on and goes on, and nothing went wrong."""
        assert self.tab.title() == "went on"
        seen = self.tab.evaluate("window.ticks || 0")
        # a function: an expression is evaluated anew at each look, which strict policies forbid
        self.tab.wait_for_function("(seen) => window.ticks > seen", arg=seen)
        assert self.noticed == []


@contextmanager
def a_context(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """A browser with nothing remembered from before, in which all that is waited for has `SECONDS`."""
    context = browser.new_context(**options)
    context.set_default_timeout(SECONDS * 1000)
    try:
        yield context
    finally:
        context.close()


@contextmanager
def a_visit(browser: Browser, web: Web) -> Iterator[Visit]:
    """A tab with nothing remembered from before."""
    with a_context(browser) as context:
        yield Visit(context.new_page(), web)


@contextmanager
def a_tab(context: BrowserContext, web: Web) -> Iterator[Visit]:
    """A tab that loads everything anew, in a browser that is open already: quicker than one with nothing remembered.

    It is led away from its page before it is closed: Chromium may never close a tab into which a page is just coming.
    """
    tab = context.new_page()
    try:
        developer = context.new_cdp_session(tab)
        developer.send("Network.enable")
        developer.send("Network.setCacheDisabled", {"cacheDisabled": True})
        yield Visit(tab, web)
    finally:
        tab.goto("about:blank")
        tab.close()


def put_page(web: Web, address: str, snippet: str, **headers: str) -> str:
    """A confirmation page with this in it, and a script of its own behind it; its address."""
    text = (
        f"<!doctype html><title>waits</title><h1>Dank je wel</h1>{snippet}"
        '<script src="/own.js"></script><p>Tot ziens</p>'
    )
    web.pages[address] = Page(text, headers={name.replace("_", "-"): value for name, value in headers.items()})
    origin = "/".join(address.split("/")[:3])
    web.pages[f"{origin}/own.js"] = Page(_OWN_SCRIPT, "text/javascript")
    return address


def filled(form: str, email: str, order_number: str) -> str:
    """What `snippet embed` prints, as a shop's software fills it in."""
    values = {EMAIL_PLACE: email, ORDER_NUMBER_PLACE: order_number}
    for place, value in values.items():
        form = form.replace(f'"{place}"', f'"{html.escape(value)}"')
    return form

"""A visit to a page in a browser, and what goes wrong in the page meanwhile."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

from playwright.sync_api import Browser, BrowserContext, Page as Tab
from tests.browser.fake_web import FakeWeb, Page
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core.domain.embedding import EMAIL_PLACE, ORDER_NUMBER_PLACE

TakePicture: TypeAlias = Callable[..., None]  # its name, and options of `Page.screenshot`

_OWN_SCRIPT = """
addEventListener("DOMContentLoaded", () => { document.title = "went on"; });
setInterval(() => { window.ticks = (window.ticks || 0) + 1; }, 5);
"""


class PageVisit:
    """A tab and the errors in it: uncaught exceptions and rejections, and what scripts wrote to the console.

    What the browser itself writes there (a failed request, a policy that forbids one) is not an error of the page.
    """

    def __init__(self, tab: Tab, web: FakeWeb) -> None:
        self.tab = tab
        self.web = web
        self.errors: list[object] = []
        devtools = tab.context.new_cdp_session(tab)
        devtools.on("Runtime.exceptionThrown", lambda event: self.errors.append(event))
        devtools.on("Runtime.consoleAPICalled", lambda event: self.errors.append(event))
        devtools.send("Runtime.enable")

    def open(self, address: str, until: Literal["commit", "domcontentloaded", "load"] = "load") -> None:
        """Open a page."""
        self.tab.goto(address, wait_until=until)

    def wait_until_idle(self) -> None:
        """Wait for what happens after the load event, until the service has answered all requests."""
        self.tab.wait_for_timeout(100)
        wait_until(lambda: self.web.requests == self.web.responses)
        self.tab.wait_for_timeout(100)

    def assert_undisturbed(self) -> None:
        """Assert that the page's own script has run and still runs, and that there were no errors."""
        assert self.tab.title() == "went on"
        ticks = self.tab.evaluate("window.ticks || 0")
        # a function: an expression is compiled again at each poll, which strict policies forbid
        self.tab.wait_for_function("(ticks) => window.ticks > ticks", arg=ticks)
        assert self.errors == []


class ConsoleLog:
    """All error output of a tab: uncaught errors, dialogs, and every line of its console, also the browser's own."""

    def __init__(self, tab: Tab) -> None:
        self.lines: list[str] = []
        tab.on("console", lambda message: self.lines.append(message.text))
        tab.on("pageerror", lambda error: self.lines.append(str(error)))
        tab.on("dialog", lambda dialog: self.lines.append(f"dialog: {dialog.message}"))


@contextmanager
def browser_context(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """Open a browser context with no history, in which every wait may take `TIMEOUT_SECONDS`."""
    context = browser.new_context(**options)
    context.set_default_timeout(TIMEOUT_SECONDS * 1000)
    try:
        yield context
    finally:
        context.close()


@contextmanager
def visit_in_new_context(browser: Browser, web: FakeWeb) -> Iterator[PageVisit]:
    """Open a tab in a context of its own."""
    with browser_context(browser) as context:
        yield PageVisit(context.new_page(), web)


@contextmanager
def visit_in_new_tab(context: BrowserContext, web: FakeWeb) -> Iterator[PageVisit]:
    """Open a tab without a cache in a context that is already open: quicker than one in a context of its own.

    The tab leaves its page before it is closed: Chromium may never close a tab that is still receiving a page.
    """
    tab = context.new_page()
    try:
        devtools = context.new_cdp_session(tab)
        devtools.send("Network.enable")
        devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
        yield PageVisit(tab, web)
    finally:
        tab.goto("about:blank")
        tab.close()


def serve_page(web: FakeWeb, address: str, snippet: str, **headers: str) -> str:
    """Serve a confirmation page with this snippet, followed by a script of the page's own; return its address."""
    text = (
        f"<!doctype html><title>waits</title><h1>Dank je wel</h1>{snippet}"
        '<script src="/own.js"></script><p>Tot ziens</p>'
    )
    web.pages[address] = Page(text, headers={name.replace("_", "-"): value for name, value in headers.items()})
    origin = "/".join(address.split("/")[:3])
    web.pages[f"{origin}/own.js"] = Page(_OWN_SCRIPT, "text/javascript")
    return address


def fill_placeholders(form: str, email: str, order_number: str) -> str:
    """Fill in what `snippet embed` prints, as a shop's software does."""
    values = {EMAIL_PLACE: email, ORDER_NUMBER_PLACE: order_number}
    for place, value in values.items():
        form = form.replace(f'"{place}"', f'"{html.escape(value)}"')
    return form

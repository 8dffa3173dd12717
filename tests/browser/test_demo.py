"""The demo in a real browser: whoever follows its links gets through the whole story."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page as Tab, expect, sync_playwright
from tests.browser.accessibility import violations
from tests.browser.badge_rendering import rendered_badges
from tests.demo import Demo, running_demo

from reviewinvite_http.demo.history import SITE_ID
from reviewinvite_http.demo.hosts import shop_url


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with running_demo(tmp_path_factory.mktemp("demo")) as demo:
        yield demo


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A browser for which nothing is arranged: the demo's hosts are names that it knows by itself."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=["--disable-gpu", "--no-first-run"])
        yield opened
        opened.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context()
    yield opened
    opened.close()


@pytest.fixture
def tab(context: BrowserContext, demo: Demo) -> Iterator[Tab]:
    """A tab at the start page, where nothing may go wrong: neither a script nor a policy."""
    opened, wrong = context.new_page(), []
    opened.on("console", lambda message: wrong.append(message.text))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.goto(demo.start)
    yield opened
    assert wrong == []


def test_a_customer_orders_gets_the_mail_and_writes_a_review_that_everybody_sees(tab: Tab, demo: Demo) -> None:
    tab.get_by_role("link", name="Order a loaf").click()
    tab.wait_for_load_state("load")  # the badge's script is async, and the load event waits for it
    (badge,) = rendered_badges(tab)
    assert badge.has_mark
    tab.get_by_label("Your e-mail address").fill("maartje@example.com")
    with tab.expect_response("**/v1/orders/snippet") as reported:
        tab.get_by_role("button", name="Order").click()
    assert reported.value.status == 202
    number = tab.locator("main strong").inner_text()
    tab.get_by_role("link", name="Open the inbox").click()
    expect(tab.get_by_role("article")).to_contain_text("maartje@example.com")
    mail = tab.frame_locator("iframe")
    expect(mail.locator("body")).to_contain_text(number)
    with tab.context.expect_page() as opened:
        mail.get_by_role("link", name="Write your review").click()
    form = opened.value
    form.locator("#rating-4").click()
    form.locator("textarea[name=text]").fill("It arrived warm.")
    form.get_by_role("button", name="Publish review").click()
    form.wait_for_url("**done=yes*")
    tab.goto(demo.start)
    tab.get_by_role("link", name="Read the reviews").click()
    expect(tab.get_by_text("It arrived warm.")).to_be_visible()


def test_every_link_of_the_start_page_leads_to_a_page(tab: Tab, demo: Demo) -> None:
    links = {link.get_attribute("href") or "" for link in tab.get_by_role("link").all()}
    public = f"{demo.base_url}/shops/{SITE_ID}"
    shop = f"{shop_url(demo.base_url)}/"
    assert {public, f"{public}#verify", f"{demo.base_url}/v1/verify/{SITE_ID}", shop, "/demo/inbox"} <= links
    assert any(link.startswith(f"{demo.base_url}/r/") for link in links)  # the invitation that the command shows
    for link in links:
        answer = tab.goto(link if link.startswith("http") else demo.base_url + link)
        assert answer is None or answer.ok, link  # None: only the fragment changed


def test_the_owner_is_signed_in_and_sees_the_weeks_before(tab: Tab, demo: Demo) -> None:
    tab.get_by_role("link", name="Open the dashboard").click()
    expect(tab.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    sections = [link.get_attribute("href") for link in tab.get_by_label("Sections").get_by_role("link").all()]
    assert len(sections) == 7
    seen = ""
    for section in sections:
        tab.goto(f"{demo.base_url}{section}")
        seen += tab.locator("main").inner_text()
    for word in ("Second order, same crust.", "Hidden", "Scheduled", "shop.localhost", "owner@example.com"):
        assert word in seen


def test_a_mail_runs_nothing_and_its_links_open_tabs(tab: Tab) -> None:
    tab.get_by_role("link", name="Read the mail").click()
    frame = tab.locator("iframe")
    assert frame.get_attribute("sandbox") == "allow-popups allow-popups-to-escape-sandbox"
    served = tab.request.get(tab.locator("iframe").evaluate("frame => frame.src"))
    assert "allow-scripts" not in served.headers["content-security-policy"]
    assert '<base target="_blank">' in served.text()


def test_another_host_is_believed_no_more_than_without_the_demo(tab: Tab, demo: Demo) -> None:
    """Only the shop's own origin is passed on as secure."""
    report = {"siteId": SITE_ID, "email": "eva@example.com"}
    own = shop_url(demo.base_url)
    statuses = {
        origin: tab.request.post(f"{demo.base_url}/v1/orders/snippet", data=report, headers={"Origin": origin}).status
        for origin in (own, f"{own}0", "http://shop.localhost", "http://evil.localhost", "null")
    }
    assert statuses == {own: 202, **dict.fromkeys(list(statuses)[1:], 403)}


@pytest.mark.pictures
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_its_pages_are_accessible_and_fit(
    browser: Browser, demo: Demo, width: int, scheme: Literal["light", "dark"]
) -> None:
    pictures = os.environ.get("BROWSER_PICTURES")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
    tab = context.new_page()
    addresses = {"start": demo.start, "inbox": f"{demo.start}/inbox", "shop": shop_url(demo.base_url)}
    for name, address in addresses.items():
        tab.goto(address)
        assert violations(tab) == []
        assert tab.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        if pictures:
            tab.screenshot(path=Path(pictures) / f"demo-{name}-{width}-{scheme}.png", full_page=True)
    context.close()

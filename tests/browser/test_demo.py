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
    opened = browser.new_context(locale="en")
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


@pytest.mark.parametrize(("width", "language"), [(360, "nl"), (1280, "en")])
def test_every_link_of_the_start_page_leads_to_an_accessible_page(
    browser: Browser, demo: Demo, width: int, language: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, locale=language, bypass_csp=True)
    tab = context.new_page()
    tab.goto(demo.start)
    links = [link.get_attribute("href") or "" for link in tab.locator("main").get_by_role("link").all()]
    public = f"{demo.base_url}/shops/{SITE_ID}?language={language}"
    statement = f"{demo.base_url}/v1/verify/{SITE_ID}"
    assert {public, f"{public}#verify", statement, f"{shop_url(demo.base_url)}/?language={language}"} <= set(links)
    assert any(link.startswith(f"{demo.base_url}/r/") for link in links)  # the invitation that the command shows
    for link in ["/demo", *links]:
        answer = tab.goto(link if link.startswith("http") else demo.base_url + link)
        assert answer is None or answer.ok, link  # None: only the fragment changed
        if link != statement:
            assert tab.locator("html").get_attribute("lang") == language, link
            assert violations(tab) == [], link
        assert tab.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), link
    context.close()


def test_who_is_signed_in_can_still_sign_in_by_mail(tab: Tab) -> None:
    tab.get_by_role("link", name="Open the dashboard").click()
    tab.go_back()
    tab.get_by_role("link", name="Sign in by e-mail").click()
    expect(tab.get_by_role("textbox")).to_be_visible()


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
    tab.get_by_role("link", name="Read your e-mail").click()
    frame = tab.locator("iframe")
    assert "allow-scripts" not in (frame.get_attribute("sandbox") or "")
    served = tab.request.get(frame.evaluate("frame => frame.src"))
    assert "allow-scripts" not in served.headers["content-security-policy"]
    assert '<base target="_blank">' in served.text()


def test_a_mail_is_shown_whole_without_a_scroll_bar_of_its_own(tab: Tab) -> None:
    tab.get_by_role("link", name="Read your e-mail").click()
    tab.wait_for_function(
        "() => { const frame = document.querySelector('iframe'), mail = frame.contentDocument.documentElement;"
        " return mail.childElementCount && frame.clientHeight === mail.scrollHeight; }"
    )


def test_a_phone_shows_the_list_and_then_the_mail(tab: Tab) -> None:
    tab.set_viewport_size({"width": 360, "height": 800})
    tab.get_by_role("link", name="Read your e-mail").click()
    expect(tab.get_by_role("article")).to_be_hidden()
    tab.get_by_label("E-mails").get_by_role("link").first.click()
    expect(tab.get_by_role("article")).to_be_visible()
    tab.get_by_role("link", name="All e-mails").click()
    expect(tab.get_by_label("E-mails")).to_be_visible()


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
@pytest.mark.parametrize(("width", "language"), [(360, "nl"), (1280, "en")])
def test_its_pages_are_accessible_and_fit(
    browser: Browser, demo: Demo, width: int, language: str, scheme: Literal["light", "dark"]
) -> None:
    pictures = os.environ.get("BROWSER_PICTURES")
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, locale=language, bypass_csp=True
    )
    tab = context.new_page()

    def look(name: str) -> None:
        assert violations(tab) == [], name
        assert tab.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
        if pictures:
            tab.screenshot(path=Path(pictures) / f"demo-{name}-{language}-{width}-{scheme}.png", full_page=True)

    for name, address in {"start": demo.start, "inbox": f"{demo.start}/inbox", "shop": shop_url(demo.base_url)}.items():
        tab.goto(address)
        look(name)
    tab.get_by_role("button").click()
    tab.wait_for_url("**/thank-you/**")
    look("confirmation")
    tab.locator(".next").click()
    tab.wait_for_url("**.eml")
    look("mail")
    context.close()

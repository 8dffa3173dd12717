"""A merchant's first day: from the service's address to a verified badge and an answered review, without a terminal.

What the merchant knows is the address of the service, and which e-mail address the operator has made a member. All
e-mail goes through a real SMTP server, and what the merchant publishes is fetched over TLS.
"""

from __future__ import annotations

import email
import http.client
import itertools
import re
import ssl
from collections.abc import Iterator
from email import policy

import pytest
from playwright.sync_api import Browser, Page as Tab, expect
from tests.browser.badge_rendering import rendered_badges
from tests.browser.dashboard import assert_usable
from tests.browser.fake_web import BASE_URL, HOST, SITE, FakeWeb, Page
from tests.browser.page_visit import PageVisit, TakePicture, fill_placeholders, serve_page, visit_in_new_context
from tests.smtp_server import SmtpTestServer, smtp_server
from tests.waiting import wait_until

from reviewinvite_core import OPERATOR, Application, InvitationQuery, NewMember, Settings, accepted, build
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import Domain, ProofWay, VerificationResult

OWNER, CUSTOMER, ORDER = "eva@example.com", "anna@example.com", "2026-0193"
WORDS, ANSWER = "Good bread, and quickly delivered.", "Thank you, Anna!"
PROOF_PATH = "/.well-known/reviewinvite.txt"
SIGN_IN_LINK = re.compile(rf"{BASE_URL}/dashboard/sign-in/[\w-]+")
BAR_ABOVE_TARGET = """() => document.querySelector(".top").getBoundingClientRect().bottom
    <= document.querySelector(":target h2").getBoundingClientRect().top"""
REVIEW_LINK = re.compile(rf"{BASE_URL}/r/[\w-]+")


class FileVerifier:
    """Fetches proofs from the fake web, where every host is at one port. Implements `ports.DomainVerifier`."""

    port: int

    def verify(self, domain: Domain) -> VerificationResult:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context)
        try:
            connection.request("GET", PROOF_PATH, headers={"Host": domain.host.text})
            lines = connection.getresponse().read().decode().splitlines()
        finally:
            connection.close()
        return VerificationResult(found=ProofWay.WELL_KNOWN if domain.proof in lines else None)


@pytest.fixture(scope="module")
def mail_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmtpTestServer]:
    with smtp_server(tmp_path_factory.mktemp("mail") / "log") as server:
        yield server


@pytest.fixture(scope="module")
def verifier() -> FileVerifier:
    return FileVerifier()


@pytest.fixture(scope="module")
def app(mail_server: SmtpTestServer, verifier: FileVerifier) -> Iterator[Application]:
    """A service with a new shop, to which its operator has invited the owner."""
    settings = Settings(
        database_url="memory:", mail_url=mail_server.url, mail_from="reviews@example.nl", base_url=BASE_URL
    )
    application = build(settings, domain_verifier=verifier)
    application.shops.add(a_shop(SITE))
    accepted(application.members.add(SITE, NewMember(email=OWNER, role="owner", language="en")))
    yield application
    application.close()


def mailed(app: Application, server: SmtpTestServer, recipient: str, link: re.Pattern[str]) -> str:
    """Have the worker run once, and return the link in the latest e-mail to a person."""
    app.delivery.once()
    contents = [content for to, content in zip(server.recipients, server.messages, strict=True) if to == recipient]
    body = email.message_from_bytes(contents[-1], policy=policy.default).get_body(("plain",))
    assert body
    return str(link.findall(body.get_content())[-1])


class Merchant:
    """A merchant at work: each page that is come to must be usable, and its picture is taken."""

    def __init__(self, tab: Tab, take_picture: TakePicture) -> None:
        self.tab = tab
        self._take_picture = take_picture
        self._numbers = itertools.count(1)

    def look(self, page: str) -> None:
        """Look at the page that is open, on a phone and on a wide screen."""
        number = next(self._numbers)
        for width in (360, 1280):
            self.tab.set_viewport_size({"width": width, "height": 800})
            assert_usable(self.tab, self._take_picture, f"first-day-{number:02}-{page}-{width}")

    def go_to(self, section: str) -> None:
        """Open a section by the dashboard's navigation."""
        self.tab.get_by_role("navigation", name="Sections").get_by_role("link", name=section).click()
        expect(self.tab.get_by_role("heading", level=1, name=section)).to_be_visible()
        self.look(section.lower())

    def follow(self, step: str) -> None:
        """Go where a step of the overview leads: to a part of a page, whose heading the bar at the top leaves free."""
        self.go_to("Overview")
        self.tab.get_by_role("link", name=step).click()
        expect(self.tab.locator(":target")).to_be_visible()
        assert self.tab.evaluate(BAR_ABOVE_TARGET), step

    def press(self, button: str, heading: str | None = None) -> None:
        """Press a button; the page that follows has this heading, or says that it is done."""
        self.tab.get_by_role("button", name=button).click()
        done = self.tab.locator(".notice-ok[role=status]").first
        expect(self.tab.get_by_role("heading", level=1, name=heading) if heading else done).to_be_in_viewport()
        self.look(button.lower().replace(" ", "-"))

    def copy(self, identifier: str) -> str:
        """Return a text that the page offers to copy."""
        return self.tab.locator(f"#{identifier}").inner_text()

    def sign_in(self, app: Application, server: SmtpTestServer) -> None:
        self.tab.goto(f"{BASE_URL}/dashboard")
        self.look("sign-in")
        self.tab.get_by_label("E-mail address").fill(OWNER)
        self.press("Send me a link", "Check your e-mail")
        self.tab.goto(mailed(app, server, OWNER, SIGN_IN_LINK))
        expect(self.tab.get_by_text(OWNER)).to_be_visible()
        self.look("link")
        self.press("Sign in", "Overview")

    def verify_domain(self, web: FakeWeb) -> None:
        """Add the shop's domain, publish what the page shows, and have it checked."""
        self.tab.get_by_label("Domain", exact=True).fill(HOST)
        self.press("Add a domain")
        web.pages[f"https://{HOST}{PROOF_PATH}"] = Page(f"{self.copy('proof-1')}\n", "text/plain")
        self.tab.get_by_role("button", name="Check now").click()
        expect(self.tab.locator("#domains .chip-ok")).to_be_visible()
        expect(self.tab.get_by_role("button", name="Check now")).to_be_focused()
        expect(self.tab.get_by_text("No domain is verified yet")).to_have_count(0)
        self.look("verified")


def report_order(shop: PageVisit, app: Application, web: FakeWeb, tag: str) -> None:
    """Have a customer order something: the tag is on the confirmation page."""
    shop.open(serve_page(web, f"https://{HOST}/thank-you", fill_placeholders(tag, CUSTOMER, ORDER)))
    wait_until(lambda: len(accepted(app.invitations.list(OPERATOR, InvitationQuery())).invitations) == 1)


def show_badge(shop: PageVisit, web: FakeWeb, tag: str) -> None:
    """Have a visitor see the badge: the tag is on the shop's first page."""
    shop.open(serve_page(web, f"https://{HOST}/", tag))
    shop.wait_until_idle()
    assert len(rendered_badges(shop.tab)) == 1


def write_review(customer: PageVisit, link: str) -> None:
    customer.open(f"{link}?language=en")
    customer.tab.locator("#rating-4").check()
    customer.tab.locator("#text").fill(WORDS)
    customer.tab.locator("form.review button").first.click()
    customer.tab.wait_for_url("**done=yes*")


def test_a_merchant_gets_all_the_way_without_a_terminal(
    browser: Browser,
    visit: PageVisit,
    web: FakeWeb,
    app: Application,
    mail_server: SmtpTestServer,
    verifier: FileVerifier,
    take_picture: TakePicture,
) -> None:
    verifier.port = web.port
    merchant, tab = Merchant(visit.tab, take_picture), visit.tab
    with visit_in_new_context(browser, web) as shop, visit_in_new_context(browser, web) as customer:
        merchant.sign_in(app, mail_server)
        expect(tab.locator(".steps > li")).to_have_count(4)
        expect(tab.locator(".step-done")).to_have_count(0)

        for step in ("Create a key", "See how", "Add a domain"):
            merchant.follow(step)
        merchant.verify_domain(web)
        snippet, badge = merchant.copy("snippet"), merchant.copy("badge-tag")
        merchant.press("Create a key", "Your new API key")
        assert merchant.copy("key").startswith("rvi_")

        report_order(shop, app, web, snippet)
        show_badge(shop, web, badge)
        merchant.go_to("Invitations")
        tab.get_by_role("link", name=ORDER).click()
        tab.get_by_role("link", name="Send now").click()
        merchant.press("Send now")
        write_review(customer, mailed(app, mail_server, CUSTOMER, REVIEW_LINK))

        merchant.go_to("Reviews")
        expect(tab.get_by_text(WORDS)).to_be_visible()
        tab.get_by_role("link", name="Reply").click()
        tab.get_by_role("textbox", name="Your reply").fill(ANSWER)
        merchant.press("Publish the reply")

        merchant.go_to("Overview")
        expect(tab.locator(".steps")).to_have_count(0)
        customer.open(f"{BASE_URL}/shops/{SITE}?language=en")
        expect(customer.tab.get_by_text(ANSWER)).to_be_visible()
    assert visit.errors == []

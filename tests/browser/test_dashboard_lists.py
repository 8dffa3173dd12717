"""Reviews and invitations in the dashboard, in a real browser: what customers wrote, filters, and the reply."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.dashboard import assert_fits_any_window, assert_usable, sign_in
from tests.browser.fake_web import BASE_URL, FakeWeb
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture, browser_context, visit_in_new_tab
from tests.links import token_of
from tests.shop_with_reviews import reported, written

from reviewinvite_core import OPERATOR, Actor, Application, NewMember, NewReply, NewShop, Role, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.values import HideReason, Review

SITE, EMPTY = "shop-with-reviews", "shop-without-reviews"
EMAIL = "staff@example.com"
ROOT = f"/dashboard/{SITE}"
LONG_WORD = "Donaudampfschifffahrtsgesellschaft" * 20
ODD = {
    "html": ("<b>Lekker</b> & <script>alert(1)</script>", "<i>Anna</i>", "<u>1</u>"),
    "long": (LONG_WORD, LONG_WORD[:80], "W" * 128),
    "arabic": ("\u202eخبز رائع! Great.", "مريم", "\u0663\u0664-\u0661\u0660\u0660\u0661"),
    "lines": ("A line.\n" * 200, "Anna", None),
    "stars only": (None, None, "2026-0193"),
}
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def shop(app: Application) -> Actor:
    """A shop whose reviews are as odd as they may be, and one without any; a member of staff at both."""
    for site in (SITE, EMPTY):
        app.shops.add(NewShop(site_id=site, name="Bakkerij De Molen"))
        app.members.add(site, NewMember(email=EMAIL, role=Role.STAFF))
    caller = accepted(app.shops.act_for(SITE))
    for text, author, number in ODD.values():
        review = written(app, SITE, 3, text=text, author=author, order_number=number)
        accepted(app.reviews.reply(caller, review.review_id, NewReply(text=text[:2000] if text else "Thank you!")))
    hidden = written(app, SITE, 1, text="Rude.")
    accepted(app.reviews.hide(hidden.review_id, HideReason.INSULT))
    withdrawn = written(app, SITE, 1)
    app.reviews.withdraw(token_of(app, withdrawn.invite_id, Purpose.REVIEW))
    reported(app, SITE, delay=5, order_number="W" * 128)
    accepted(app.invitations.cancel(OPERATOR, reported(app, SITE, delay=5)))
    return caller


@pytest.fixture
def member(visit: PageVisit, app: Application, shop: Actor) -> Iterator[PageVisit]:
    """The member of staff, signed in, who reads English."""
    sign_in(visit, app, SITE, EMAIL)
    visit.open(f"{BASE_URL}/dashboard/sessions?language=en")
    yield visit
    visit.tab.context.clear_cookies()


@pytest.fixture
def review(app: Application, shop: Actor) -> Review:
    """A review without a reply, of an order of its own."""
    return written(app, SITE, 5, text="Great bread.", author="Eva", order_number=f"E-{next(_numbers)}")


@pytest.mark.parametrize(
    "path",
    [
        *(f"{ROOT}/reviews{query}" for query in ("", "?rating=3", "?state=hidden", "?state=withdrawn", "?rating=2")),
        *(f"{ROOT}/invitations{query}" for query in ("", "?state=cancelled", "?state=rejected")),
        *(f"/dashboard/{EMPTY}/{section}" for section in ("reviews", "invitations")),
    ],
)
def test_every_list_fits_any_window_and_hinders_nobody(
    member: PageVisit, console_log: ConsoleLog, take_picture: TakePicture, path: str
) -> None:
    name = path.removeprefix("/dashboard/").replace("/", "-").replace("?", "-").replace("=", "-")
    assert_fits_any_window(member, take_picture, path, f"dashboard-{name}")
    assert console_log.lines == []


@pytest.mark.parametrize("section", ["reviews", "invitations"])
def test_the_page_of_each_item_fits_any_window(
    member: PageVisit, console_log: ConsoleLog, take_picture: TakePicture, section: str
) -> None:
    member.open(f"{BASE_URL}{ROOT}/{section}")
    links = member.tab.locator(f"main a[href^='{ROOT}/{section}/']").all()
    paths = list(dict.fromkeys(link.get_attribute("href") or "" for link in links))
    assert len(paths) >= len(ODD) + 2
    for number, path in enumerate(paths):
        assert_fits_any_window(member, take_picture, path, f"dashboard-{section}-{number}")
    assert console_log.lines == []


def test_a_reply_is_written_by_keyboard_alone(member: PageVisit, review: Review, take_picture: TakePicture) -> None:
    tab = member.tab
    member.open(f"{BASE_URL}{ROOT}/reviews/{review.review_id}")
    tab.get_by_label("Your reply", exact=True).last.focus()
    tab.keyboard.type("Thank you, Eva!")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("status")).to_contain_text("Your reply is published.")
    assert_usable(tab, take_picture, "reply-published")
    tab.get_by_role("button", name="Remove the reply").click()
    expect(tab.get_by_role("status")).to_have_text("Your reply is removed.")


def test_the_second_member_sees_the_first_ones_reply(
    member: PageVisit, app: Application, shop: Actor, review: Review, take_picture: TakePicture
) -> None:
    tab = member.tab
    member.open(f"{BASE_URL}{ROOT}/reviews/{review.review_id}")
    accepted(app.reviews.reply(shop, review.review_id, NewReply(text="The first.")))
    tab.locator("textarea[name=text]").fill("The second.")
    tab.get_by_role("button", name="Publish the reply").click()
    expect(tab.get_by_role("alert")).to_contain_text("The first.")
    expect(tab.locator("textarea[name=text]")).to_have_value("The second.")
    assert_usable(tab, take_picture, "reply-conflict")
    tab.get_by_role("button", name="Save the reply").click()
    expect(tab.get_by_role("status")).to_contain_text("Your reply is published.")


def test_a_filter_acts_at_once_and_stays_in_the_address(member: PageVisit, console_log: ConsoleLog) -> None:
    tab = member.tab
    member.open(f"{BASE_URL}{ROOT}/reviews")
    tab.evaluate("window.isSamePage = true")
    tab.get_by_label("State").focus()
    tab.get_by_label("State").select_option("hidden")
    expect(tab.locator("article")).to_have_count(1)
    assert tab.evaluate("window.isSamePage")
    assert "state=hidden" in tab.url
    expect(tab.get_by_label("State")).to_be_focused()
    export = tab.get_by_role("link", name="Export as CSV")
    expect(export).to_have_attribute("href", f"{ROOT}/reviews.csv?state=hidden")
    tab.reload()
    expect(tab.locator("article")).to_have_count(1)
    tab.go_back()
    expect(tab.locator("article").nth(1)).to_be_visible()
    assert console_log.lines == []


def test_everything_works_without_scripts(browser: Browser, web: FakeWeb, app: Application, review: Review) -> None:
    invitation = reported(app, SITE, delay=5, order_number="N-1")
    with browser_context(browser, java_script_enabled=False) as context, visit_in_new_tab(context, web) as visit:
        sign_in(visit, app, SITE, EMAIL)
        tab = visit.tab
        visit.open(f"{BASE_URL}{ROOT}/reviews?language=en")
        tab.get_by_label("Stars").select_option("5")
        tab.get_by_role("button", name="Filter").click()
        tab.get_by_role("link", name="Eva").first.click()
        tab.locator("textarea[name=text]").fill("Thank you!")
        tab.get_by_role("button", name="Publish the reply").click()
        expect(tab.get_by_role("status")).to_contain_text("Your reply is published.")
        visit.open(f"{BASE_URL}{ROOT}/invitations")
        tab.get_by_label("Order number").fill("N-1")
        tab.get_by_role("button", name="Filter").click()
        tab.get_by_role("link", name="N-1").click()
        assert tab.url.endswith(invitation)
        tab.get_by_role("link", name="Send now").click()
        tab.get_by_role("link", name="Do not send yet").click()
        assert tab.url.endswith(invitation)
        tab.get_by_role("button", name="Cancel the invitation").click()
        expect(tab.get_by_role("status")).to_contain_text("The invitation is cancelled.")

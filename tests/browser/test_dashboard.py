"""The dashboard's frame, sign-in, settings, members and activity in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.dashboard import assert_fits_any_window, assert_usable, sign_in
from tests.browser.fake_web import BASE_URL, SITE, FakeWeb
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture, browser_context, visit_in_new_tab

from reviewinvite_core import Application, NewMember, NewShop, Role, ShopChanges, accepted

pytestmark = pytest.mark.pictures

OWNER = "anna@example.com"
LONG = "een.heel.lang.adres.dat.niet.past@een-webwinkel-met-een-lange-naam.example.com"


@pytest.fixture(scope="module")
def shop(app: Application) -> str:
    """A shop with an owner, and a member whose address is long; the owner has a second shop with a long name."""
    app.shops.add(NewShop(site_id="second", name="Kaashandel " * 20))
    app.shops.update("second", ShopChanges(active=False))
    app.members.add(SITE, NewMember(email=OWNER, role=Role.OWNER))
    app.members.add("second", NewMember(email=OWNER, role=Role.OWNER))
    app.members.add(SITE, NewMember(email=LONG))
    return SITE


@pytest.fixture
def member(visit: PageVisit, app: Application, shop: str) -> Iterator[PageVisit]:
    """The owner, signed in."""
    sign_in(visit, app, shop, OWNER)
    yield visit
    visit.tab.context.clear_cookies()


@pytest.mark.parametrize("path", ["/dashboard/sign-in", "/dashboard/sign-in/unknown"])
def test_the_way_in_fits_any_window(visit: PageVisit, take_picture: TakePicture, path: str) -> None:
    assert_fits_any_window(visit, take_picture, path, f"sign-in-{len(path)}")


@pytest.mark.parametrize(
    "path",
    [
        "/dashboard/",
        "/dashboard/sessions",
        *(f"/dashboard/{SITE}/{section}" for section in ("settings", "members", "activity", "nothing")),
        f"/dashboard/{SITE}/activity?since=2100-01-01",
        f"/dashboard/{SITE}/activity?since=never",
        "/dashboard/second/settings",
    ],
)
def test_every_page_fits_any_window_and_hinders_nobody(
    member: PageVisit, console_log: ConsoleLog, take_picture: TakePicture, path: str
) -> None:
    assert_fits_any_window(member, take_picture, path, "dashboard" + path.replace("/", "-").replace("?", "-"))
    assert [line for line in console_log.lines if "status of 4" not in line] == []


def test_a_member_gets_in_and_out_by_the_pages_alone(
    visit: PageVisit, app: Application, shop: str, take_picture: TakePicture
) -> None:
    tab = visit.tab
    visit.open(f"{BASE_URL}/dashboard/{shop}/settings")
    tab.get_by_label("E-mail address").fill(OWNER)
    tab.get_by_role("button", name="Send me a link").click()
    expect(tab.get_by_role("heading", name="Check your e-mail")).to_be_visible()
    assert_usable(tab, take_picture, "sign-in-sent")
    link = accepted(app.members.link(shop, OWNER)).link
    visit.open(BASE_URL + link.removeprefix(BASE_URL))
    expect(tab.get_by_text(OWNER)).to_be_visible()
    assert_usable(tab, take_picture, "sign-in-link")
    tab.get_by_role("button", name="Inloggen").click()
    expect(tab.get_by_role("heading", name="Instellingen")).to_be_visible()
    tab.locator(".account summary").click()
    assert_usable(tab, take_picture, "dashboard-account")
    tab.get_by_role("button", name="Uitloggen").click()
    expect(tab.get_by_role("status")).to_be_visible()


def test_wrong_values_come_back_beside_what_to_do(member: PageVisit, take_picture: TakePicture) -> None:
    tab = member.tab
    member.open(f"{BASE_URL}/dashboard/{SITE}/settings?language=en")
    tab.locator("#delay_days").fill("soon")
    tab.locator("form", has=tab.locator("#delay_days")).get_by_role("button", name="Save").click()
    expect(tab.locator("#delay_days")).to_have_attribute("aria-invalid", "true")
    expect(tab.locator("#delay_days")).to_have_value("soon")
    assert_usable(tab, take_picture, "settings-wrong")


def test_the_second_sees_both_values(member: PageVisit, app: Application, take_picture: TakePicture) -> None:
    tab = member.tab
    member.open(f"{BASE_URL}/dashboard/{SITE}/settings?language=en")
    app.shops.update(SITE, ShopChanges(frequency_days=7))
    tab.locator("#frequency_days").fill("30")
    form = tab.locator("form", has=tab.locator("#frequency_days"))
    form.get_by_role("button", name="Save").click()
    expect(tab.get_by_role("alert")).to_contain_text("now saved: 7")
    assert_usable(tab, take_picture, "settings-conflict")
    form.get_by_role("button", name="Save").click()
    expect(tab.get_by_role("status")).to_have_text("Saved.")
    assert accepted(app.shops.show(SITE)).frequency_days == 30


def test_an_older_page_is_added_to_the_list(member: PageVisit, app: Application, console_log: ConsoleLog) -> None:
    member_id = next(each.member_id for each in accepted(app.members.list(SITE)) if each.email == LONG)
    for number in range(110):
        accepted(app.members.set_role(SITE, member_id, (Role.OWNER, Role.STAFF)[number % 2]))
    member.open(f"{BASE_URL}/dashboard/{SITE}/activity?language=en")
    rows = member.tab.locator("#entries > li")
    expect(rows).to_have_count(50)
    older = member.tab.get_by_role("link", name="Older")
    older.click()
    expect(rows).to_have_count(100)
    expect(older).to_be_focused()
    older.click()
    expect(older).to_have_count(0)
    assert rows.count() > 110
    assert console_log.lines == []


def test_everything_works_without_scripts(browser: Browser, web: FakeWeb, app: Application, shop: str) -> None:
    with browser_context(browser, java_script_enabled=False) as context, visit_in_new_tab(context, web) as visit:
        sign_in(visit, app, shop, OWNER)
        tab = visit.tab
        visit.open(f"{BASE_URL}/dashboard/{shop}/members?language=en")
        tab.get_by_label("E-mail address").fill("no-script@example.com")
        tab.get_by_role("button", name="Add member").click()
        expect(tab.get_by_role("status")).to_contain_text("The member was added")
        row = tab.locator("li", has_text="no-script@example.com")
        row.get_by_role("link", name="Remove").click()
        tab.get_by_role("button", name="Remove").click()
        expect(tab.get_by_role("status")).to_contain_text("The member was removed")
        tab.locator(".switcher summary").click()
        tab.get_by_role("link", name="Kaashandel").click()
        tab.wait_for_url(f"{BASE_URL}/dashboard/second/")

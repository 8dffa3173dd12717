"""The dashboard's sections with a year of data in a real browser: every window, paper, high contrast, keyboard."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, expect
from tests.browser.accessibility import small_targets, violations
from tests.browser.dashboard import OVERFLOW, assert_fits_any_window, sign_in
from tests.browser.fake_web import BASE_URL
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture, browser_context
from tests.browser.shops import add_reviewed_shop, store_shop
from tests.budgets import others_in_full
from tests.links import token_of

from reviewinvite_core import OPERATOR, Application, NewMember, NewShop, ReviewDraft, Role, Settings, accepted, build
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.testing.builders import NOON, ManualClock, an_order_report

OWNER = "anna@example.com"
RATINGS = (5, 4, 5, 5, 3, 4, 5, 2, 5, 4, 4, 5, 1, 5, 5)
SECTIONS = ("", "reviews", "invitations", "integrations", "settings", "members", "activity")
HOSTILE = ["</script><img src=x onerror=alert(1)>" * 8, "مخبز الطاحونة", "W" * 300]
CLOCK = ManualClock()


@pytest.fixture(scope="module")
def app(storage: MemoryStorage) -> Iterator[Application]:
    """A service whose clock goes on by hand."""
    CLOCK.set(NOON)
    settings = Settings(database_url="memory:", mail_url="recording:", base_url=BASE_URL)
    application = build(settings, storage=storage, clock=CLOCK)
    yield application
    application.close()


@pytest.fixture(scope="module")
def busy(app: Application) -> str:
    """A shop with a year of reviews, and invitations that wait; it has an owner."""
    ratings = itertools.cycle(RATINGS)
    site = add_reviewed_shop(app, [ReviewDraft(rating=5, text="Snel geleverd.", author="J. de Vries")], reply="Dank u!")
    caller = accepted(app.shops.act_for(site))
    for week in range(50):
        CLOCK.advance(timedelta(days=7))
        for each in range(week % 5):
            report = an_order_report(f"{week}-{each}@example.com", order_number=f"2026-{week:02}{each}", delay_days=0)
            invited = accepted(app.orders.report(caller, report))
            write(app, invited.invite_id, ReviewDraft(rating=next(ratings), text="Lekker brood!\nEn op tijd."))
    app.delivery.once()
    app.orders.report(caller, an_order_report("waits@example.com", order_number="2026-0193"))
    app.members.add(site, NewMember(email=OWNER, role=Role.OWNER))
    app.api_keys.create(site, "Webshop")
    app.domains.add(site, "www.not-verified-yet.example.nl")
    return site


def write(app: Application, invite_id: str, draft: ReviewDraft) -> None:
    app.reviews.write(token_of(app, invite_id, Purpose.REVIEW), draft)


@pytest.fixture(scope="module")
def empty(app: Application) -> str:
    """A shop that has only just been added; it has an owner."""
    app.shops.add(NewShop(site_id="new", name="Kaashandel"))
    app.members.add("new", NewMember(email=OWNER, role=Role.OWNER))
    return "new"


@pytest.fixture
def member(visit: PageVisit, app: Application, busy: str, empty: str) -> Iterator[PageVisit]:
    """The owner of both shops, signed in."""
    sign_in(visit, app, busy, OWNER)
    yield visit
    visit.tab.context.clear_cookies()


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("kind", others_in_full(["busy", "empty"], "busy"))
def test_every_section_fits_any_window_and_hinders_nobody(
    member: PageVisit,
    console_log: ConsoleLog,
    take_picture: TakePicture,
    request: pytest.FixtureRequest,
    section: str,
    kind: str,
) -> None:
    site = request.getfixturevalue(kind)
    name = f"dashboard-{section or 'overview'}-{kind}"
    assert_fits_any_window(member, take_picture, f"/dashboard/{site}/{section}", name)
    assert console_log.lines == []


@pytest.mark.parametrize("section", ["reviews", "invitations"])
def test_one_of_a_list_fits_any_window(member: PageVisit, take_picture: TakePicture, busy: str, section: str) -> None:
    member.open(f"{BASE_URL}/dashboard/{busy}/{section}")
    first = member.tab.locator(f"main a[href*='/{section}/']").first
    path = str(first.get_attribute("href")).removeprefix(BASE_URL)
    assert_fits_any_window(member, take_picture, path, f"dashboard-{section}-one")


@pytest.mark.parametrize("text", others_in_full(HOSTILE, HOSTILE[0]))
def test_whatever_a_shop_and_its_customers_write_the_layout_is_whole(
    member: PageVisit, app: Application, storage: MemoryStorage, console_log: ConsoleLog, text: str
) -> None:
    site = add_reviewed_shop(app, [ReviewDraft(rating=1, text=text * 12, author=text[:80])], reply=text)
    app.members.add(site, NewMember(email=OWNER, role=Role.OWNER))
    app.api_keys.create(site, text[:100])
    store_shop(storage, site, name=text)
    caller = accepted(app.shops.act_for(site))
    app.orders.report(caller, an_order_report(order_number=text[:128]))
    for width, section in itertools.product((320, 1280), SECTIONS):
        member.tab.set_viewport_size({"width": width, "height": 800})
        member.open(f"{BASE_URL}/dashboard/{site}/{section}")
        assert member.tab.evaluate(OVERFLOW) <= 0, section
        assert member.tab.locator("main img").count() == 0
        assert violations(member.tab) == []
    assert console_log.lines == []


def test_on_paper_there_is_no_frame(member: PageVisit, take_picture: TakePicture, busy: str) -> None:
    member.tab.set_viewport_size({"width": 800, "height": 1100})
    member.open(f"{BASE_URL}/dashboard/{busy}/")
    member.tab.emulate_media(media="print", color_scheme="dark")
    take_picture("dashboard-overview-print", full_page=True)
    assert member.tab.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert not member.tab.locator("body > .frame > header, .side, .button").locator("visible=true").count()
    expect(member.tab.get_by_text("Bakkerij De Molen").locator("visible=true")).to_have_count(1)


def test_high_contrast_shows_what_is_chosen(member: PageVisit, take_picture: TakePicture, busy: str) -> None:
    member.tab.emulate_media(forced_colors="active")
    member.tab.set_viewport_size({"width": 1280, "height": 800})
    member.open(f"{BASE_URL}/dashboard/{busy}/reviews")
    take_picture("dashboard-reviews-forced-colors", full_page=True)
    current = member.tab.locator(".side [aria-current]")
    assert current.evaluate("each => getComputedStyle(each).outlineStyle") == "solid"


def test_the_focus_is_seen_wherever_it_goes(member: PageVisit, busy: str) -> None:
    member.tab.set_viewport_size({"width": 1280, "height": 800})
    member.open(f"{BASE_URL}/dashboard/{busy}/integrations?language=en")
    reached = set()
    for _ in range(30):
        member.tab.keyboard.press("Tab")
        assert member.tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        reached.add(str(member.tab.evaluate("document.activeElement.textContent.trim()")))
    assert {"Skip to the content", "Reviews", "Create a key", "Add a domain"} <= reached


@pytest.mark.parametrize(("number", "fits"), [("2026-0182", True), ("W" * 128, False)])
def test_an_order_number_is_underlined_with_its_link(
    member: PageVisit, app: Application, take_picture: TakePicture, *, number: str, fits: bool
) -> None:
    site = add_reviewed_shop(app, [])
    app.members.add(site, NewMember(email=OWNER, role=Role.OWNER))
    report = an_order_report(order_number=number)
    invite_id = accepted(app.orders.report(accepted(app.shops.act_for(site)), report)).invite_id
    accepted(app.invitations.cancel(OPERATOR, invite_id))
    member.tab.set_viewport_size({"width": 360, "height": 800})
    member.open(f"{BASE_URL}/dashboard/{site}/activity?language=en")
    shown = member.tab.locator("a bdi.number")
    assert shown.evaluate("each => getComputedStyle(each).textDecorationLine") == "underline"
    lines = "each => each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)"
    assert (round(shown.evaluate(lines)) == 1) is fits
    assert member.tab.evaluate(OVERFLOW) <= 0
    take_picture(f"activity-number-{len(number)}", full_page=True)


def test_a_button_says_that_it_copied_and_selects_the_text_if_it_may_not(
    member: PageVisit, busy: str, console_log: ConsoleLog
) -> None:
    member.open(f"{BASE_URL}/dashboard/{busy}/integrations?language=en")
    clipboard = "{async writeText(text) { window.copied = text; }}"
    member.tab.evaluate(f"Object.defineProperty(navigator, 'clipboard', {{value: {clipboard}}}) && 0")
    for name, part in (("Copy the name", "record-2"), ("Copy the address", "address-2")):
        member.tab.get_by_role("button", name=name).click()
        expect(member.tab.get_by_role("button", name="Copied")).to_be_visible()
        expect(member.tab.locator(f"[data-copy={part}] [aria-live=polite]")).to_have_text("Copied")
        assert member.tab.evaluate("copied") == member.tab.locator(f"#{part}").inner_text()
        expect(member.tab.get_by_role("button", name=name)).to_be_visible()
    member.tab.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('refused')))")
    member.tab.get_by_role("button", name="Copy the value").click()
    expect(member.tab.get_by_role("button", name="Copied")).to_have_count(0)
    selected = member.tab.evaluate("getSelection().toString().trim()")
    assert selected == member.tab.locator("#proof-2").inner_text()
    assert console_log.lines == []


def test_the_checklist_copies_the_tag_and_leads_to_it_without_scripts(
    member: PageVisit, browser: Browser, empty: str, console_log: ConsoleLog
) -> None:
    overview = f"{BASE_URL}/dashboard/{empty}/?language=nl"
    member.open(overview)
    clipboard = "{async writeText(text) { window.copied = text; }}"
    member.tab.evaluate(f"Object.defineProperty(navigator, 'clipboard', {{value: {clipboard}}}) && 0")
    member.tab.get_by_role("link", name="Code kopiëren").click()
    expect(member.tab.get_by_role("link", name="Gekopieerd")).to_be_visible()
    assert member.tab.evaluate("copied") == f'<script async src="{BASE_URL}/w/{empty}.js"></script>'
    assert member.tab.url == overview
    state = member.tab.context.storage_state()
    with browser_context(browser, java_script_enabled=False, storage_state=state) as context:
        tab = context.new_page()
        tab.goto(overview)
        tab.get_by_role("link", name="Code kopiëren").click()
        expect(tab.locator("#badge")).to_be_in_viewport()
    assert console_log.lines == []


def test_a_form_begins_at_its_first_error(member: PageVisit, empty: str) -> None:
    member.tab.set_viewport_size({"width": 360, "height": 640})
    member.open(f"{BASE_URL}/dashboard/{empty}/integrations?language=nl")
    field = member.tab.get_by_label("Domein", exact=True)
    field.fill("geen domein")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    expect(member.tab.get_by_text("Vul een domein in, zoals www.example.com.")).to_be_in_viewport(ratio=1)
    field.fill("https://www.kaashandel.example.nl/")
    field.press("Enter")
    expect(member.tab.locator("#domains .rows").get_by_text("www.kaashandel.example.nl").first).to_be_visible()


@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_touched_has_room_for_a_finger(member: PageVisit, busy: str, section: str) -> None:
    member.tab.set_viewport_size({"width": 390, "height": 800})
    member.open(f"{BASE_URL}/dashboard/{busy}/{section}?language=nl")
    assert small_targets(member.tab) == []


@pytest.mark.parametrize(("theme", "drawn", "hints"), [("auto", "dark", 1), ("light", "light", 0)])
def test_automatic_colours_are_said_to_follow_the_device(
    member: PageVisit, busy: str, theme: str, drawn: str, hints: int
) -> None:
    member.open(f"{BASE_URL}/dashboard/{busy}/integrations?language=en")
    member.tab.get_by_label("Colours").select_option(theme)
    expect(member.tab.locator("iframe").last).to_have_attribute("src", re.compile(f"theme={drawn}"))
    expect(member.tab.get_by_text("Automatic follows the visitor’s device")).to_have_count(hints)

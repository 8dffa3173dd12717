"""A shop's first page in a real browser: new, in its first week, and after a year with all that can go wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

import attrs
import pytest
from playwright.sync_api import expect
from tests.browser.dashboard import assert_fits_any_window, assert_usable, sign_in
from tests.browser.fake_web import BASE_URL
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture
from tests.builders import a_dedup_key, a_domain, a_review, an_invitation

from reviewinvite_core import Application, NewMember, NewShop, Role, State, accepted
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.domain.invitation_figures import ANY_WEEK, InvitationFigures, week_of
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.ports import Store

EMAIL = "owner-of-many@example.com"
WEEK = timedelta(days=7)
WEEKS = {"new": (), "first-week": (0,), "third-week": (0, 2, 3), "year": tuple(set(range(52)) - {9, 20, 21})}
STAFF = "first-week"


@pytest.fixture(scope="module")
def shops(app: Application, storage: MemoryStorage) -> Application:
    """Shops of one member, which differ in the weeks that have reviews, counted back from this one."""
    for site, weeks in WEEKS.items():
        app.shops.add(NewShop(site_id=site, name="Bakkerij De Molen"))
        app.members.add(site, NewMember(email=EMAIL, role=Role.STAFF if site == STAFF else Role.OWNER))
        _live_through(app, storage, site, weeks)
    _go_wrong(app, storage, "year")
    return app


def _live_through(app: Application, storage: MemoryStorage, site: str, weeks: Sequence[int]) -> None:
    """Store what was sent and written in these weeks, without living through them."""
    shop, now = accepted(app.shops.show(site)), app.now()

    def fill(store: Store) -> None:
        for week in weeks:
            for place in range(1 + week * 7 % 5):
                serial = 10_000 * shop.number + 10 * week + place
                written_at = now - week * WEEK
                invitation = an_invitation(shop, serial, reported_at=written_at)
                store.invitations.schedule([(invitation, a_dedup_key(str(serial)))])
                store.reviews.add(a_review(invitation, 5 - week * place % 4, written_at=written_at))
        sent: InvitationFigures = {(State.SENT, week_of(now.date()) - week * WEEK): 1_040 + week % 9 for week in weeks}
        store.invitation_figures.keep(shop.number, sent)

    storage.run(fill)


def _go_wrong(app: Application, storage: MemoryStorage, site: str) -> None:
    """Let everything be wrong of which the page can speak, but for the shop itself being inactive."""
    shop, now = accepted(app.shops.show(site)), app.now()
    long_name = "webwinkel-met-een-lange-naam." * 4 + "example"

    def spoil(store: Store) -> None:
        store.shops.change(attrs.evolve(shop, requested_name="Molen" * 40))
        store.domains.add(a_domain(shop.number, long_name, lost_at=now))
        store.domains.add(a_domain(shop.number, "kaas.example", verified_at=now, missing_since=now))
        limits = {LimitKey(shop.number, "views"): 9_999_999, LimitKey(shop.number, "snippets"): 950}
        store.daily_counters.count(limits, now.date())
        figures = store.invitation_figures.figures(shop.number)
        more: InvitationFigures = {(State.REJECTED, week_of(now.date())): 1_234, (State.UNCERTAIN, ANY_WEEK): 2}
        store.invitation_figures.keep(shop.number, {**figures, **more})

    storage.run(spoil)


@pytest.fixture
def member(visit: PageVisit, shops: Application) -> Iterator[PageVisit]:
    """The member, signed in."""
    sign_in(visit, shops, "new", EMAIL)
    yield visit
    visit.tab.context.clear_cookies()


@pytest.mark.parametrize("site", WEEKS)
def test_it_fits_any_window_and_hinders_nobody(
    member: PageVisit, console_log: ConsoleLog, take_picture: TakePicture, site: str
) -> None:
    assert_fits_any_window(member, take_picture, f"/dashboard/{site}/", f"overview-{site}")
    member.tab.emulate_media(media="print")
    take_picture(f"overview-{site}-print", full_page=True)
    assert console_log.lines == []


def test_the_chart_is_as_wide_as_its_card_and_its_letters_keep_their_size(member: PageVisit) -> None:
    sizes = []
    for width in (320, 1280):
        member.tab.set_viewport_size({"width": width, "height": 800})
        member.open(f"{BASE_URL}/dashboard/year/")
        chart, card = member.tab.locator("svg.chart"), member.tab.locator(".card", has=member.tab.locator("svg.chart"))
        drawn, around = chart.bounding_box(), card.bounding_box()
        assert drawn
        assert around
        assert around["width"] * 0.75 < drawn["width"] < around["width"]
        sizes.append(chart.locator("text").first.evaluate("each => each.getBoundingClientRect().height"))
    assert sizes[0] == sizes[1]


def test_the_figures_of_each_week_stand_in_a_table_that_opens(member: PageVisit, take_picture: TakePicture) -> None:
    member.open(f"{BASE_URL}/dashboard/year/?language=en")
    member.tab.get_by_text("Weekly figures").first.click()
    rows = member.tab.locator(".weeks tbody tr")
    expect(rows).to_have_count(52)
    expect(rows.first).to_contain_text("5.00")
    ends = [member.tab.locator(f".weeks {each} .number").last.bounding_box() for each in ("thead", "tbody")]
    assert ends[0]
    assert ends[1]
    assert ends[0]["x"] == ends[1]["x"]
    assert_usable(member.tab, take_picture, "overview-table")


def test_a_step_leads_to_the_place_where_it_is_done(member: PageVisit) -> None:
    member.open(f"{BASE_URL}/dashboard/new/?language=en")
    member.tab.get_by_role("link", name="Add a domain").click()
    expect(member.tab.locator("#domains")).to_be_in_viewport()


def test_every_column_of_the_weeks_is_seen_on_a_phone(member: PageVisit, take_picture: TakePicture) -> None:
    member.tab.set_viewport_size({"width": 360, "height": 800})
    for language in ("nl", "en"):
        member.open(f"{BASE_URL}/dashboard/year/?language={language}")
        member.tab.locator(".weeks summary").click()
        take_picture(f"overview-weeks-360-{language}", full_page=True)
        region = member.tab.locator(".weeks .table-scroll")
        assert region.evaluate("each => each.scrollWidth - each.clientWidth") == 0
        for cell in ("thead th", "tbody tr:first-child > *"):
            boxes = region.locator(cell).evaluate_all("all => all.map(each => each.getBoundingClientRect().right)")
            assert len(boxes) == 4
            assert max(boxes) <= 360
        figures = member.tab.locator(".stat dd").evaluate_all(
            "all => all.map(each => each.scrollWidth - each.clientWidth)"
        )
        assert max(figures) <= 0


def test_the_figures_of_each_week_are_on_paper_without_being_opened(
    member: PageVisit, take_picture: TakePicture
) -> None:
    member.tab.set_viewport_size({"width": 800, "height": 1100})
    member.open(f"{BASE_URL}/dashboard/year/?language=en")
    rows = member.tab.locator(".weeks tbody tr")
    assert not rows.last.evaluate("each => each.checkVisibility({contentVisibilityAuto: true})")
    member.tab.emulate_media(media="print")
    take_picture("overview-weeks-print", full_page=True)
    assert rows.last.evaluate("each => each.checkVisibility({contentVisibilityAuto: true})")
    region = member.tab.locator(".weeks .table-scroll")
    assert region.evaluate("each => each.scrollHeight - each.clientHeight") == 0
    member.tab.emulate_media(media="screen")


def test_what_was_closed_is_open_only_while_it_is_printed(member: PageVisit) -> None:
    member.open(f"{BASE_URL}/dashboard/year/?language=en")
    weeks = member.tab.locator("details.weeks")
    member.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert weeks.evaluate("each => each.open")
    member.tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not weeks.evaluate("each => each.open")

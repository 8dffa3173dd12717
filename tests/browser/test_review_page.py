"""The review page in a real browser: telephone and desktop, light and dark, by keyboard alone, without scripts."""

from __future__ import annotations

import http.client
import itertools
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page as Tab, expect
from tests.browser.accessibility import small_targets, violations
from tests.browser.fake_web import BASE_URL, SITE, FakeWeb, Handler
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture, browser_context
from tests.budgets import in_full, others_in_full
from tests.http.service import Deployment, wait_until_read
from tests.links import token_of
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import (
    Application,
    NewReply,
    ReviewDraft,
    ReviewQuery,
    Settings,
    StorageUnavailable,
    accepted,
    build,
)
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.testing.builders import NOON, ManualClock, a_shop, an_order_report
from reviewinvite_core.values import HideReason, Review
from reviewinvite_http.errors import refusal_answer
from reviewinvite_http.pages.page import TEMPLATE_CONFIG, unsent_page
from reviewinvite_http.pages.review.form import decode_review

DAY = timedelta(days=1)
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
TEXT = "Snel geleverd, en het brood was nog warm.\n\nVolgende keer graag een mesje erbij! 🍞"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_numbers = itertools.count(1001)
CLOCK = ManualClock()


@pytest.fixture(scope="module")
def app() -> Iterator[Application]:
    """A service with a shop, whose clock stands still."""
    application = build(Settings(database_url="memory:", mail_url="recording:", base_url=BASE_URL), clock=CLOCK)
    application.shops.add(a_shop(SITE))
    yield application
    application.close()


@pytest.fixture(autouse=True)
def noon() -> None:
    CLOCK.set(NOON)


@pytest.fixture
def token(app: Application) -> str:
    return a_token(app)


def a_token(app: Application, language: str | None = None) -> str:
    """Return the token of an invitation that has been sent."""
    invite_id = report_order(app, delay_days=0, language=language)
    app.delivery.once()
    return token_of(app, invite_id, Purpose.REVIEW)


def report_order(app: Application, **fields: Any) -> str:
    """Report an order, and return the id of its invitation."""
    report = an_order_report(order_number=str(next(_numbers)), **fields)
    return accepted(app.orders.report(accepted(app.shops.act_for(SITE)), report)).invite_id


def stored_review(app: Application, token: str) -> Review | None:
    """Return the review behind this link, or None if there is none."""
    link = app.reviews.show_link(token)
    assert link
    return link.review


def written_review(app: Application, token: str) -> Review:
    """Return the review behind this link, which must exist."""
    review = stored_review(app, token)
    assert review
    return review


def address(token: str, query: str = "") -> str:
    return f"{BASE_URL}/r/{token}{query}"


def nothing(app: Application, token: str) -> None:
    """The link is new."""


def written(app: Application, token: str) -> None:
    app.reviews.write(token, ReviewDraft(rating=4, text=TEXT, author="Anna"))


def nameless(app: Application, token: str) -> None:
    app.reviews.write(token, ReviewDraft(rating=1))


def answered(app: Application, token: str) -> None:
    app.reviews.write(token, ReviewDraft(rating=2, text="Pff.\n" * 3, author="مريم"))
    reply = NewReply(text="Wat jammer! Bel ons, dan maken we het goed.\nGroet, de bakker")
    app.reviews.reply(accepted(app.shops.act_for(SITE)), written_review(app, token).review_id, reply)


def hidden(app: Application, token: str) -> None:
    written(app, token)
    app.reviews.hide(written_review(app, token).review_id, HideReason.PERSONAL_DATA)


def withdrawn(app: Application, token: str) -> None:
    written(app, token)
    app.reviews.withdraw(token)


def spent(app: Application, token: str) -> None:
    for number in range(100):
        app.reviews.write(token, ReviewDraft(rating=number % 5 + 1, text=TEXT))


def final(app: Application, token: str) -> None:
    written(app, token)
    CLOCK.advance(31 * DAY)


def withdrawn_for_good(app: Application, token: str) -> None:
    withdrawn(app, token)
    CLOCK.advance(31 * DAY)


def ended(app: Application, token: str) -> None:
    CLOCK.advance(91 * DAY)


def do_nothing(tab: Tab) -> None:
    """Do nothing."""


def unfold(tab: Tab) -> None:
    for summary in tab.locator("summary").all():
        summary.click()


def send(tab: Tab) -> None:
    """Press the button, and wait for the page that answers."""
    with tab.expect_navigation():
        tab.locator("form.review button").click()


def send_nonsense(tab: Tab) -> None:
    tab.locator("#text").evaluate("(it) => { it.maxLength = 9000; it.value = 'Lang. '.repeat(700); }")
    tab.locator("#author").evaluate("(it) => { it.value = 'a\\u202eb'; }")
    send(tab)


def send_too_late(tab: Tab) -> None:
    CLOCK.advance(91 * DAY)
    tab.locator("#rating-5").click()
    send(tab)


def change_too_late(tab: Tab) -> None:
    CLOCK.advance(31 * DAY)
    tab.locator("summary").first.click()
    tab.locator("#text").fill("Bij nader inzien was het brood heerlijk.")
    send(tab)


STATES: dict[str, tuple[Callable[[Application, str], None], str, Callable[[Tab], None]]] = {
    "open": (nothing, "", do_nothing),
    "nothing-chosen": (nothing, "", send),
    "nonsense": (nothing, "", send_nonsense),
    "done": (written, "done=yes", do_nothing),
    "unfolded": (written, "", unfold),
    "nameless": (nameless, "", do_nothing),
    "answered": (answered, "", do_nothing),
    "hidden": (hidden, "", do_nothing),
    "withdrawn": (withdrawn, "", do_nothing),
    "spent": (spent, "", unfold),
    "final": (final, "", do_nothing),
    "withdrawn-for-good": (withdrawn_for_good, "", do_nothing),
    "ended": (ended, "", do_nothing),
    "too-late": (nothing, "", send_too_late),
    "too-late-to-change": (written, "", change_too_late),
}


WINDOWS = {"nl-360": ("nl", 360), "en-1280": ("en", 1280)}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("state", others_in_full(STATES, "open", "nonsense", "answered", "withdrawn", "too-late"))
def test_every_state_of_it_fits_and_is_for_everybody(
    visit: PageVisit, app: Application, token: str, take_picture: TakePicture, state: str, window: str
) -> None:
    before, query, then = STATES[state]
    language, width = WINDOWS[window]
    before(app, token)
    tab = visit.tab
    tab.set_viewport_size({"width": width, "height": 800})
    console_log = ConsoleLog(tab)
    visit.open(address(token, f"?language={language}&{query}"))
    then(tab)
    for scheme in SCHEMES:
        tab.emulate_media(color_scheme=scheme)
        take_picture(f"review-{state}-{width}-{scheme}", full_page=True)
        assert violations(tab) == []
        assert small_targets(tab) == []
        assert tab.evaluate(OVERFLOW) <= 0
    assert tab.locator("html").get_attribute("lang") == language
    assert [line for line in console_log.lines if "the server responded with a status of 4" not in line] == []
    assert visit.errors == []


@pytest.mark.parametrize(
    "path", others_in_full(["/u/{}", "/u/{}?language=en", "/u/none", "/r/none"], "/u/{}", "/r/none")
)
def test_the_other_pages_behind_personal_links_are_for_everybody(
    visit: PageVisit, app: Application, take_picture: TakePicture, path: str
) -> None:
    invite_id = report_order(app)
    visit.open(f"{BASE_URL}{path.format(token_of(app, invite_id))}")
    name = path.strip("/").replace("/", "-").replace("?", "-").format("link")
    for width, scheme in itertools.product((320, 360, 1280), SCHEMES):
        visit.tab.set_viewport_size({"width": width, "height": 800})
        visit.tab.emulate_media(color_scheme=scheme)
        take_picture(f"{name}-{width}-{scheme}", full_page=True)
        assert violations(visit.tab) == []
        assert visit.tab.evaluate(OVERFLOW) <= 0


def test_the_error_about_the_stars_goes_when_some_are_chosen(visit: PageVisit, token: str) -> None:
    visit.open(address(token, "?language=nl"))
    send(visit.tab)
    stars = visit.tab.locator("fieldset")
    expect(stars).to_have_attribute("aria-invalid", "true")
    visit.tab.locator("#rating-4").click()
    expect(visit.tab.get_by_text("Kies 1 tot 5 sterren.")).to_have_count(0)
    assert not stars.evaluate("each => each.matches('[aria-invalid], [aria-describedby]')")
    assert stars.evaluate("each => getComputedStyle(each).outlineStyle") == "none"
    assert visit.errors == []


def test_nothing_moves_whatever_a_person_prefers(visit: PageVisit, token: str) -> None:
    visit.open(address(token))
    visit.tab.locator("form.review button").hover()
    moving = "getComputedStyle(each).transitionDuration !== '0s' || getComputedStyle(each).animationName !== 'none'"
    assert visit.tab.evaluate(f"[...document.querySelectorAll('*')].filter((each) => {moving}).length") == 0


def test_an_order_number_breaks_only_if_it_has_to(visit: PageVisit, app: Application) -> None:
    visit.tab.set_viewport_size({"width": 320, "height": 800})
    lines = "each => each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)"
    for number, fits in (("2026-0193-A-1001", True), (f"{'W' * 31}1", False)):
        report = an_order_report(order_number=number, delay_days=0, language="en")
        invite_id = accepted(app.orders.report(accepted(app.shops.act_for(SITE)), report)).invite_id
        visit.open(address(token_of(app, invite_id, Purpose.REVIEW)))
        assert (round(visit.tab.locator("bdi.number").evaluate(lines)) == 1) is fits
        assert visit.tab.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize("scripts", [True, in_full(False)])
@pytest.mark.parametrize(
    "button", ["No more invitations from Bakkerij De Molen", in_full("No more invitations from any shop")]
)
def test_an_opt_out_is_undone_where_it_was_made(
    browser: Browser, app: Application, web: FakeWeb, scripts: bool, button: str
) -> None:
    path = f"/u/{token_of(app, report_order(app))}?language=en"
    with browser_context(browser, java_script_enabled=scripts, viewport={"width": 360, "height": 640}) as context:
        tab = context.new_page()
        tab.goto(f"{BASE_URL}{path}")
        tab.get_by_role("button", name=button).click()
        tab.get_by_role("heading", name="You will not get any more invitations").wait_for()
        assert not scripts or violations(tab) == []
        assert not scripts or tab.evaluate(OVERFLOW) <= 0
        assert [each.by for each in suppressions(app)] == [SuppressedBy.CUSTOMER]
        tab.goto(f"{BASE_URL}{path}")  # later, by the same link
        tab.get_by_role("button", name="invite me again").click()
        tab.get_by_role("heading", name="Bakkerij De Molen may invite you again").wait_for()
        assert not scripts or violations(tab) == []
        assert suppressions(app) == []


def suppressions(app: Application) -> list[Suppression]:
    return [each.suppression for each in app.privacy.list_suppressions()]


def test_what_finds_violations_finds_one(visit: PageVisit, app: Application, token: str) -> None:
    visit.open(address(token))
    visit.tab.locator("label[for=author]").evaluate("(label) => label.remove()")
    assert "label" in {each.partition(":")[0] for each in violations(visit.tab)}


def press(tab: Tab, key: str, times: int = 1) -> None:
    for _ in range(times):
        tab.keyboard.press(key)


def tab_to(tab: Tab, selector: str) -> None:
    """Go on with the Tab key until the focus is there."""
    for _ in range(20):
        press(tab, "Tab")
        if tab.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    message = f"the Tab key does not lead to {selector}"
    raise AssertionError(message)


KEYBOARD_USERS = {
    "nl-with-scripts": ("nl", True),
    "en-without-scripts": ("en", False),
    "nl-without-scripts": ("nl", False),
    "en-with-scripts": ("en", True),
}


@pytest.mark.parametrize("keyboard_user", KEYBOARD_USERS)
def test_all_of_it_goes_by_keyboard_alone(browser: Browser, app: Application, web: FakeWeb, keyboard_user: str) -> None:
    language, scripts = KEYBOARD_USERS[keyboard_user]
    token = a_token(app, language=language)
    with browser_context(browser, java_script_enabled=scripts, viewport={"width": 360, "height": 640}) as context:
        tab = context.new_page()
        requested: list[str] = []
        tab.on("request", lambda request: requested.append(request.url))
        tab.goto(address(token))
        assert tab.locator("html").get_attribute("lang") == language
        tab_to(tab, "[name=rating]")
        press(tab, "Space")
        press(tab, "ArrowRight", 3)
        press(tab, "Tab")
        tab.keyboard.type("Prima <b>brood</b>")
        press(tab, "Enter")
        tab.keyboard.type("Tot ziens")
        press(tab, "Tab")
        tab.keyboard.type("Anna")
        with tab.expect_navigation():
            press(tab, "Enter")
        review = written_review(app, token)
        assert (review.rating, review.text, review.author) == (4, "Prima <b>brood</b>\nTot ziens", "Anna")
        assert str(tab.locator("h1").text_content()).startswith({"nl": "Dank u wel", "en": "Thank you"}[language])
        assert tab.locator(".written").text_content() == review.text
        assert not tab.locator("form.review").is_visible()

        tab_to(tab, "summary")
        press(tab, "Enter")
        tab_to(tab, "[name=rating]:checked")
        press(tab, "ArrowLeft", 2)
        tab_to(tab, "form.review button")
        with tab.expect_navigation():
            press(tab, "Space")
        assert written_review(app, token).rating == 2
        assert tab.locator("#rating-2").is_checked()

        tab_to(tab, "summary")
        tab_to(tab, "summary")
        press(tab, "Space")
        tab_to(tab, "[value=withdraw]")
        with tab.expect_navigation():
            press(tab, "Enter")
        assert written_review(app, token).rating is None
        assert (
            tab.locator("h1").text_content()
            == {"nl": "Uw beoordeling is ingetrokken", "en": "Your review has been withdrawn"}[language]
        )
        assert tab.locator("#text").input_value() == ""
        assert {url.partition("/r/")[0] for url in requested} == {BASE_URL}
        assert context.cookies() == []


STARS = "[...document.querySelectorAll('.choice label svg')].map((star) => getComputedStyle(star).fill)"
EMPTY = "rgba(0, 0, 0, 0)"


def test_the_stars_are_large_and_fill_up_to_the_one_touched(browser: Browser, app: Application, token: str) -> None:
    with browser_context(browser, has_touch=True, is_mobile=True, viewport={"width": 360, "height": 640}) as context:
        tab = context.new_page()
        tab.goto(address(token))
        assert tab.evaluate(STARS) == [EMPTY] * 5
        for number in (4, 1, 5):
            label = tab.locator(f"label[for=rating-{number}]")
            box = label.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 44
            tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            expect(tab.locator(f"#rating-{number}")).to_be_checked()
            assert [fill == EMPTY for fill in tab.evaluate(STARS)] == [False] * number + [True] * (5 - number)
            words = "[...document.querySelectorAll('.word')].map((each) => Number(getComputedStyle(each).opacity))"
            assert tab.evaluate(words) == [float(each == number) for each in range(1, 6)]
        assert tab.evaluate(NAMES) == [
            *("1 ster: slecht", "2 sterren: matig", "3 sterren: redelijk", "4 sterren: goed", "5 sterren: uitstekend")
        ]


NAMES = "[...document.querySelectorAll('[name=rating]')].map((each) => each.labels[0].textContent.trim())"


def test_the_focus_can_be_seen_on_each_star(visit: PageVisit, token: str, take_picture: TakePicture) -> None:
    visit.open(address(token))
    tab_to(visit.tab, "[name=rating]")
    press(visit.tab, "ArrowRight", 2)
    outline = "getComputedStyle(document.querySelector('#rating-{} + label')).outlineStyle"
    assert visit.tab.evaluate(outline.format(3)) == "solid"
    assert visit.tab.evaluate(outline.format(2)) == "none"
    take_picture("review-focus")


def test_high_contrast_keeps_the_stars_apart(visit: PageVisit, token: str, take_picture: TakePicture) -> None:
    visit.tab.emulate_media(forced_colors="active")
    visit.open(address(token))
    visit.tab.locator("#rating-2").click()
    fills = visit.tab.evaluate(STARS)
    assert [fill == fills[0] for fill in fills] == [True, True, False, False, False]
    take_picture("review-forced-colors", full_page=True)


def test_what_is_wrong_is_told_where_it_is_and_what_was_typed_is_still_there(visit: PageVisit, token: str) -> None:
    tab = visit.tab
    visit.open(address(token))
    tab.locator("#text").fill("Eerst\n</textarea><script>alert(1)</script>")
    tab.locator("#author").fill('"><img src=x onerror=alert(1)>')
    send(tab)
    assert tab.title().startswith("Fout: ")
    group = tab.get_by_role("radiogroup", name="Hoeveel sterren")
    expect(group).to_be_focused()
    assert group.get_attribute("aria-invalid") == "true"
    assert group.get_attribute("aria-describedby") == "rating-problem"
    assert tab.evaluate("getComputedStyle(document.querySelector('fieldset')).outlineStyle") == "solid"
    assert tab.evaluate(STARS) == [EMPTY] * 5
    assert tab.evaluate("getComputedStyle(document.querySelector('#rating-1 + label')).outlineStyle") == "none"
    press(tab, "Tab")
    expect(tab.locator("#rating-1")).to_be_focused()
    assert tab.locator("#rating-problem").text_content() == "Kies 1 tot 5 sterren."
    assert tab.locator("#text").input_value() == "Eerst\n</textarea><script>alert(1)</script>"
    assert tab.locator("#author").input_value() == '"><img src=x onerror=alert(1)>'
    tab.locator("#rating-3").click()
    send(tab)
    assert tab.locator(".written").text_content() == "Eerst\n</textarea><script>alert(1)</script>"
    assert visit.errors == []


def test_the_first_wrong_field_has_the_focus(visit: PageVisit, token: str) -> None:
    visit.open(address(token))
    visit.tab.locator("#rating-3").click()
    send_nonsense(visit.tab)
    expect(visit.tab.locator("#text")).to_be_focused()
    described = str(visit.tab.locator("#text").get_attribute("aria-describedby")).split()
    assert described == ["text-problem", "text-hint"]
    assert all(visit.tab.locator(f"#{each}").is_visible() for each in described)
    assert visit.tab.locator("#text").input_value() == "Lang. " * 700
    assert visit.tab.locator("#author").input_value() == "a\u202eb"


@pytest.mark.parametrize("letter", others_in_full(["a", "é", "€", "🍞", "\u2028"], "🍞"))
def test_whatever_the_browser_lets_through_is_taken(
    visit: PageVisit, app: Application, token: str, letter: str
) -> None:
    tab = visit.tab
    visit.open(address(token))
    tab.locator("#rating-5").click()
    tab.locator("#text").click()
    tab.keyboard.insert_text(f"x{letter * 4500}x")
    tab.locator("#author").click()
    tab.keyboard.insert_text("🍞" * 100)
    typed = tab.locator("#text").input_value()
    assert 2000 <= len(typed) <= 4000
    send(tab)
    review = written_review(app, token)
    assert (review.text, review.author) == (typed.strip(), "🍞" * 40)


def test_a_counter_says_how_much_is_left(visit: PageVisit, token: str) -> None:
    tab = visit.tab
    visit.open(address(token))
    shown, announced = tab.locator(".left[aria-hidden]"), tab.locator("[role=status]")
    assert shown.text_content() == "Resterende tekens: 4.000"
    tab.locator("#text").click()
    tab.keyboard.type("brood")
    assert shown.text_content() == "Resterende tekens: 3.995"
    expect(announced).to_have_text("Resterende tekens: 3.995")
    tab.goto(address(token, "?language=en"))
    assert shown.text_content() == "Characters left: 4,000"


def test_the_switch_of_language_keeps_the_link(visit: PageVisit, app: Application, token: str) -> None:
    visit.open(address(token))
    with visit.tab.expect_navigation():
        visit.tab.get_by_text("English").click()
    visit.tab.locator("#rating-5").click()
    visit.tab.get_by_role("button", name="Publish review").click()
    visit.tab.wait_for_url("**/r/*done=yes")
    assert visit.tab.locator("h1").text_content() == "Thank you, your review has been published"
    assert written_review(app, token).language == "en"


@pytest.mark.parametrize("before", [nothing, in_full(written)])
def test_the_switch_of_language_keeps_what_was_typed(
    visit: PageVisit, app: Application, web: FakeWeb, token: str, before: Callable[[Application, str], None]
) -> None:
    before(app, token)
    tab, standing = visit.tab, stored_review(app, token)
    visit.open(address(token))
    tab.get_by_text("English").click()
    tab.wait_for_url("**/r/*language=en")
    assert web.reports == []  # nothing was typed yet
    if standing:
        tab.locator("summary").first.click()
    tab.locator("#rating-2").click()
    tab.locator("#text").fill("Half a sentence\nand")
    for language, other in (("nl", "Nederlands"), ("en", "English")):
        with tab.expect_navigation():
            tab.get_by_text(other).click()
        assert tab.locator("html").get_attribute("lang") == language
        assert tab.locator("#rating-2").is_checked()
        assert tab.locator("#text").input_value() == "Half a sentence\nand"
    assert stored_review(app, token) == standing
    sent = len(web.reports)
    web.faults["POST"] = lambda handler: handler.reply(204, b"", {})  # the browser stays on the page
    tab.get_by_text("Nederlands").click()
    wait_until(lambda: len(web.reports) > sent)
    visit.wait_until_idle()
    web.faults.clear()
    send(tab)  # what the switch has sent along is not in the form any more
    review = written_review(app, token)
    assert (review.rating, review.text) == (2, "Half a sentence\nand")
    assert visit.errors == []


def test_without_scripts_the_switch_of_language_keeps_what_was_typed_as_well(
    browser: Browser, app: Application, web: FakeWeb, token: str
) -> None:
    with browser_context(browser, java_script_enabled=False) as context:
        tab = context.new_page()
        tab.goto(address(token))
        tab.locator("#rating-2").click()
        tab.locator("#text").fill("Half a sentence\nand")
        tab.locator("#author").fill("Anna")
        with tab.expect_navigation():
            tab.get_by_role("button", name="English").click()
        assert tab.locator("html").get_attribute("lang") == "en"
        assert tab.locator("#rating-2").is_checked()
        assert tab.locator("#text").input_value() == "Half a sentence\nand"
        assert stored_review(app, token) is None
        tab.locator("#author").focus()
        with tab.expect_navigation():
            press(tab, "Enter")  # presses the button that publishes, not the one that comes first
        review = written_review(app, token)
        assert (review.rating, review.text, review.author) == (2, "Half a sentence\nand", "Anna")


def test_what_came_too_late_is_still_there_in_the_other_language(
    visit: PageVisit, app: Application, token: str
) -> None:
    visit.open(address(token))
    visit.tab.locator("#text").fill("Dag")
    send_too_late(visit.tab)
    with visit.tab.expect_navigation():
        visit.tab.get_by_role("button", name="English").click()
    assert visit.tab.locator("html").get_attribute("lang") == "en"
    assert visit.tab.locator("#unsaved").input_value() == "Dag"
    assert visit.errors == []


def test_what_was_typed_outlives_the_end_of_the_server(
    visit: PageVisit, web: FakeWeb, tmp_path: Path, take_picture: TakePicture
) -> None:
    """A real process gets SIGTERM while the review waits for its database, and another one takes its place."""
    deployment, service, sent = Deployment(tmp_path, shutdown_seconds=1), web.service, threading.Event()

    def forward(handler: Handler) -> None:
        connection = http.client.HTTPConnection(web.service, timeout=TIMEOUT_SECONDS)
        connection.request("POST", handler.path, web.reports[-1], dict(handler.headers.items()))
        sent.set()
        answer = connection.getresponse()
        handler.reply(answer.status, answer.read(), dict(answer.getheaders()))
        connection.close()

    with deployment.library() as stored:
        token = a_token(stored)
    tab, first = visit.tab, deployment.serve("--no-worker")
    try:
        web.service = urlsplit(first.address).netloc
        web.faults["POST"] = forward
        visit.open(address(token, "?language=en"))
        tab.locator("#rating-4").click()
        tab.locator("#text").fill("Warm bread,\nnice people")
        tab.locator("#author").fill("Anna")
        with closing(sqlite3.connect(deployment.database, isolation_level=None)) as other, tab.expect_navigation():
            other.execute("BEGIN IMMEDIATE")
            tab.locator("form.review button").click()
            assert sent.wait(TIMEOUT_SECONDS)
            wait_until_read(first.address)
            assert first.terminate() == 0
        assert tab.get_by_label("What you wrote has not been saved yet.").input_value() == "Warm bread,\nnice people"
        take_picture("review-unsent-after-a-shutdown", full_page=True)
        web.service = urlsplit(deployment.serve("--no-worker").address).netloc
        with tab.expect_navigation():
            tab.get_by_role("button", name="Send again").click()
        assert tab.locator("h1").text_content() == "Thank you, your review has been published"
        with deployment.library() as stored:
            review = written_review(stored, token)
        assert (review.rating, review.text, review.author) == (4, "Warm bread,\nnice people", "Anna")
        assert visit.errors == []
    finally:
        web.service = service
        deployment.stop()


def test_what_could_not_be_stored_is_sent_once_more_with_one_button(
    visit: PageVisit, app: Application, web: FakeWeb, token: str, take_picture: TakePicture
) -> None:
    tab = visit.tab
    visit.open(address(token))
    tab.locator("#rating-4").click()
    tab.locator("#text").fill("\nEerst\n</textarea>")
    tab.locator("#author").fill('"Anna"')
    unsent = unsent_page(refusal_answer(StorageUnavailable(), "1-1"), "1-1", decode_review(sent_by(tab)), None)
    body = TEMPLATE_CONFIG.engine_instance.get_template(unsent.template_name or "").render(unsent.context).encode()
    web.faults["POST"] = lambda handler: handler.reply(503, body, {"Content-Type": "text/html", **unsent.headers})
    send(tab)
    assert tab.get_by_label(
        "Wat u hebt geschreven, is nog niet opgeslagen. What you wrote has not been saved yet."
    ).is_visible()
    for width, scheme in zip((360, 1280), SCHEMES, strict=True):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.emulate_media(color_scheme=scheme)
        take_picture(f"review-unsent-{width}-{scheme}", full_page=True)
        assert violations(tab) == []
        assert tab.evaluate(OVERFLOW) <= 0
    web.faults.clear()
    with tab.expect_navigation():
        tab.get_by_role("button").click()
    review = written_review(app, token)
    assert (review.rating, review.text, review.author) == (4, "Eerst\n</textarea>", '"Anna"')
    assert visit.errors == []


def sent_by(tab: Tab) -> bytes:
    """What the form would send now."""
    entries = "new URLSearchParams(new FormData(document.querySelector('form.review'))).toString()"
    return str(tab.evaluate(entries)).encode()


def test_a_reload_after_sending_sends_nothing(visit: PageVisit, app: Application, web: FakeWeb, token: str) -> None:
    visit.open(address(token))
    visit.tab.locator("#rating-5").click()
    send(visit.tab)
    visit.tab.wait_for_url("**/r/*done=yes")
    before = len(web.reports)
    visit.tab.reload()
    visit.tab.go_back()
    assert len(web.reports) == before == 1
    assert len(accepted(app.reviews.list(ReviewQuery(site_id=SITE, limit=1000)))) >= 1

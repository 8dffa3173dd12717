"""The badge in a real browser, from the real service: where it is drawn, where nothing is, and no page is harmed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.browser.badge_rendering import NAME, rendered_badges
from tests.browser.fake_web import BASE_URL, HOST, SITE, FakeWeb, drop_connection, respond_with
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture, serve_page
from tests.browser.shops import store_shop
from tests.budgets import in_full, others_in_full

from reviewinvite_core import Application, ShopChanges
from reviewinvite_core.domain.embedding import BadgeEmbed
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.ports import Storage
from reviewinvite_core.values import CountMode, TrustMark

BADGE = BadgeEmbed(SiteId(SITE), BASE_URL)
PAGE = f"https://{HOST}/"
FOREIGN = "https://elsewhere.example.nl/"
STRICT = (
    f"default-src 'none'; script-src 'self' {BASE_URL}; require-trusted-types-for 'script'; trusted-types 'none'; "
    "base-uri 'none'"
)
HOSTILE = """<style>
html { font-size: 40px; letter-spacing: 9px; line-height: 4; text-indent: 99px; text-transform: uppercase }
* { color: red !important; background: lime !important; font: 60px fantasy !important; --text: red !important }
body * { all: unset !important; display: none !important }
reviewinvite-badge { opacity: 0 !important; transform: scale(3) !important; position: fixed !important;
  animation: spin 1s infinite !important; transition: all 9s !important; zoom: 4 !important;
  filter: blur(9px) !important }
reviewinvite-badge::before, reviewinvite-badge::after { content: "x" !important; display: block !important }
@keyframes spin { to { rotate: 360deg } }
</style>"""
HOSTILE_NAMES = {
    "an end of the script": "</script><img src=x onerror=alert(1)>",
    "line separators": "a\u2028b\u2029c",
    "from right to left": "مخبز الطاحونة",
    "two hundred emoji": "🎁" * 200,
    "quotes": "'\"`${alert(1)}\\",
    "a comment": "<!--<script>",
}


@pytest.fixture(autouse=True)
def trusted(app: Application, storage: Storage) -> Iterator[None]:
    store_shop(storage, SITE, trust_mark=TrustMark.GRANTED)
    yield
    app.shops.update(SITE, ShopChanges(active=True, name="Bakkerij De Molen"))


def open_page(visit: PageVisit, web: FakeWeb, tag: str = BADGE.tag, address: str = PAGE, **headers: str) -> None:
    """Open a page with this tag, and wait for all its scripts."""
    visit.open(serve_page(web, address, tag, **headers))
    visit.assert_undisturbed()


def has_no_badge(visit: PageVisit) -> bool:
    return visit.tab.locator(NAME).count() == 0


@pytest.mark.parametrize("host", others_in_full([HOST, f"www.{HOST}", f"{HOST}.", f"www.{HOST}."], HOST))
@pytest.mark.parametrize("policy", ["strict-origin-when-cross-origin", in_full("no-referrer")])
def test_it_is_drawn_on_the_shops_own_host(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, host: str, policy: str
) -> None:
    open_page(visit, web, address=f"https://{host}/", Referrer_Policy=policy)
    (badge,) = rendered_badges(visit.tab)
    assert badge.texts == ["Keurmerk", "Nog geen beoordelingen"]
    assert badge.has_mark
    assert badge.accessible_name == (
        "Bakkerij De Molen: Keurmerk, Nog geen beoordelingen, via reviews.example.nl (opent in een nieuw tabblad)"
    )
    assert badge.evaluate("return this.href;") == f"{BASE_URL}/shops/{SITE}"
    assert console_log.lines == []


@pytest.mark.parametrize(
    ("host", "policy"),
    [
        ("elsewhere.example.nl", "strict-origin-when-cross-origin"),  # the service sees where it is
        ("elsewhere.example.nl", "no-referrer"),
        *(in_full(host, "no-referrer") for host in (f"my.{HOST}", f"www.www.{HOST}")),
    ],
)
def test_another_host_shows_nothing(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, host: str, policy: str
) -> None:
    open_page(visit, web, address=f"https://{host}/", Referrer_Policy=policy)
    assert has_no_badge(visit)
    assert console_log.lines == []


def use_up_views(app: Application, storage: Storage) -> None:
    store_shop(storage, SITE, trust_mark=TrustMark.ABSENT)
    for _ in range(1_000):
        app.badges.show(SITE, None, CountMode.COUNT)


WITHOUT: dict[str, Callable[[Application, Storage], object]] = {
    "the mark is revoked": lambda _, storage: store_shop(storage, SITE, trust_mark=TrustMark.REVOKED),
    "the shop is inactive": lambda app, _: app.shops.update(SITE, ShopChanges(active=False)),
}


@pytest.mark.parametrize("why", others_in_full(WITHOUT, "the mark is revoked"))
def test_where_there_is_nothing_to_show_nothing_is_shown(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, app: Application, storage: Storage, why: str
) -> None:
    WITHOUT[why](app, storage)
    open_page(visit, web)
    assert has_no_badge(visit)
    assert console_log.lines == []


def test_an_unknown_site_shows_nothing(visit: PageVisit, web: FakeWeb, console_log: ConsoleLog) -> None:
    open_page(visit, web, BadgeEmbed(SiteId("of-nobody"), BASE_URL).tag)
    assert has_no_badge(visit)
    assert console_log.lines == []


FAULTS = {"answers 500": respond_with(500), "answers 404": respond_with(404), "breaks off": drop_connection}


@pytest.mark.parametrize("fault", others_in_full(FAULTS, "answers 500"))
def test_a_service_in_trouble_is_not_noticed(visit: PageVisit, web: FakeWeb, fault: str) -> None:
    web.faults["GET"] = FAULTS[fault]
    open_page(visit, web)
    assert has_no_badge(visit)


def test_a_service_that_is_down_is_not_noticed(visit: PageVisit, web: FakeWeb) -> None:
    open_page(visit, web, BadgeEmbed(SiteId(SITE), "https://down.example.nl").tag)
    assert has_no_badge(visit)


@pytest.mark.parametrize("policy", ["script-src 'self'", f"script-src 'self' {BASE_URL}; sandbox allow-scripts"])
def test_a_page_that_blocks_the_script_or_its_origin_is_not_harmed(visit: PageVisit, web: FakeWeb, policy: str) -> None:
    visit.open(serve_page(web, PAGE, BADGE.tag, Content_Security_Policy=policy))
    visit.wait_until_idle()
    assert visit.errors == []


@pytest.mark.parametrize("mode", ["async", in_full("type=module")])
def test_a_strict_policy_with_trusted_types_allows_all_of_it(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, mode: str
) -> None:
    open_page(visit, web, BADGE.tag.replace("async", mode), Content_Security_Policy=STRICT)
    (badge,) = rendered_badges(visit.tab)
    assert badge.computed_style("display") == "inline-flex"
    assert badge.computed_style("background-color") == "rgb(255, 255, 255)"
    assert badge.evaluate("return this.innerHTML.includes('style=');") is False
    assert console_log.lines == []


def test_the_policies_of_the_tests_are_noticed_where_they_are_broken(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog
) -> None:
    visit.open(serve_page(web, PAGE, "<p style='color: red'>", Content_Security_Policy=STRICT))
    visit.tab.evaluate("try { document.body.innerHTML = '<b>'; } catch (error) { console.error(error.name); }")
    assert sorted(line[:10] for line in console_log.lines) == ["Applying i", "This docum", "TypeError"]


def test_no_style_of_the_page_reaches_it(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, take_picture: TakePicture
) -> None:
    alone = "<style>body { margin: 0; display: flex } body > :not(reviewinvite-badge) { display: none }</style>"
    open_page(visit, web, alone + BADGE.tag)
    (calm,) = rendered_badges(visit.tab)
    box = calm.box
    expected = visit.tab.screenshot(clip=box)
    keep = "<style>html, body { background: white !important } body { margin: 0; display: flex !important }</style>"
    open_page(visit, web, HOSTILE + keep + BADGE.tag)
    take_picture("hostile")
    (badge,) = rendered_badges(visit.tab)
    assert badge.box["width"] == box["width"]
    assert badge.box["height"] == box["height"]
    assert visit.tab.screenshot(clip=badge.box) == expected
    assert console_log.lines == []


def test_no_style_of_the_badge_reaches_the_page(visit: PageVisit, web: FakeWeb) -> None:
    beside = '<a class="small dark" id="beside" href="/">De winkel</a>'
    measure = "JSON.stringify([...document.querySelectorAll('*')].map((e) => [e.id, getComputedStyle(e).cssText]))"
    open_page(visit, web, f"{beside}{BADGE.tag}")
    with_badge = visit.tab.evaluate("document.querySelector('reviewinvite-badge').remove(), " + measure)
    open_page(visit, web, f"{beside}<script></script>")
    assert visit.tab.evaluate(measure) == with_badge


def test_no_script_of_the_page_can_look_into_it(visit: PageVisit, web: FakeWeb) -> None:
    open_page(visit, web)
    (badge,) = rendered_badges(visit.tab)
    assert badge.shadow_mode == "closed"
    assert visit.tab.evaluate(f"document.querySelector('{NAME}').shadowRoot") is None
    assert visit.tab.evaluate(f"document.querySelector('{NAME}').attributes.length") == 0


@pytest.mark.parametrize(
    "missing",
    [
        "delete Element.prototype.attachShadow",
        in_full("delete window.CSSStyleSheet"),
        in_full("delete CSSStyleSheet.prototype.replaceSync"),
        in_full("delete ShadowRoot.prototype.adoptedStyleSheets"),
        in_full("delete window.WeakMap"),
        in_full("delete window.WeakRef"),
        in_full("delete Element.prototype.after"),
        in_full("Object.defineProperty(Document.prototype, 'currentScript', { get() { throw new Error('no'); } })"),
        in_full("Object.freeze(document)"),
        in_full("Array.prototype.some = Array.prototype.forEach = () => { throw new Error('no'); }"),
    ],
)
def test_a_browser_that_lacks_something_shows_none_or_a_whole_one(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, missing: str
) -> None:
    visit.tab.add_init_script(missing)
    open_page(visit, web)
    assert console_log.lines == []
    for badge in rendered_badges(visit.tab):
        assert badge.computed_style("display") == "inline-flex"


def test_it_asks_for_nothing_more_and_leaves_nothing_behind(visit: PageVisit, web: FakeWeb) -> None:
    asked: list[str] = []
    visit.tab.on("request", lambda request: asked.append(request.url))
    open_page(visit, web)
    assert rendered_badges(visit.tab)
    visit.tab.wait_for_timeout(200)
    assert asked == [PAGE, f"{BASE_URL}/w/{SITE}.js", f"{PAGE}own.js"]
    assert visit.tab.context.cookies() == []
    assert visit.tab.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    assert visit.tab.evaluate("Object.keys(window).filter((name) => /badge|review/i.test(name))") == []


@pytest.mark.parametrize("kind", others_in_full(HOSTILE_NAMES, next(iter(HOSTILE_NAMES))))
def test_a_shops_name_is_text_and_nothing_else(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, storage: Storage, kind: str
) -> None:
    name = HOSTILE_NAMES[kind]
    store_shop(storage, SITE, name=name)
    open_page(visit, web, Content_Security_Policy=STRICT)
    (badge,) = rendered_badges(visit.tab)
    assert badge.evaluate("return this.ariaLabel;").startswith(f"\u2068{name}\u2069: ")
    assert badge.evaluate("return this.querySelectorAll('img, script').length;") == 0
    assert console_log.lines == []


def test_past_the_days_limit_nothing_is_shown(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, app: Application, storage: Storage
) -> None:
    use_up_views(app, storage)
    open_page(visit, web)
    assert has_no_badge(visit)
    assert console_log.lines == []


def test_the_link_leads_to_the_shops_page_in_a_tab_of_its_own(visit: PageVisit, web: FakeWeb, app: Application) -> None:
    open_page(visit, web)
    visit.tab.keyboard.press("Tab")
    assert visit.tab.evaluate("document.activeElement.localName") == NAME
    with visit.tab.context.expect_page() as other:
        visit.tab.keyboard.press("Enter")
    page = other.value
    page.wait_for_load_state()
    assert page.url == f"{BASE_URL}/shops/{SITE}"
    assert page.evaluate("[window.opener, document.referrer]") == [None, ""]
    assert page.locator("h1").inner_text() == "Bakkerij De Molen"

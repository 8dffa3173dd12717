"""The badge in a real browser, from the real service: where it is drawn, where nothing is, and no page is harmed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest
from playwright.sync_api import BrowserContext
from tests.browser.conftest import HOST, SITE
from tests.browser.drawn import NAME, Heard, badges
from tests.browser.visit import Visit, a_tab, put_page
from tests.browser.web import BASE_URL, Web, answering, hanging_up

from reviewinvite_core import Application, Looking, Shop, ShopChanges, TrustMark
from reviewinvite_core.domain.embedding import BadgeEmbed
from reviewinvite_core.domain.shop import SiteId

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


@pytest.fixture
def visit(context: BrowserContext, web: Web) -> Iterator[Visit]:
    with a_tab(context, web) as opened:
        yield opened


def give(app: Application, mark: TrustMark) -> None:
    """Let the shop have this trust mark."""
    shop = app.show_shop(SITE)
    assert isinstance(shop, Shop)
    app._storage.run(lambda store: store.shops.change(attrs.evolve(shop, trust_mark=mark)))


@pytest.fixture(autouse=True)
def trusted(app: Application) -> Iterator[None]:
    give(app, TrustMark.GRANTED)
    yield
    app.set_shop(SITE, ShopChanges(active=True, name="Bakkerij De Molen"))


def opened(visit: Visit, web: Web, tag: str = BADGE.tag, address: str = PAGE, **headers: str) -> None:
    """The page with this tag, loaded with all its scripts."""
    visit.go(put_page(web, address, tag, **headers))
    visit.assert_unnoticed()


def shows_nothing(visit: Visit) -> bool:
    return visit.tab.locator(NAME).count() == 0


@pytest.mark.parametrize("host", [HOST, f"www.{HOST}"])
@pytest.mark.parametrize("policy", ["strict-origin-when-cross-origin", "no-referrer"])
def test_it_is_drawn_on_the_shops_own_host(visit: Visit, web: Web, heard: Heard, host: str, policy: str) -> None:
    opened(visit, web, address=f"https://{host}/", Referrer_Policy=policy)
    (badge,) = badges(visit.tab)
    assert badge.seen == ["Keurmerk", "Nog geen beoordelingen"]
    assert badge.has_mark
    assert badge.name == "Bakkerij De Molen: Keurmerk, Nog geen beoordelingen (opent in een nieuw tabblad)"
    assert badge.ask("return this.href;") == f"{BASE_URL}/shops/{SITE}"
    assert heard.lines == []


@pytest.mark.parametrize(
    ("host", "policy"),
    [
        ("elsewhere.example.nl", "strict-origin-when-cross-origin"),  # the service sees where it is
        *((host, "no-referrer") for host in ("elsewhere.example.nl", f"my.{HOST}", f"www.www.{HOST}")),
    ],
)
def test_another_host_shows_nothing(visit: Visit, web: Web, heard: Heard, host: str, policy: str) -> None:
    opened(visit, web, address=f"https://{host}/", Referrer_Policy=policy)
    assert shows_nothing(visit)
    assert heard.lines == []


def use_up(app: Application) -> None:
    give(app, TrustMark.ABSENT)
    for _ in range(1_000):
        app.show_badge(SITE, None, Looking.VIEW)


WITHOUT: dict[str, Callable[[Application], object]] = {
    "the mark is revoked": lambda app: give(app, TrustMark.REVOKED),
    "the shop is inactive": lambda app: app.set_shop(SITE, ShopChanges(active=False)),
}


@pytest.mark.parametrize("why", WITHOUT)
def test_where_there_is_nothing_to_show_nothing_is_shown(
    visit: Visit, web: Web, heard: Heard, app: Application, why: str
) -> None:
    WITHOUT[why](app)
    opened(visit, web)
    assert shows_nothing(visit)
    assert heard.lines == []


def test_an_unknown_site_shows_nothing(visit: Visit, web: Web, heard: Heard) -> None:
    opened(visit, web, BadgeEmbed(SiteId("of-nobody"), BASE_URL).tag)
    assert shows_nothing(visit)
    assert heard.lines == []


TROUBLES = {"answers 500": answering(500), "answers 404": answering(404), "breaks off": hanging_up}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_service_in_trouble_is_not_noticed(visit: Visit, web: Web, trouble: str) -> None:
    web.trouble["GET"] = TROUBLES[trouble]
    opened(visit, web)
    assert shows_nothing(visit)


def test_a_service_that_is_down_is_not_noticed(visit: Visit, web: Web) -> None:
    opened(visit, web, BadgeEmbed(SiteId(SITE), "https://down.example.nl").tag)
    assert shows_nothing(visit)


@pytest.mark.parametrize("policy", ["script-src 'self'", f"script-src 'self' {BASE_URL}; sandbox allow-scripts"])
def test_a_page_that_blocks_the_script_or_its_origin_is_not_harmed(visit: Visit, web: Web, policy: str) -> None:
    visit.go(put_page(web, PAGE, BADGE.tag, Content_Security_Policy=policy))
    visit.rest()
    assert visit.noticed == []


@pytest.mark.parametrize("mode", ["async", "type=module"])
def test_a_strict_policy_with_trusted_types_allows_all_of_it(visit: Visit, web: Web, heard: Heard, mode: str) -> None:
    opened(visit, web, BADGE.tag.replace("async", mode), Content_Security_Policy=STRICT)
    (badge,) = badges(visit.tab)
    assert badge.style("display") == "inline-flex"
    assert badge.style("background-color") == "rgb(255, 255, 255)"
    assert badge.ask("return this.innerHTML.includes('style=');") is False
    assert heard.lines == []


def test_the_policies_of_the_tests_are_noticed_where_they_are_broken(visit: Visit, web: Web, heard: Heard) -> None:
    visit.go(put_page(web, PAGE, "<p style='color: red'>", Content_Security_Policy=STRICT))
    visit.tab.evaluate("try { document.body.innerHTML = '<b>'; } catch (error) { console.error(error.name); }")
    assert sorted(line[:10] for line in heard.lines) == ["Applying i", "This docum", "TypeError"]


def test_no_style_of_the_page_reaches_it(visit: Visit, web: Web, heard: Heard, pictures: Path) -> None:
    alone = "<style>body { margin: 0; display: flex } body > :not(reviewinvite-badge) { display: none }</style>"
    opened(visit, web, alone + BADGE.tag)
    (calm,) = badges(visit.tab)
    box = calm.box
    expected = visit.tab.screenshot(clip=box)  # type: ignore[arg-type]
    keep = "<style>html, body { background: white !important } body { margin: 0; display: flex !important }</style>"
    opened(visit, web, HOSTILE + keep + BADGE.tag)
    visit.tab.screenshot(path=pictures / "hostile.png")
    (badge,) = badges(visit.tab)
    assert badge.box["width"] == box["width"]
    assert badge.box["height"] == box["height"]
    clip = {**box, "x": badge.box["x"], "y": badge.box["y"]}
    assert visit.tab.screenshot(clip=clip) == expected  # type: ignore[arg-type]
    assert heard.lines == []


def test_no_style_of_the_badge_reaches_the_page(visit: Visit, web: Web) -> None:
    beside = '<a class="small dark" id="beside" href="/">De winkel</a>'
    measure = "JSON.stringify([...document.querySelectorAll('*')].map((e) => [e.id, getComputedStyle(e).cssText]))"
    opened(visit, web, f"{beside}{BADGE.tag}")
    with_badge = visit.tab.evaluate("document.querySelector('reviewinvite-badge').remove(), " + measure)
    opened(visit, web, f"{beside}<script></script>")
    assert visit.tab.evaluate(measure) == with_badge


def test_no_script_of_the_page_can_look_into_it(visit: Visit, web: Web) -> None:
    opened(visit, web)
    (badge,) = badges(visit.tab)
    assert badge.mode == "closed"
    assert visit.tab.evaluate(f"document.querySelector('{NAME}').shadowRoot") is None
    assert visit.tab.evaluate(f"document.querySelector('{NAME}').attributes.length") == 0


@pytest.mark.parametrize(
    "missing",
    [
        "delete Element.prototype.attachShadow",
        "delete window.CSSStyleSheet",
        "delete CSSStyleSheet.prototype.replaceSync",
        "delete ShadowRoot.prototype.adoptedStyleSheets",
        "delete window.WeakMap",
        "delete window.WeakRef",
        "delete Element.prototype.after",
        "Object.defineProperty(Document.prototype, 'currentScript', { get() { throw new Error('no'); } })",
        "Object.freeze(document)",
        "Array.prototype.some = Array.prototype.forEach = () => { throw new Error('no'); }",
    ],
)
def test_a_browser_that_lacks_something_shows_none_or_a_whole_one(
    visit: Visit, web: Web, heard: Heard, missing: str
) -> None:
    visit.tab.add_init_script(missing)
    opened(visit, web)
    assert heard.lines == []
    for badge in badges(visit.tab):
        assert badge.style("display") == "inline-flex"


def test_it_asks_for_nothing_more_and_leaves_nothing_behind(visit: Visit, web: Web) -> None:
    asked: list[str] = []
    visit.tab.on("request", lambda request: asked.append(request.url))
    opened(visit, web)
    assert badges(visit.tab)
    visit.tab.wait_for_timeout(200)
    assert asked == [PAGE, f"{BASE_URL}/w/{SITE}.js", f"{PAGE}own.js"]
    assert visit.tab.context.cookies() == []
    assert visit.tab.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    assert visit.tab.evaluate("Object.keys(window).filter((name) => /badge|review/i.test(name))") == []


@pytest.mark.parametrize("kind", HOSTILE_NAMES)
def test_a_shops_name_is_text_and_nothing_else(
    visit: Visit, web: Web, heard: Heard, app: Application, kind: str
) -> None:
    name = HOSTILE_NAMES[kind]
    app._storage.run(
        lambda store: store.shops.change(attrs.evolve(store.shops.by_site_id(SITE), name=name))  # type: ignore[type-var]
    )
    opened(visit, web, Content_Security_Policy=STRICT)
    (badge,) = badges(visit.tab)
    assert badge.ask("return this.ariaLabel;").startswith(f"\u2068{name}\u2069: ")
    assert badge.ask("return this.querySelectorAll('img, script').length;") == 0
    assert heard.lines == []


def test_past_the_days_limit_nothing_is_shown(visit: Visit, web: Web, heard: Heard, app: Application) -> None:
    use_up(app)
    opened(visit, web)
    assert shows_nothing(visit)
    assert heard.lines == []


def test_the_link_leads_to_the_shops_page_in_a_tab_of_its_own(visit: Visit, web: Web, app: Application) -> None:
    opened(visit, web)
    visit.tab.keyboard.press("Tab")
    assert visit.tab.evaluate("document.activeElement.localName") == NAME
    with visit.tab.context.expect_page() as other:
        visit.tab.keyboard.press("Enter")
    page = other.value
    page.wait_for_load_state()
    assert page.url == f"{BASE_URL}/shops/{SITE}"
    assert page.evaluate("[window.opener, document.referrer]") == [None, ""]
    assert page.locator("h1").inner_text() == "Bakkerij De Molen"

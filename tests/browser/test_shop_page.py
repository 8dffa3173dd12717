"""The public page of a shop in a real browser: narrow and wide, light and dark, on paper, whatever is written there."""

from __future__ import annotations

import pytest
from tests.browser.accessibility import small_targets, violations
from tests.browser.badge_rendering import rendered_badges
from tests.browser.fake_web import BASE_URL, SITE, FakeWeb
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture, serve_page
from tests.browser.shops import add_reviewed_shop, store_shop
from tests.budgets import others_in_full

from reviewinvite_core import Application, ReviewDraft, ShopChanges
from reviewinvite_core.ports import Storage

PAGE = f"{BASE_URL}/shops/{SITE}"
HOST_OF_THE_SERVICE = BASE_URL.removeprefix("https://")
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
ZALGO = "Z\u0336\u030d\u0311\u0357\u0300\u0301a\u0335\u0357l\u0338\u0300go" * 6
HOSTILE = ["</script><img src=x onerror=alert(1)>", "a\u2028b", "مخبز الطاحونة", "🎁" * 200, "Molen" * 60, ZALGO]
TEXTS = [
    "Snel geleverd.\nLekker brood!",
    None,
    "Het brood was helaas niet vers toen het aankwam. Ik heb gebeld, en kreeg de volgende dag een nieuw. " * 3,
]


def sample_reviews(count: int) -> list[ReviewDraft]:
    """Return this many different reviews."""
    return [
        ReviewDraft(
            rating=(5, 4, 5, 2, 5, 1, 3)[number % 7],
            text=TEXTS[number % 3],
            author=("Anna", None, "J. de Vries")[number // 2 % 3],
        )
        for number in range(count)
    ]


def shop_with(app: Application, count: int, mark: str) -> str:
    """Add a shop with this many reviews, each with a reply, and this mark; return its site id."""
    site = add_reviewed_shop(app, sample_reviews(count), reply="Dank u wel!\nTot de volgende keer.")
    if mark in ("trusted", "revoked", "inactive"):
        app.trust_marks.grant(site)
    if mark == "revoked":
        app.trust_marks.revoke(site)
    if mark == "inactive":
        app.shops.update(site, ShopChanges(active=False))
    return site


@pytest.mark.parametrize(
    "shop_state",
    others_in_full(
        ["0-unverified", "0-trusted", "1-trusted", "25-trusted", "1-revoked", "25-revoked", "1-inactive"],
        *("0-unverified", "25-trusted", "1-revoked"),
    ),
)
def test_it_fits_any_window_and_paper_and_hinders_nobody(
    visit: PageVisit, app: Application, console_log: ConsoleLog, take_picture: TakePicture, shop_state: str
) -> None:
    reviews, _, mark = shop_state.partition("-")
    count = int(reviews)
    site = shop_with(app, count, mark)
    for width, scheme, language in (
        (320, "light", "nl"),
        (360, "light", "nl"),
        (360, "dark", "en"),
        (1280, "light", "en"),
        (1280, "dark", "nl"),
    ):
        visit.tab.set_viewport_size({"width": width, "height": 800})
        visit.tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        visit.open(f"{BASE_URL}/shops/{site}?language={language}")
        take_picture(f"shop-{count}-{mark}-{width}-{scheme}", full_page=True)
        assert visit.tab.evaluate(OVERFLOW) <= 0
        assert visit.tab.locator("article").count() == min(count, 20)
        assert violations(visit.tab) == []
        assert small_targets(visit.tab) == []
    visit.tab.emulate_media(media="print", color_scheme="dark")
    take_picture(f"shop-{count}-{mark}-print", full_page=True)
    assert visit.tab.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert visit.tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not visit.tab.locator("nav, body > header").locator("visible=true").count()
    assert console_log.lines == []


@pytest.mark.parametrize("text", others_in_full(HOSTILE, HOSTILE[0]))
def test_whatever_is_written_there_the_page_is_whole(
    visit: PageVisit, app: Application, storage: Storage, console_log: ConsoleLog, take_picture: TakePicture, text: str
) -> None:
    author = None if "\u2028" in text else text[:80]
    site = add_reviewed_shop(app, [ReviewDraft(rating=4, text=text, author=author), *sample_reviews(1)], reply=text)
    store_shop(storage, site, name=text)
    visit.tab.set_viewport_size({"width": 360, "height": 640})
    visit.open(f"{BASE_URL}/shops/{site}")
    take_picture(f"shop-text-{HOSTILE.index(text)}", full_page=True)
    assert visit.tab.locator("h1").text_content() == text
    said = visit.tab.locator(".said").last
    assert visit.tab.locator("article").last.locator(".said").first.text_content() in {
        text,
        text.replace("\u2028", "\n"),
    }
    is_arabic = text.startswith("م")
    assert said.evaluate("each => getComputedStyle(each).direction") == ("rtl" if is_arabic else "ltr")
    assert visit.tab.evaluate(OVERFLOW) <= 0
    assert visit.tab.locator("img, iframe").count() == 0
    assert violations(visit.tab) == []
    assert console_log.lines == []


def test_line_breaks_are_seen(visit: PageVisit, app: Application) -> None:
    visit.tab.set_viewport_size({"width": 1280, "height": 800})
    site = add_reviewed_shop(app, [ReviewDraft(rating=5, text="een\ntwee\n\ndrie")])
    visit.open(f"{BASE_URL}/shops/{site}")
    height = visit.tab.locator(".said").evaluate(
        "each => each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)"
    )
    assert round(height) == 4


def scrolls_to(visit: PageVisit, selector: str, within: int) -> bool:
    """Wait until this element is near the top of the window: the page may scroll only when it is rendered."""
    top = "([selector, within]) => document.querySelector(selector).getBoundingClientRect().top < within"
    return bool(visit.tab.wait_for_function(top, arg=[selector, within]))


def test_all_of_it_is_reached_with_the_keyboard(visit: PageVisit, app: Application, console_log: ConsoleLog) -> None:
    site = shop_with(app, 25, "trusted")
    visit.tab.set_viewport_size({"width": 1280, "height": 800})
    visit.open(f"{BASE_URL}/shops/{site}")

    def press_tab() -> str:
        visit.tab.keyboard.press("Tab")
        assert visit.tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        return str(visit.tab.evaluate("document.activeElement.textContent"))

    reached = [press_tab() for _ in range(8)]
    assert reached == [
        HOST_OF_THE_SERVICE,
        "English",
        f"{site.replace('-', '')}.example.nl",
        "Controleer dit",
        "Oudere beoordelingen",
        f"{site.replace('-', '')}.example.nl",
        "ondertekende verklaring",
        "openbare sleutels",
    ]
    visit.tab.locator("a", has_text="Oudere").focus()
    with visit.tab.expect_navigation():
        visit.tab.keyboard.press("Enter")
    assert visit.tab.locator("article").count() == 5
    assert scrolls_to(visit, "#reviews", 100)
    visit.tab.locator("a", has_text="Terug naar de nieuwste").focus()
    with visit.tab.expect_navigation():
        visit.tab.keyboard.press("Enter")
    assert visit.tab.locator("article").count() == 20
    visit.tab.locator("a", has_text="Controleer dit").focus()
    visit.tab.keyboard.press("Enter")
    assert scrolls_to(visit, "#verify", 800)
    assert console_log.lines == []


def test_its_own_policy_forbids_nothing_that_it_has(visit: PageVisit, console_log: ConsoleLog) -> None:
    visit.open(PAGE)
    assert visit.tab.evaluate("getComputedStyle(document.querySelector('main')).maxWidth") == "1088px"
    with visit.tab.expect_navigation():
        visit.tab.get_by_text("English").click()
    assert visit.tab.locator("html").get_attribute("lang") == "en"
    assert console_log.lines == []


@pytest.mark.parametrize(
    ("ratings", "badge", "page"),
    [
        ((5, 5, 4, 4, 5), ["4,6", "Keurmerk", "5 beoordelingen"], "4,60 van 5"),
        ((5,), ["5,0", "Keurmerk", "1 beoordeling"], "5,00 van 5"),
    ],
)
def test_the_badge_shows_the_score_and_leads_to_it(
    visit: PageVisit, web: FakeWeb, app: Application, ratings: tuple[int, ...], badge: list[str], page: str
) -> None:
    site = add_reviewed_shop(app, [ReviewDraft(rating=rating) for rating in ratings])
    app.trust_marks.grant(site)
    address = f"https://{site.replace('-', '')}.example.nl/"
    visit.open(serve_page(web, address, f'<script async src="{BASE_URL}/w/{site}.js"></script>'))
    visit.wait_until_idle()
    (rendered,) = rendered_badges(visit.tab)
    assert rendered.texts == badge
    assert rendered.star_fill == pytest.approx(sum(ratings) / len(ratings) / 5)
    visit.open(str(rendered.evaluate("return this.href;")))
    assert " ".join(visit.tab.locator(".score").inner_text().split()) == page

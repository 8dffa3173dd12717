"""How the badge looks and reads, whatever the score, the look that is set, the visitor's device and the page."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from tests.browser.badge_rendering import NAME, RenderedBadge, rendered_badges
from tests.browser.fake_web import HOST, FakeWeb, Page
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture, serve_page
from tests.budgets import in_full, others_in_full

from reviewinvite_core import Language
from reviewinvite_core.values import NO_REVIEWS, Badge, Score, Status
from reviewinvite_http.widget.badge import badge_words
from reviewinvite_http.widget.scripts import script_text

PAGE = f"https://{HOST}/"
SCRIPTS = "https://scripts.example.nl"
THEMES, SIZES, LANGUAGES = ("light", "dark", "auto"), ("small", "medium", "large"), ("nl", "en")
STATES = {
    "with reviews": {"status": "trusted", "score": Score(count=1284, total=5945)},
    "without a mark": {"status": "unverified", "score": Score(count=1, total=3)},
    "without reviews": {"status": "trusted", "score": NO_REVIEWS},
}
GROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(25, 29, 37)"}


_numbers = itertools.count(1)


def tag(web: FakeWeb, **values: Any) -> str:
    """Return a tag whose script has a badge with these values; others have defaults."""
    site = f"site-{next(_numbers)}"
    badge = {
        "siteId": site,
        "name": "Bakkerij De Molen",
        "hosts": [HOST],
        "theme": "light",
        "size": "medium",
        "language": "nl",
        "link": f"https://reviews.example.nl/shops/{site}",
        **STATES["with reviews"],
        **values,
    }
    score, issuer = badge.pop("score"), badge.pop("issuer", "Keurig & Co.")
    badge = {"words": words(badge, score, issuer), "count": score.count, "mean": score.mean, **badge}
    script = script_text("badge.js").replace("BADGE", json.dumps(badge))
    web.pages[f"{SCRIPTS}/w/{site}.js"] = Page(script, "text/javascript")
    return f'<script async src="{SCRIPTS}/w/{site}.js"></script>'


def words(badge: Mapping[str, Any], score: Score, issuer: str) -> Mapping[str, str]:
    """Return what the service has a badge say."""
    shown = Badge(
        site_id=badge["siteId"],
        name=badge["name"],
        hosts=(),
        status=Status.TRUSTED if badge["status"] == "trusted" else Status.UNVERIFIED,
        score=score,
        theme=badge["theme"],
        size=badge["size"],
        language=Language(badge["language"]),
    )
    return badge_words(shown, issuer)


def render(visit: PageVisit, web: FakeWeb, content: str) -> list[RenderedBadge]:
    """Return the badges in a page with this content."""
    visit.open(serve_page(web, PAGE, f"<style>body {{ margin: 0 }}</style>{content}"))
    visit.assert_undisturbed()
    return rendered_badges(visit.tab)


def test_every_look_reads_right(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, take_picture: TakePicture
) -> None:
    looks = list(itertools.product(THEMES, SIZES, LANGUAGES, STATES))
    tags = [
        tag(web, theme=theme, size=size, language=language, **STATES[state]) for theme, size, language, state in looks
    ]
    visit.tab.set_viewport_size({"width": 1500, "height": 700})
    found = render(visit, web, " ".join(tags))
    take_picture("contact-sheet", full_page=True)
    assert len(found) == len(looks) == 54
    texts = {
        ("nl", "with reviews"): ["4,6", "Keurmerk", "1.284 beoordelingen"],
        ("nl", "without a mark"): ["3,0", "1 beoordeling"],
        ("nl", "without reviews"): ["Keurmerk", "Nog geen beoordelingen"],
        ("en", "with reviews"): ["4.6", "Trust mark", "1,284 reviews"],
        ("en", "without a mark"): ["3.0", "1 review"],
        ("en", "without reviews"): ["Trust mark", "No reviews yet"],
    }
    heights: dict[str, list[float]] = {size: [] for size in SIZES}
    for badge, (theme, size, language, state) in zip(found, looks, strict=True):
        assert badge.texts == texts[language, state]
        assert badge.evaluate("return this.lang;") == language
        assert badge.has_mark == (state != "without a mark")
        assert badge.computed_style("background-color") == GROUND["light" if theme == "auto" else theme]
        if badge.has_mark:
            assert (badge.computed_style("display", ".label") == "none") == (size == "small")
        heights[size].append(badge.box["height"])
    assert max(heights["small"]) < min(heights["medium"]) <= max(heights["medium"]) < min(heights["large"])
    assert max(heights["small"]) < 30  # one line
    assert min(heights["small"]) >= 24  # what a finger can hit: WCAG 2.5.8
    assert console_log.lines == []


@pytest.mark.parametrize(
    ("score", "shown", "filled"),
    [
        in_full(Score(count=1, total=1), "1,0", 0.2),
        (Score(count=50, total=147), "2,9", 0.588),
        in_full(Score(count=20, total=59), "3,0", 0.59),
        in_full(Score(count=25, total=101), "4,0", 0.808),
        in_full(Score(count=20, total=99), "5,0", 0.99),
        in_full(Score(count=1_234_567, total=6_172_835), "5,0", 1),
    ],
    ids=str,
)
def test_the_score_is_rounded_in_words_and_exact_in_stars(
    visit: PageVisit, web: FakeWeb, score: Score, shown: str, filled: float
) -> None:
    (badge,) = render(visit, web, tag(web, score=score))
    assert badge.texts[0] == shown
    assert badge.star_fill == pytest.approx(filled)
    assert f"{shown} van 5 sterren" in badge.accessible_name
    assert re.sub(r"\D", "", badge.texts[2]) == str(score.count)


def test_the_name_says_all_that_is_seen(visit: PageVisit, web: FakeWeb) -> None:
    nl, en, plain = render(visit, web, tag(web) + tag(web, language="en") + tag(web, **STATES["without a mark"]))
    assert nl.accessible_name == (
        "Bakkerij De Molen: Keurmerk, 4,6 van 5 sterren, 1.284 beoordelingen, via Keurig & Co."
        " (opent in een nieuw tabblad)"
    )
    assert en.accessible_name == (
        "Bakkerij De Molen: Trust mark, 4.6 out of 5 stars, 1,284 reviews, via Keurig & Co. (opens in a new tab)"
    )
    assert plain.accessible_name == (
        "Bakkerij De Molen: 3,0 van 5 sterren, 1 beoordeling, via Keurig & Co. (opent in een nieuw tabblad)"
    )
    for badge in (nl, en, plain):
        assert all(text in badge.accessible_name for text in badge.texts)


def test_it_names_its_issuer_where_there_is_room(visit: PageVisit, web: FakeWeb, take_picture: TakePicture) -> None:
    issuers = (
        "Keurig & Co.",
        "reviews.example.nl",
        "Stichting Onafhankelijk Keurmerk voor Webwinkels in Nederland " * 2,
    )
    looks = list(itertools.product(SIZES, THEMES, issuers))
    visit.tab.set_viewport_size({"width": 1500, "height": 900})
    found = render(visit, web, " ".join(tag(web, size=s, theme=t, issuer=i) for s, t, i in looks))
    take_picture("issuers", full_page=True)
    for badge, (size, _, issuer) in zip(found, looks, strict=True):
        assert f"via {issuer}".strip() in badge.accessible_name
        title = badge.evaluate("return this.title;").replace("\u2068", "").replace("\u2069", "")
        assert title == f"Badge uitgegeven door {issuer}"
        assert (badge.computed_style("display", ".issuer") == "none") == (size == "small")
        assert badge.box["width"] < 400


@pytest.mark.parametrize(
    "values",
    [
        {"mean": None, "count": 5},
        in_full({"mean": "4.63", "count": 0}),
        in_full({"mean": "", "count": 5}),
        in_full({"mean": "0.00", "count": 5}),
        in_full({"mean": "six", "count": 5}),
    ],
    ids=str,
)
def test_a_score_that_cannot_be_has_no_stars(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, values: dict[str, Any]
) -> None:
    (badge,) = render(visit, web, tag(web, **values))
    assert badge.star_fill is None
    assert console_log.lines == []


@pytest.mark.parametrize("status", others_in_full(["revoked", "inactive", "", None], "revoked"))
def test_only_a_shop_that_is_trusted_or_unverified_has_one(visit: PageVisit, web: FakeWeb, status: str | None) -> None:
    assert render(visit, web, tag(web, status=status)) == []
    assert visit.tab.locator(NAME).count() == 0


@pytest.mark.parametrize(
    "hosts",
    others_in_full(
        [[], ["elsewhere.example.nl"], [f"www.{HOST}"], [f"www.www.{HOST}"], ["example.nl"]], ["elsewhere.example.nl"]
    ),
)
def test_the_script_itself_looks_at_the_host(visit: PageVisit, web: FakeWeb, hosts: list[str]) -> None:
    assert render(visit, web, tag(web, hosts=hosts)) == []


def test_auto_is_as_the_visitors_device(visit: PageVisit, web: FakeWeb, take_picture: TakePicture) -> None:
    visit.tab.emulate_media(color_scheme="dark")
    light, dark, auto = render(visit, web, "".join(tag(web, theme=theme) for theme in THEMES))
    assert [each.computed_style("background-color") for each in (light, dark, auto)] == [
        GROUND["light"],
        GROUND["dark"],
        GROUND["dark"],
    ]
    visit.tab.emulate_media(color_scheme="light")
    assert auto.computed_style("background-color") == GROUND["light"]
    assert dark.computed_style("background-color") == GROUND["dark"]


def test_forced_colours_are_those_of_the_visitor(visit: PageVisit, web: FakeWeb, take_picture: TakePicture) -> None:
    visit.tab.emulate_media(forced_colors="active")
    found = render(visit, web, "".join(tag(web, theme=theme) for theme in THEMES))
    take_picture("forced-colours")
    for badge in found:
        link = badge.computed_style("color")
        assert {badge.computed_style("fill", each) for each in (".shield", ".full")} == {link}
        assert badge.computed_style("stroke", ".empty") == link
        assert badge.computed_style("fill", ".empty") == "none"
        assert badge.computed_style("stroke", ".check") == badge.computed_style("background-color")


def test_on_paper_every_theme_is_light(visit: PageVisit, web: FakeWeb, take_picture: TakePicture) -> None:
    visit.tab.emulate_media(color_scheme="dark")
    found = render(visit, web, "".join(tag(web, theme=theme) for theme in THEMES))
    visit.tab.emulate_media(color_scheme="dark", media="print")
    take_picture("print")
    for badge in found:
        assert badge.computed_style("background-color") == GROUND["light"]
        assert badge.computed_style("color") == "rgb(20, 24, 31)"


def test_nothing_moves(visit: PageVisit, web: FakeWeb) -> None:
    (badge,) = render(visit, web, tag(web))
    moving = (
        "return [this, ...this.querySelectorAll('*')].map((each) => getComputedStyle(each))"
        ".filter((style) => style.transitionDuration !== '0s' || style.animationName !== 'none').length;"
    )
    assert badge.evaluate(moving) == 0
    badge.evaluate("this.focus();")
    assert badge.evaluate("return this.getRootNode().getAnimations().length;") == 0


@pytest.mark.parametrize("theme", ["light", in_full("dark")])
def test_the_keyboard_sees_where_it_is(visit: PageVisit, web: FakeWeb, take_picture: TakePicture, theme: str) -> None:
    first, _ = render(visit, web, f"<p>&nbsp;</p>&emsp;{tag(web, theme=theme)} {tag(web, theme=theme)}")
    assert first.computed_style("outline-style") == "none"
    visit.tab.keyboard.press("Tab")
    assert first.evaluate("return this.matches(':focus-visible');")
    assert first.computed_style("outline-style") == "solid"
    assert first.computed_style("outline-width") == "3px"
    ring, gap = first.computed_style("outline-color"), first.computed_style("box-shadow")
    assert ring not in gap  # two colours: one of them is seen on any page
    take_picture(f"focus-{theme}")
    visit.tab.keyboard.press("Tab")
    assert first.computed_style("outline-style") == "none"


@pytest.mark.parametrize("width", [160, 120])  # as windows of 320 and 240 pixels have it at 200 per cent
def test_at_twice_the_size_in_a_narrow_column_nothing_is_cut(
    visit: PageVisit, web: FakeWeb, take_picture: TakePicture, width: int
) -> None:
    visit.tab.set_viewport_size({"width": width, "height": 900})
    tags = "<br>".join(tag(web, size=size, language=language) for size in SIZES for language in LANGUAGES)
    found = render(visit, web, tags)
    take_picture(f"narrow-{width}", full_page=True)
    assert len(found) == 6
    for badge in found:
        box = badge.box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        spilt = (
            "const frame = this.getBoundingClientRect();"
            "return [...this.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().right > frame.right"
            " || each.getBoundingClientRect().bottom > frame.bottom).map((each) => each.getAttribute('class'));"
        )
        assert badge.evaluate(spilt) == []
        stars = badge.evaluate("return this.querySelector('.stars').getBoundingClientRect().width;")
        assert stars >= (64 if width == 160 else 40)


def test_in_a_page_that_runs_from_right_to_left_it_is_the_same(
    visit: PageVisit, web: FakeWeb, take_picture: TakePicture
) -> None:
    script = tag(web)
    (badge,) = render(visit, web, f"<div style='width: 400px'>{script}</div>")
    inside = (
        "const at = this.getBoundingClientRect().x; return JSON.stringify([...this.querySelectorAll('*')]"
        ".map((each) => Math.round((each.getBoundingClientRect().x - at) * 8)));"
    )
    expected = badge.evaluate(inside)
    (other,) = render(visit, web, f"<div dir='rtl' style='width: 400px'>{script}<p>מאפייה</p></div>")
    take_picture("right-to-left")
    assert other.evaluate(inside) == expected
    assert other.computed_style("direction") == "ltr"
    assert other.box["x"] > 0  # it stands at the side where lines begin

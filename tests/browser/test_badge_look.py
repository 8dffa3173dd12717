"""How the badge looks and reads, whatever the score, the look that is set, the visitor's device and the page."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext
from tests.browser.conftest import HOST
from tests.browser.drawn import NAME, Drawn, Heard, badges
from tests.browser.visit import Visit, a_tab, put_page
from tests.browser.web import Page, Web

from reviewinvite_http.scripts import script_text

PAGE = f"https://{HOST}/"
SCRIPTS = "https://scripts.example.nl"
THEMES, SIZES, LANGUAGES = ("light", "dark", "auto"), ("small", "medium", "large"), ("nl", "en")
STATES = {
    "with reviews": {"status": "trusted", "count": 1284, "mean": "4.63"},
    "without a mark": {"status": "unverified", "count": 1, "mean": "3.05"},
    "without reviews": {"status": "trusted", "count": 0, "mean": None},
}
GROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 25, 29)"}


@pytest.fixture
def visit(context: BrowserContext, web: Web) -> Iterator[Visit]:
    with a_tab(context, web) as opened:
        yield opened


_numbers = itertools.count(1)


def tag(web: Web, **told: Any) -> str:
    """A tag whose script is told this of a badge; what is left out is plain."""
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
        **told,
    }
    script = script_text("badge.js").replace("BADGE", json.dumps(badge))
    web.pages[f"{SCRIPTS}/w/{site}.js"] = Page(script, "text/javascript")
    return f'<script async src="{SCRIPTS}/w/{site}.js"></script>'


def drawn(visit: Visit, web: Web, content: str) -> list[Drawn]:
    """The badges in a page with this content."""
    visit.go(put_page(web, PAGE, f"<style>body {{ margin: 0 }}</style>{content}"))
    visit.assert_unnoticed()
    return badges(visit.tab)


def test_every_look_reads_right(visit: Visit, web: Web, heard: Heard, pictures: Path) -> None:
    looks = list(itertools.product(THEMES, SIZES, LANGUAGES, STATES))
    tags = [
        tag(web, theme=theme, size=size, language=language, **STATES[state]) for theme, size, language, state in looks
    ]
    visit.tab.set_viewport_size({"width": 1500, "height": 700})
    found = drawn(visit, web, " ".join(tags))
    visit.tab.screenshot(path=pictures / "contact-sheet.png", full_page=True)
    assert len(found) == len(looks) == 54
    texts = {
        ("nl", "with reviews"): ["4,6", "Keurmerk", "1.284 beoordelingen"],
        ("nl", "without a mark"): ["3,1", "1 beoordeling"],
        ("nl", "without reviews"): ["Keurmerk", "Nog geen beoordelingen"],
        ("en", "with reviews"): ["4.6", "Trust mark", "1,284 reviews"],
        ("en", "without a mark"): ["3.1", "1 review"],
        ("en", "without reviews"): ["Trust mark", "No reviews yet"],
    }
    heights: dict[str, list[float]] = {size: [] for size in SIZES}
    for badge, (theme, size, language, state) in zip(found, looks, strict=True):
        assert badge.seen == texts[language, state]
        assert badge.ask("return this.lang;") == language
        assert badge.has_mark == (state != "without a mark")
        assert badge.style("background-color") == GROUND["light" if theme == "auto" else theme]
        if badge.has_mark:
            assert (badge.style("display", ".label") == "none") == (size == "small")
        heights[size].append(badge.box["height"])
    assert max(heights["small"]) < min(heights["medium"]) <= max(heights["medium"]) < min(heights["large"])
    assert max(heights["small"]) < 30  # one line
    assert min(heights["small"]) >= 24  # what a finger can hit: WCAG 2.5.8
    assert heard.lines == []


@pytest.mark.parametrize(
    ("mean", "count", "shown", "filled"),
    [
        ("1.00", 1, "1,0", 0.2),
        ("2.94", 7, "2,9", 0.588),
        ("2.95", 7, "3,0", 0.59),
        ("4.04", 9, "4,0", 0.808),
        ("4.95", 20, "5,0", 0.99),
        ("5.00", 1_234_567, "5,0", 1),
    ],
)
def test_the_score_is_rounded_in_words_and_exact_in_stars(
    visit: Visit, web: Web, mean: str, count: int, shown: str, filled: float
) -> None:
    (badge,) = drawn(visit, web, tag(web, mean=mean, count=count))
    assert badge.seen[0] == shown
    assert badge.filled == pytest.approx(filled)
    assert f"{shown} van 5 sterren" in badge.name
    assert re.sub(r"\D", "", badge.seen[2]) == str(count)


def test_the_name_says_all_that_is_seen(visit: Visit, web: Web) -> None:
    nl, en, plain = drawn(visit, web, tag(web) + tag(web, language="en") + tag(web, **STATES["without a mark"]))
    assert nl.name == (
        "Bakkerij De Molen: Keurmerk, 4,6 van 5 sterren, 1.284 beoordelingen (opent in een nieuw tabblad)"
    )
    assert en.name == "Bakkerij De Molen: Trust mark, 4.6 out of 5 stars, 1,284 reviews (opens in a new tab)"
    assert plain.name == "Bakkerij De Molen: 3,1 van 5 sterren, 1 beoordeling (opent in een nieuw tabblad)"
    for badge in (nl, en, plain):
        assert all(text in badge.name for text in badge.seen)


@pytest.mark.parametrize(
    "told",
    [
        {"mean": None, "count": 5},
        {"mean": "4.63", "count": 0},
        {"mean": "", "count": 5},
        {"mean": "0.00", "count": 5},
        {"mean": "six", "count": 5},
    ],
    ids=str,
)
def test_a_score_that_cannot_be_is_none(visit: Visit, web: Web, heard: Heard, told: dict[str, Any]) -> None:
    (badge,) = drawn(visit, web, tag(web, **told))
    assert badge.seen == ["Keurmerk", "Nog geen beoordelingen"]
    assert heard.lines == []


@pytest.mark.parametrize("status", ["revoked", "inactive", "", None])
def test_only_a_shop_that_is_trusted_or_unverified_has_one(visit: Visit, web: Web, status: str | None) -> None:
    assert drawn(visit, web, tag(web, status=status)) == []
    assert visit.tab.locator(NAME).count() == 0


@pytest.mark.parametrize("hosts", [[], ["elsewhere.example.nl"], [f"www.{HOST}"], [f"www.www.{HOST}"], ["example.nl"]])
def test_the_script_itself_looks_at_the_host(visit: Visit, web: Web, hosts: list[str]) -> None:
    assert drawn(visit, web, tag(web, hosts=hosts)) == []


def test_auto_is_as_the_visitors_device(visit: Visit, web: Web, pictures: Path) -> None:
    visit.tab.emulate_media(color_scheme="dark")
    light, dark, auto = drawn(visit, web, "".join(tag(web, theme=theme) for theme in THEMES))
    assert [each.style("background-color") for each in (light, dark, auto)] == [
        GROUND["light"],
        GROUND["dark"],
        GROUND["dark"],
    ]
    visit.tab.emulate_media(color_scheme="light")
    assert auto.style("background-color") == GROUND["light"]
    assert dark.style("background-color") == GROUND["dark"]


def test_forced_colours_are_those_of_the_visitor(visit: Visit, web: Web, pictures: Path) -> None:
    visit.tab.emulate_media(forced_colors="active")
    found = drawn(visit, web, "".join(tag(web, theme=theme) for theme in THEMES))
    visit.tab.screenshot(path=pictures / "forced-colours.png")
    for badge in found:
        link = badge.style("color")
        assert {badge.style("fill", each) for each in (".shield", ".full")} == {link}
        assert badge.style("stroke", ".empty") == link
        assert badge.style("fill", ".empty") == "none"
        assert badge.style("stroke", ".check") == badge.style("background-color")


def test_on_paper_every_theme_is_light(visit: Visit, web: Web, pictures: Path) -> None:
    visit.tab.emulate_media(color_scheme="dark")
    found = drawn(visit, web, "".join(tag(web, theme=theme) for theme in THEMES))
    visit.tab.emulate_media(color_scheme="dark", media="print")
    visit.tab.screenshot(path=pictures / "print.png")
    for badge in found:
        assert badge.style("background-color") == GROUND["light"]
        assert badge.style("color") == "rgb(27, 31, 36)"


def test_nothing_moves(visit: Visit, web: Web) -> None:
    (badge,) = drawn(visit, web, tag(web))
    moving = (
        "return [this, ...this.querySelectorAll('*')].map((each) => getComputedStyle(each))"
        ".filter((style) => style.transitionDuration !== '0s' || style.animationName !== 'none').length;"
    )
    assert badge.ask(moving) == 0
    badge.ask("this.focus();")
    assert badge.ask("return this.getRootNode().getAnimations().length;") == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_keyboard_sees_where_it_is(visit: Visit, web: Web, pictures: Path, theme: str) -> None:
    first, _ = drawn(visit, web, f"<p>&nbsp;</p>&emsp;{tag(web, theme=theme)} {tag(web, theme=theme)}")
    assert first.style("outline-style") == "none"
    visit.tab.keyboard.press("Tab")
    assert first.ask("return this.matches(':focus-visible');")
    assert first.style("outline-style") == "solid"
    assert first.style("outline-width") == "3px"
    ring, gap = first.style("outline-color"), first.style("box-shadow")
    assert ring not in gap  # two colours: one of them is seen on any page
    visit.tab.screenshot(path=pictures / f"focus-{theme}.png")
    visit.tab.keyboard.press("Tab")
    assert first.style("outline-style") == "none"


@pytest.mark.parametrize("width", [160, 120])  # as windows of 320 and 240 pixels have it at 200 per cent
def test_at_twice_the_size_in_a_narrow_column_nothing_is_cut(
    visit: Visit, web: Web, pictures: Path, width: int
) -> None:
    visit.tab.set_viewport_size({"width": width, "height": 900})
    tags = "<br>".join(tag(web, size=size, language=language) for size in SIZES for language in LANGUAGES)
    found = drawn(visit, web, tags)
    visit.tab.screenshot(path=pictures / f"narrow-{width}.png", full_page=True)
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
        assert badge.ask(spilt) == []
        stars = badge.ask("return this.querySelector('.stars').getBoundingClientRect().width;")
        assert stars >= (64 if width == 160 else 40)


def test_in_a_page_that_runs_from_right_to_left_it_is_the_same(visit: Visit, web: Web, pictures: Path) -> None:
    script = tag(web)
    (badge,) = drawn(visit, web, f"<div style='width: 400px'>{script}</div>")
    inside = (
        "const at = this.getBoundingClientRect().x; return JSON.stringify([...this.querySelectorAll('*')]"
        ".map((each) => Math.round((each.getBoundingClientRect().x - at) * 8)));"
    )
    expected = badge.ask(inside)
    (other,) = drawn(visit, web, f"<div dir='rtl' style='width: 400px'>{script}<p>מאפייה</p></div>")
    visit.tab.screenshot(path=pictures / "right-to-left.png")
    assert other.ask(inside) == expected
    assert other.style("direction") == "ltr"
    assert other.box["x"] > 0  # it stands at the side where lines begin

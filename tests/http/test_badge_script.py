"""The text of the badge's script: small, plain, and with colours that can be read; no browser is needed for that."""

from __future__ import annotations

import gzip
import re
import subprocess
from pathlib import Path

import pytest

from reviewinvite_http.widget.scripts import script_text

SCRIPT = script_text("badge.js")
CODE = re.sub(r"/\*.*?\*/|(?<=[\s;])//[^\n]*", "", SCRIPT, flags=re.DOTALL)
LARGEST = 4_500  # bytes, compressed; the promise is 6,000 with what the shop's badge adds


def palette(name: str) -> dict[str, str]:
    """The colours of a theme, by what they are for."""
    (text,) = re.findall(rf"const {name} = `(.*?)`", CODE, re.DOTALL)
    return dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", text))


def luminance(colour: str) -> float:
    """As WCAG 2.2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


TEXT, SHAPE = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11, level AA
PAIRS = {
    ("text", "ground"): TEXT,
    ("quiet", "ground"): TEXT,
    ("edge", "ground"): SHAPE,
    ("edge", "empty"): SHAPE,
    ("mark", "ground"): SHAPE,
    ("check", "mark"): SHAPE,
    ("line", "ground"): SHAPE,
    ("ring", "gap"): SHAPE,
}


@pytest.mark.parametrize("theme", ["LIGHT", "DARK"])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_each_colour_stands_out_from_the_one_it_is_on(theme: str, pair: tuple[str, str]) -> None:
    colours = palette(theme)
    assert contrast(colours[pair[0]], colours[pair[1]]) >= PAIRS[pair]


def test_contrast_is_what_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["LIGHT", "DARK"])
def test_every_colour_is_in_the_palette_of_each_theme(theme: str) -> None:
    used = set(re.findall(r"var\(--([a-z]+)\)", CODE))
    assert palette(theme).keys() == used == {"star"} | {name for pair in PAIRS for name in pair}  # within its edge


def test_it_is_small() -> None:
    assert len(gzip.compress(SCRIPT.encode(), 6)) < LARGEST


def test_it_has_one_place_for_a_badge() -> None:
    assert SCRIPT.count("BADGE") == 1
    assert SCRIPT.isascii()  # so that it reads the same whatever a page's encoding


@pytest.mark.parametrize(
    "forbidden",
    [
        *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval", "Function(", "DOMParser"),
        *(
            "fetch",
            "XMLHttpRequest",
            "sendBeacon",
            "WebSocket",
            "EventSource",
            "new Image",
            "import(",
            "url(",
            "@import",
        ),
        *("cookie", "localStorage", "sessionStorage", "indexedDB", "console", "alert", "postMessage"),
        *("addEventListener", "window.", "globalThis", "history", 'createElement("style")', ".style.", "rem;", "em;"),
    ],
)
def test_it_has_nothing_that_could_tell_keep_or_fetch_anything(forbidden: str) -> None:
    assert forbidden not in CODE


def test_it_has_no_syntax_that_an_older_browser_would_complain_of() -> None:
    without_texts = re.sub(r"`[^`]*`|\"[^\"]*\"|'[^']*'|/\^.*?\$/", '""', CODE)
    assert not re.search(r"\?\.|\?\?|\.\.\.|\basync\b|\bawait\b|catch \{|\*\*|#", without_texts)


def test_nothing_in_it_moves() -> None:
    assert not re.search(r"transition|animation|@keyframes", CODE)


def test_node_reads_it(node: str, tmp_path: Path) -> None:
    file = tmp_path / "badge.js"
    file.write_text(SCRIPT, encoding="utf-8")
    subprocess.run([node, "--check", file], check=True)

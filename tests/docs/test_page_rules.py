"""The rules for prose hold for the pages, and `tools.pages` finds what breaks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import pages


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: str(page.relative_to(pages.ROOT)))
def test_a_page_keeps_the_rules(page: Path) -> None:
    assert list(pages.faults_of(page)) == []


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: str(page.relative_to(pages.ROOT)))
def test_fixing_a_page_again_changes_nothing(page: Path) -> None:
    text = pages.fixed(page.read_text(encoding="utf-8"))
    assert pages.fixed(text) == text


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page below the root that the tool takes for the project's."""
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    return tmp_path / "page.md"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("One sentence. Another one.", "two sentences on a line"),
        ("- One sentence. `another` one.", "two sentences on a line"),
        ("1. See it here. Go on.", "two sentences on a line"),
        (f"{'word ' * 30}word.", "a sentence of 31 words"),
        (f"{'word ' * 30}word.", "155 characters"),
        (
            "\n".join("One sentence of ten words stands alone in its line." for _ in range(13)),
            "a paragraph of 130 words",
        ),
    ],
)
def test_what_breaks_a_rule_is_found(page: Path, text: str, fault: str) -> None:
    page.write_text(f"# Title\n\n{text}\n", encoding="utf-8")
    assert any(fault in found for found in pages.faults_of(page))


@pytest.mark.parametrize(
    "text",
    [
        "A shop, e.g. a bakery, reports an order.",
        "Wait 1, 2, 4, ... seconds.",
        f"| {'word ' * 40}. And a row. |",
        f"```\n{'code ' * 40}. And more.\n```",
        f"   ```\n   {'code ' * 40}. And more.\n   ```",
        f"[a link]({'https://example.com/' * 10}).",
    ],
)
def test_what_breaks_none_is_not(page: Path, text: str) -> None:
    page.write_text(f"# Title\n\n{text}\n", encoding="utf-8")
    assert list(pages.faults_of(page)) == []


def test_fixing_puts_each_sentence_on_a_line_and_breaks_long_ones_at_a_comma() -> None:
    half = "a clause that goes on for some time and for some more time yet"
    text = f"- One. Two is `code. Not` an end.\n  Three is {half}, {half}.\n"
    assert pages.fixed(text) == f"- One.\n  Two is `code. Not` an end.\n  Three is {half},\n  {half}.\n"

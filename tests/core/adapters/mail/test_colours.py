"""The colours of e-mails are those of the pages, copied by hand: e-mail programs know no custom properties."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import reviewinvite_core
import reviewinvite_http

COLOUR = re.compile(r"(?<!&)#[0-9a-fA-F]{3,8}\b")  # `&#...` is a character
TOKENS = Path(reviewinvite_http.__file__).parent / "pages" / "tokens.css"
TEMPLATES = Path(reviewinvite_core.__file__).parent / "adapters" / "mail" / "templates"


def colours(file: Path) -> set[str]:
    return set(COLOUR.findall(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("template", sorted(TEMPLATES.rglob("*.html")), ids=lambda each: each.name)
def test_every_colour_is_a_token_of_the_pages(template: Path) -> None:
    assert colours(template) - colours(TOKENS) == set()


def test_the_layout_and_its_parts_have_colours() -> None:
    assert all(colours(TEMPLATES / name) for name in ("layout.html", "parts.html"))

"""The pages that list the settings: each setting of the table stands there, with its default, bounds and meaning."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from reviewinvite_core import Settings

DOCS = Path(__file__).parents[2] / "docs"
FIELDS = {field.name.upper(): field for field in attrs.fields(Settings)}


def rows(page: str) -> dict[str, tuple[str, str]]:
    """The default and the meaning of each setting on a page; some share a row."""
    _, _, settings = (DOCS / page).read_text(encoding="utf-8").partition("ettings\n")
    found: dict[str, tuple[str, str]] = {}
    for named, default, meaning in re.findall(r"^\| (`[A-Z_`, or]+) \| (.*?) \| (.*) \|$", settings, re.MULTILINE):
        found |= dict.fromkeys(re.findall("`([A-Z_]+)`", named), (default, meaning))
    return found


@pytest.mark.parametrize("page", ["reference/settings.md", "specification.md"])
def test_every_setting_stands_there_with_its_default(page: str) -> None:
    found = rows(page)
    assert set(found) >= set(FIELDS)
    for name, field in FIELDS.items():
        if isinstance(field.default, int | str) and field.default != "":
            assert str(field.default) in found[name][0]


@pytest.mark.parametrize("name", FIELDS)
def test_the_reference_has_its_meaning_and_its_bounds(name: str) -> None:
    field, (_, meaning) = FIELDS[name], rows("reference/settings.md")[name]
    assert re.sub(r"\[(.*?)\]\(.*?\)", r"\1", meaning).startswith(field.metadata["about"])
    if field.metadata["kind"] is int:
        least, most = field.metadata["bounds"]
        assert (f"{least:,} to {most:,}" if least else "0 turns") in meaning

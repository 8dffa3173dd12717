"""The pages about the code name what is there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from reviewinvite_core.adapters.sql.migrations.tables import TABLES

DOCS = Path(__file__).parents[2] / "docs"
ARCHITECTURE = DOCS / "architecture.md"
STATE = DOCS / "reference" / "threads-and-state.md"
TERMS = DOCS / "reference" / "engineering-terms.md"
GLOSSARY = DOCS / "glossary.md"

FILE = re.compile(r"`((?:core|http|cli|src|docs|tests)/[^`]*)`")
LINKED_FILE = re.compile(r"\[`([^`]+)`\]\(([^)]+)\)")


def test_the_rooms_are_drawn_from_the_import_contracts() -> None:
    draw = runpy.run_path(str(DOCS / "draw_architecture.py"))
    assert ARCHITECTURE.read_text(encoding="utf-8") == draw["page"]()


@pytest.mark.parametrize("page", [ARCHITECTURE, STATE, TERMS, GLOSSARY], ids=lambda page: page.stem)
def test_every_file_that_is_named_exists_and_is_linked(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    linked = LINKED_FILE.findall(text)
    assert linked
    for name, target in linked:
        assert (page.parent / target).exists(), name
        assert target.endswith((name, f"{name}.py")), name  # the picture's names are those of modules
    in_examples = {"src/reviewinvite_core", "src/reviewinvite_http", "src/reviewinvite_cli"}
    assert set(FILE.findall(text)) - in_examples <= {name for name, _ in linked}


def test_every_table_of_the_database_has_its_place_on_the_page() -> None:
    text = STATE.read_text(encoding="utf-8")
    assert [table.name for table in TABLES if f"`{table.name}`" not in text] == []

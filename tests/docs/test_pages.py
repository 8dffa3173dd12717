"""The pages in docs/ say what the code does."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from tools.diagrams.__main__ import diagrams

from reviewinvite_core import Language
from reviewinvite_core.domain.notices import NoticeKind

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")])


def program(name: str) -> ModuleType:
    """Load a program of docs/ without running it."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_snapshot_of_the_openapi_description_is_what_the_handlers_say() -> None:
    """A review sees in it what changes; `python docs/draw_openapi.py` writes it."""
    assert (DOCS / "openapi.json").read_text(encoding="utf-8") == program("draw_openapi").description()


def test_the_states_page_is_drawn_from_the_transition_table() -> None:
    assert (DOCS / "states.md").read_text(encoding="utf-8") == program("draw_states").page()


def test_the_previews_show_each_e_mail_narrow_and_wide_light_and_dark(tmp_path: Path) -> None:
    previews = program("preview_e_mails")
    previews.main(tmp_path / "new")
    index = (tmp_path / "new" / "index.html").read_text(encoding="utf-8")
    for name, letter in previews.SAMPLES.items():
        assert index.count(f'src="{name}.html"') == 4
        for kind in ("html", "txt"):
            assert letter.unsubscribe_url in (tmp_path / "new" / f"{name}.{kind}").read_text(encoding="utf-8")
    for kind in NoticeKind:
        for language in Language:
            assert index.count(f'src="{kind}-{language}.html"') == 4
    for shown in ("width:360px", "width:800px", "color-scheme:light", "color-scheme:dark"):
        assert index.count(shown) == 2 * len(list(previews.messages()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def test_the_readme_sets_every_shell_variable_that_it_uses() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    used = {name: block for block in blocks for name in re.findall(r"\$(\w+)", block)}
    assert used
    for name, block in used.items():
        assert re.search(rf"^{name}=", block.partition(f"${name}")[0], re.MULTILINE)


def test_every_cited_section_and_decision_exists() -> None:
    specification = (DOCS / "specification.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\b", specification, re.MULTILINE))
    decisions = {int(page.name[:4]) for page in (DOCS / "adr").glob("0*.md")}
    source = DOCS.parent / "src"
    for file in sorted(source.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for cited in re.findall(r"Spec: ((?:§[\d.]+(?:, )?)+)", text):
            assert {each.strip("., ") for each in cited.split("§")[1:]} <= sections, f"{file.name}: {cited}"
        assert {int(number) for number in re.findall(r"ADR-(\d+)", text)} <= decisions, file.name


def test_the_diagrams_are_drawn_from_the_code() -> None:
    """Run `python -m tools.diagrams` where one is not."""
    drawn = diagrams()
    assert {file.name for file in (DOCS / "diagrams").iterdir()} == set(drawn)
    for name, text in drawn.items():
        assert (DOCS / "diagrams" / name).read_text(encoding="utf-8") == text, name

"""The check of wording finds its phrases wherever a line breaks, and says where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.prose import PHRASES, faults, faults_in


@pytest.mark.parametrize("phrase", PHRASES)
def test_each_phrase_is_found_whatever_its_letter_case(phrase: str) -> None:
    assert list(faults_in(f"First line.\nThen {phrase.upper()} it.\n")) == [(2, phrase.upper())]


@pytest.mark.parametrize("text", ["# at most {}\n# {} rows", '"at most {} "\n    "{} rows"', "> at most {}\n> {} rows"])
def test_a_phrase_is_found_across_lines(text: str) -> None:
    assert [line for line, _ in faults_in(text.format(*PHRASES[0].split()))] == [1]


def test_part_of_a_word_is_no_phrase() -> None:
    assert list(faults_in("A canewer thesis toldas much: so manyfold, mycelia newest.")) == []


def test_the_value_none_is_no_phrase() -> None:
    assert list(faults_in("The result, or None if that is None.")) == []


@pytest.mark.parametrize(
    ("source", "is_fault"),
    [
        ('def f():\n    """The size."""\n', True),
        ('def f():\n    """Return the size."""\n', False),
        ('@property\ndef f():\n    """The size."""\n', False),
        ('class C:\n    """The size."""\n', False),
        ("def f(): ...\n", False),
    ],
)
def test_the_docstring_of_a_function_begins_with_a_verb(source: str, is_fault: bool) -> None:
    assert bool(list(faults_in(source, is_source=True))) is is_fault


def test_a_fault_has_its_place_and_an_exemption_has_to_be_needed(tmp_path: Path) -> None:
    (tmp_path / "docs" / "adr").mkdir(parents=True)
    (tmp_path / "docs" / "adr" / "0001-a.md").write_text(PHRASES[1])
    (tmp_path / "docs" / "a.md").write_text(f"# A\n\nBegin {PHRASES[1]}.\n")
    assert list(faults(tmp_path, exempt=())) == [f"docs/a.md:3: {PHRASES[1]}"]
    assert list(faults(tmp_path, exempt=("docs/",))) == []
    assert list(faults(tmp_path, exempt=("docs/", "src/"))) == ["tools/prose.py: src/ needs no exemption"]

"""The code on the page for embedders: quotations are what the examples say, and the adapter passes its suite."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.waiting import TIMEOUT_SECONDS

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docs" / "embedding.md"
PAGE = FILE.read_text(encoding="utf-8")
QUOTATIONS = re.findall(r"^<!-- (examples/\S+) -->\n```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
PROGRAM = re.compile(r"^```python\n# (\w+\.py)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def programs() -> Mapping[str, str]:
    """Return the files that the page tells to write, each put together from its parts."""
    parts: dict[str, list[str]] = {}
    for name, part in PROGRAM.findall(PAGE):
        parts.setdefault(name, []).append(part)
    return {name: "\n\n".join(each) for name, each in parts.items()}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A folder with the files of the page."""
    for name, text in programs().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def interpreter() -> str:
    """The Python that runs them."""
    return sys.executable


def run(interpreter: str, folder: Path, *arguments: str) -> str:
    """Run Python in a folder, and return what it printed."""
    ended = subprocess.run(
        [interpreter, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize(("path", "quotation"), QUOTATIONS, ids=[path for path, _ in QUOTATIONS])
def test_a_quotation_is_what_the_example_says(path: str, quotation: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    indented = (textwrap.indent(quotation, " " * depth) for depth in (0, 4, 8))
    assert any(f"\n{block}" in text for block in indented)


def test_every_example_is_named_and_quoted_or_shown() -> None:
    named = set(re.findall(r"\]\(\.\./(examples/[\w/]+\.py)\)", PAGE))
    tops = {*(ROOT / "examples").glob("*.py"), *(ROOT / "examples").glob("*/manage.py")}
    assert named == {str(each.relative_to(ROOT)) for each in tops}
    assert {path.split("/")[1] for path, _ in QUOTATIONS} >= {"asyncio_program.py", "fastapi_app.py", "django_project"}


def test_what_the_page_shows_at_a_prompt_is_what_is_answered() -> None:
    failed, tried = doctest.testfile(str(FILE), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert (failed, tried > 5) == (0, True)


def test_what_is_said_to_be_public_exists() -> None:
    stability = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    modules = re.findall(r"^\| `(reviewinvite_[\w.]+)` \|", stability, re.MULTILINE)
    assert len(modules) == 5
    assert all(find_spec(each) for each in modules)


def test_the_adapter_passes_its_contract(interpreter: str, written: Path) -> None:
    assert " passed" in run(
        interpreter, written, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_queue_mailer.py"
    )


def test_the_adapter_sends_an_invitation(interpreter: str, written: Path) -> None:
    assert run(interpreter, written, "use_queue_mailer.py") == "1001 sent\n"
    assert len(list((written / "queue").glob("*.json"))) == 1

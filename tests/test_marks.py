"""The tables of marks in the root conftest name only what tests use. They are read from the sources: that is quick."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import conftest

ROOT = Path(__file__).parents[1]
SUITES = ROOT / "src" / "reviewinvite_core" / "testing"  # a mailer's tests inherit the suite in it
TABLES = (ROOT / "conftest.py", Path(__file__))


def sources() -> Iterator[Path]:
    for folder in (ROOT / "tests", ROOT / "features", SUITES):
        yield from (file for file in sorted(folder.rglob("*.py")) if file not in TABLES)


def area_of(file: Path) -> str:
    """Return the part of the tests in which a fixture has one meaning, for example `tests/http`."""
    return "/".join(file.relative_to(ROOT).parts[:-1][:2])


def names_used(tree: ast.Module) -> Iterator[str]:
    """Yield what tests, fixtures and steps ask for: their parameters, and the names in `usefixtures`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.decorator_list or node.name.startswith("test_"):
                yield from (argument.arg for argument in (*node.args.args, *node.args.kwonlyargs))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "usefixtures":
            yield from texts(node)


def texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.fixture(scope="module")
def trees() -> Mapping[Path, ast.Module]:
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in sources()}


def test_every_row_for_a_fixture_is_used_by_a_test(trees: Mapping[Path, ast.Module]) -> None:
    used = {name for tree in trees.values() for name in names_used(tree)}
    assert set(conftest.MARKS_BY_FIXTURE) - used == set()


def test_every_row_for_a_value_is_seen_where_its_name_is_used(trees: Mapping[Path, ast.Module]) -> None:
    used: defaultdict[str, set[str]] = defaultdict(set)
    seen: defaultdict[str, set[str]] = defaultdict(set)
    for file, tree in trees.items():
        used[area_of(file)].update(names_used(tree))
        seen[area_of(file)].update(texts(tree))
    unseen = {
        (name, value)
        for name, value in conftest.MARKS_BY_VALUE
        if not any(name in used[area] and value in seen[area] for area in used)
    }
    assert unseen == set()

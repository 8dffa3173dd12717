"""How much the core alone brings along: a bound that the decision records promise."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.dependencies import CORE, MODULES, MOST, OF_EVERY_ENVIRONMENT, direct, installed_in, needed_by
from packaging.utils import canonicalize_name

INSTALLED = installed_in()


def test_the_core_alone_brings_few_distributions() -> None:
    brought = needed_by(INSTALLED) | OF_EVERY_ENVIRONMENT
    assert CORE in brought
    assert {"sqlite-utils", "click", "cffi"} <= brought  # what its dependencies need is counted too
    assert len(brought) <= MOST, sorted(brought)


def test_extras_and_the_tools_of_the_checks_are_not_counted() -> None:
    assert not {"litestar", "typer", "psycopg", "pytest", "rich"} & needed_by(INSTALLED)


def test_every_dependency_is_in_the_record_that_gives_its_reason() -> None:
    asked_for = {canonicalize_name(each.name) for each in direct(INSTALLED)}
    assert asked_for == set(MODULES)
    record = (Path(__file__).parent.parent / "docs/adr/0038-why-each-dependency.md").read_text(encoding="utf-8")
    assert asked_for == set(re.findall(r"^- \*\*([\w-]+)\*\*", record, re.MULTILINE))

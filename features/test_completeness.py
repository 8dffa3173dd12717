"""The features as documentation: each scenario runs, each step means one thing, each rule says its source."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from pytest_bdd.feature import get_features
from pytest_bdd.gherkin_parser import GherkinDocument, get_gherkin_document
from pytest_bdd.parser import Feature, Step
from pytest_bdd.steps import StepFunctionContext, step_function_context_registry

HERE = Path(__file__).parent
SPECIFICATION = HERE.parent / "docs" / "specification.md"
FILES = sorted(HERE.rglob("*.feature"))
PLACES = {"library", "lasting", "sqlite", "http", "cli"}
TECHNICAL = re.compile(r"\b(JSON|HTTP|header|status|endpoint|POST)\b|[{}]")

each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HERE)))


@cache
def document(path: Path) -> GherkinDocument:
    return get_gherkin_document(str(path), "utf-8")


@cache
def features() -> list[Feature]:
    return get_features([str(path) for path in FILES])


def written(path: Path) -> list[str]:
    """The names of all scenarios in a file, as they are written there."""
    children = document(path).feature.children
    inside = [child for outer in children for child in (outer.rule.children if outer.rule else [outer])]
    return [child.scenario.name for child in inside if child.scenario]


def steps_of(feature: Feature) -> Iterator[Step]:
    """Every step of a feature, with every example put in."""
    for template in feature.scenarios.values():
        rows = [row for examples in template.examples for row in examples.as_contexts()]
        for row in rows or [{}]:
            yield from template.render(row).steps


def definitions() -> list[StepFunctionContext]:
    """Every step that features/steps defines."""
    known = list(step_function_context_registry.values())
    return [one for one in known if one.step_func.__module__.startswith("features.steps.")]


def means(definition: StepFunctionContext, step: Step) -> bool:
    return definition.type in {None, step.type} and definition.parser.is_matching(step.name)


def test_there_are_features() -> None:
    assert len(FILES) > 10
    assert len(definitions()) > 50


@each_file
def test_every_scenario_is_bound_to_a_test(path: Path) -> None:
    module = import_module(f"features.test_{path.parent.relative_to(HERE).parts[0]}")
    bound = {test.__doc__ for name, test in vars(module).items() if name.startswith("test_")}
    assert {f"{path}: {name}" for name in written(path)} <= bound


@each_file
def test_no_two_scenarios_of_a_feature_have_one_name(path: Path) -> None:
    """Of two with one name only the last would run."""
    assert [name for name, times in Counter(written(path)).items() if times > 1] == []


@each_file
def test_every_scenario_stands_under_a_rule_that_cites_the_specification(path: Path) -> None:
    sections = set(re.findall(r"^#{2,3} (\d(?:\.\d)?)\.? ", SPECIFICATION.read_text(), re.MULTILINE))
    lines = path.read_text().splitlines()
    rules = [child.rule for child in document(path).feature.children if child.rule]
    assert rules
    assert not any(child.scenario for child in document(path).feature.children)
    for rule in rules:
        above = lines[rule.location.line - 2].strip()
        assert above.startswith("# Spec: §"), rule.name
        cited = re.findall(r"§([\d.]+\d|\d)", above)
        assert set(cited) <= sections, above


def test_every_step_of_every_scenario_means_one_thing() -> None:
    meanings = {
        (step.type, step.name): [one.step_func.__qualname__ for one in definitions() if means(one, step)]
        for feature in features()
        for step in steps_of(feature)
    }
    assert {step: found for step, found in meanings.items() if len(found) != 1} == {}


def test_every_step_definition_is_used() -> None:
    steps = {(step.type, step.name): step for feature in features() for step in steps_of(feature)}.values()
    unused = [one for one in definitions() if not any(means(one, step) for step in steps)]
    assert [(one.type, one.parser.name) for one in unused] == []


def test_no_step_is_asynchronous() -> None:
    """It would never be awaited, and pass."""
    assert [one.step_func for one in definitions() if inspect.iscoroutinefunction(one.step_func)] == []


def test_general_rules_name_no_technology() -> None:
    technical = []
    for feature in features():
        for scenario in feature.scenarios.values():
            tags = scenario.tags | feature.tags | (scenario.rule.tags if scenario.rule else set())
            if not tags & {"http", "cli"}:
                words = [feature.name, feature.description, scenario.name, *(step.name for step in scenario.steps)]
                technical += [text for text in words if TECHNICAL.search(text)]
    assert technical == []


def test_every_tag_names_where_a_rule_exists() -> None:
    tags = {
        tag
        for feature in features()
        for scenario in feature.scenarios.values()
        for tag in scenario.tags | feature.tags | (scenario.rule.tags if scenario.rule else set())
    }
    assert tags == PLACES

"""The features as documentation: each scenario runs, each step means one thing, each rule cites its source."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from features.tags import GENERAL, TAGS
from pytest_bdd.feature import get_features
from pytest_bdd.gherkin_parser import GherkinDocument, get_gherkin_document
from pytest_bdd.parser import Feature, ScenarioTemplate, Step
from pytest_bdd.steps import StepFunctionContext, step_function_context_registry

HERE = Path(__file__).parent
SPECIFICATION = HERE.parent / "docs" / "specification.md"
FILES = sorted(HERE.rglob("*.feature"))
TECHNICAL = re.compile(r"\b(JSON|HTTP|header|status|endpoint|POST)\b|[{}]")


@cache
def document(path: Path) -> GherkinDocument:
    return get_gherkin_document(str(path), "utf-8")


@cache
def features() -> list[Feature]:
    return get_features([str(path) for path in FILES])


@cache
def scenario_names(path: Path) -> list[str]:
    """Return the names of all scenarios in a file, as they are written there."""
    children = document(path).feature.children
    inside = [child for outer in children for child in (outer.rule.children if outer.rule else [outer])]
    return [child.scenario.name for child in inside if child.scenario]


def steps_of(feature: Feature) -> Iterator[Step]:
    """Yield every step of a feature, with every example filled in."""
    for template in feature.scenarios.values():
        rows = [row for examples in template.examples for row in examples.as_contexts()]
        for row in rows or [{}]:
            yield from template.render(row).steps


@cache
def definitions() -> list[StepFunctionContext]:
    """Return every step that features/steps defines."""
    known = list(step_function_context_registry.values())
    return [each for each in known if each.step_func.__module__.startswith("features.steps.")]


@cache
def meanings() -> dict[tuple[str, str], list[StepFunctionContext]]:
    """Return the definitions that match each step of each scenario, by the step's type and name."""
    steps = {(step.type, step.name) for feature in features() for step in steps_of(feature)}
    return {
        (kind, name): [each for each in definitions() if each.type in {None, kind} and each.parser.is_matching(name)]
        for kind, name in steps
    }


def tags_of(feature: Feature, scenario: ScenarioTemplate) -> set[str]:
    return scenario.tags | feature.tags | (scenario.rule.tags if scenario.rule else set())


def test_there_are_features() -> None:
    assert len(FILES) > 10
    assert len(definitions()) > 50


def test_every_scenario_is_bound_to_a_test() -> None:
    for path in FILES:
        module = import_module(f"features.test_{path.parent.relative_to(HERE).parts[0]}")
        bound = {test.__doc__ for name, test in vars(module).items() if name.startswith("test_")}
        assert {f"{path}: {name}" for name in scenario_names(path)} <= bound


def test_no_two_scenarios_of_a_feature_have_one_name() -> None:
    """Of two with one name only the last would run."""
    for path in FILES:
        assert [name for name, times in Counter(scenario_names(path)).items() if times > 1] == [], path


def test_every_scenario_stands_under_a_rule_that_cites_the_specification() -> None:
    sections = set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?)\.? ", SPECIFICATION.read_text(), re.MULTILINE))
    for path in FILES:
        lines = path.read_text().splitlines()
        rules = [child.rule for child in document(path).feature.children if child.rule]
        assert rules, path
        assert not any(child.scenario for child in document(path).feature.children), path
        for rule in rules:
            above = lines[rule.location.line - 2].strip()
            assert above.startswith("# Spec: §"), rule.name
            cited = re.findall(r"§(\d+(?:\.\d+)?)", above)
            assert set(cited) <= sections, above


def test_every_step_of_every_scenario_means_one_thing() -> None:
    ambiguous = {
        step: [each.step_func.__qualname__ for each in found] for step, found in meanings().items() if len(found) != 1
    }
    assert ambiguous == {}


def test_every_step_definition_is_used() -> None:
    used = {id(each) for found in meanings().values() for each in found}
    assert [(each.type, each.parser.name) for each in definitions() if id(each) not in used] == []


def test_no_step_is_asynchronous() -> None:
    """It would never be awaited, and pass."""
    assert [each.step_func for each in definitions() if inspect.iscoroutinefunction(each.step_func)] == []


def test_general_rules_name_no_technology() -> None:
    technical = []
    for feature in features():
        for scenario in feature.scenarios.values():
            if not tags_of(feature, scenario) & {"http", "cli"}:
                words = [feature.name, feature.description, scenario.name, *(step.name for step in scenario.steps)]
                technical += [text for text in words if TECHNICAL.search(text)]
    assert technical == []


def test_every_tag_names_where_a_rule_exists() -> None:
    tags = {
        tag for feature in features() for scenario in feature.scenarios.values() for tag in tags_of(feature, scenario)
    }
    assert tags == set(TAGS)


def test_every_scenario_is_in_the_default_run_on_some_driver(pytestconfig: pytest.Config) -> None:
    marks = marks_by_value(pytestconfig)
    for name, drivers in {"(none)": GENERAL, **{name: tag.drivers for name, tag in TAGS.items()}}.items():
        assert any("full" not in marks.get(("driver", driver), ()) for driver in drivers), name


def test_no_tag_is_also_a_mark_for_what_a_test_uses(pytestconfig: pytest.Config) -> None:
    """If one were, `-m` could not tell the two apart."""
    assert {mark for marks in marks_by_value(pytestconfig).values() for mark in marks}.isdisjoint(TAGS)


def marks_by_value(config: pytest.Config) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the table by which the root conftest marks tests, without importing that a second time."""
    root_conftest = config.pluginmanager.get_plugin(str(config.rootpath / "conftest.py"))
    assert root_conftest is not None
    marks: Mapping[tuple[str, str], tuple[str, ...]] = root_conftest.MARKS_BY_VALUE
    return marks

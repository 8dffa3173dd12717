"""What is released: the files of wheel and sdist, what they say of themselves, the bill of materials, the tag."""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tools.release import notes_of
from tools.sbom import LOCK, bill_of_materials
from trove_classifiers import classifiers

from reviewinvite_core.version import __version__

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
WORKFLOWS = ROOT / ".github" / "workflows"
LEFT_OUT_OF_A_WHEEL = {".po", ".pot"}


@pytest.fixture(scope="module")
def built(interpreter: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and an sdist of this tree."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [interpreter, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True, capture_output=True
    )
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> set[str]:
    """The names in the wheel."""
    (file,) = built.glob("*.whl")
    assert file.name == f"reviewinvite-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(file) as opened:
        return set(opened.namelist())


@pytest.fixture(scope="module")
def metadata(built: Path) -> Message:
    """What the wheel says of itself."""
    (file,) = built.glob("*.whl")
    with zipfile.ZipFile(file) as opened:
        text = opened.read(f"reviewinvite-{__version__}.dist-info/METADATA").decode()
    return Parser().parsestr(text)


@pytest.fixture(scope="module")
def sdist(built: Path) -> set[str]:
    """The names in the sdist, without its top folder."""
    (file,) = built.glob("*.tar.gz")
    assert file.name == f"reviewinvite-{__version__}.tar.gz"
    with tarfile.open(file) as opened:
        return {name.partition("/")[2] for name in opened.getnames()}


def committed(*folders: str) -> set[str]:
    """Return the files of the repository in these folders."""
    listed = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, check=True, capture_output=True, text=True)
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


def test_a_wheel_has_every_file_of_the_packages_but_the_sources_of_the_catalogues(wheel: set[str]) -> None:
    expected = {str(Path(name).relative_to("src")) for name in committed("src")}
    expected = {name for name in expected if Path(name).suffix not in LEFT_OUT_OF_A_WHEEL}
    catalogues = {name for name in wheel if name.endswith(".mo")}
    assert {name for name in wheel if ".dist-info/" not in name} == expected | catalogues
    assert {Path(name).parts[2] for name in catalogues} == {
        folder.name for folder in (SOURCE / "reviewinvite_core" / "locale").iterdir() if folder.is_dir()
    }


@pytest.mark.parametrize("package", ["reviewinvite_core", "reviewinvite_http", "reviewinvite_cli"])
def test_a_wheel_says_that_each_package_is_typed(wheel: set[str], package: str) -> None:
    assert f"{package}/py.typed" in wheel


def test_a_wheel_has_templates_scripts_and_the_license(wheel: set[str]) -> None:
    assert f"reviewinvite-{__version__}.dist-info/licenses/LICENSE" in wheel
    for suffix in (".html", ".txt", ".css", ".js"):
        assert any(name.endswith(suffix) for name in wheel if ".dist-info/" not in name)


def test_an_sdist_has_what_the_checks_need(sdist: set[str]) -> None:
    kept_out = {name for name in committed() if name.startswith(".ci/")}
    assert committed() - kept_out <= sdist


def test_the_metadata_names_extras_classifiers_and_the_license(metadata: Message) -> None:
    assert metadata["Version"] == __version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert set(metadata.get_all("Provides-Extra", [])) == {
        "all",
        "cli",
        "client",
        "http",
        "otel",
        "postgres",
        "sentry",
        "testing",
    }
    given = set(metadata.get_all("Classifier", []))
    assert given <= set(classifiers)
    assert given >= {"Operating System :: POSIX", "Typing :: Typed"}
    assert metadata.get_all("Project-URL") is None  # no address is known yet


def test_all_is_every_extra_but_that_for_tests() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (every,) = extras["all"]
    assert Requirement(every).extras == extras.keys() - {
        "all",
        "otel",
        "sentry",
        "testing",
    }  # these send figures and faults elsewhere


def test_every_python_that_is_checked_is_named_and_no_other() -> None:
    named = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    versions = {
        found[1] for name in named if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", name))
    }
    (checked,) = re.findall(r"python-version: \[(.+)\]", (WORKFLOWS / "checks.yml").read_text())
    assert set(re.findall(r"3\.\d+", checked)) == versions


# --- the bill of materials ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bill(interpreter: str) -> dict[str, Any]:
    """The bill, as a release has it."""
    made: dict[str, Any] = json.loads(bill_of_materials(interpreter))
    return made


@pytest.mark.full
def test_the_bill_keeps_to_the_schema_and_the_schema_is_looked_at(bill: dict[str, Any]) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator  # it takes seconds, and every process collects this file

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(json.dumps(bill)) is None
    assert validator.validate_str(json.dumps({**bill, "colour": "red"})) is not None


def test_the_bill_names_every_locked_distribution_with_version_and_hashes(bill: dict[str, Any]) -> None:
    lock = LOCK.read_text(encoding="utf-8")
    locked = dict(re.findall(r"^([\w.-]+)==([^ ;]+)", lock, re.MULTILINE))
    assert {each["name"]: each["version"] for each in bill["components"]} == {
        canonicalize_name(name): version for name, version in locked.items()
    }
    hashes = {
        each["content"] for one in bill["components"] for ref in one["externalReferences"] for each in ref["hashes"]
    }
    assert hashes == set(re.findall(r"--hash=sha256:([0-9a-f]{64})", lock))
    assert "pytest" not in locked


def test_the_bill_is_of_this_release_and_says_what_needs_what(bill: dict[str, Any]) -> None:
    component = bill["metadata"]["component"]
    assert (component["name"], component["version"]) == ("reviewinvite", __version__)
    needs = {each["ref"]: set(each["dependsOn"]) for each in bill["dependencies"]}
    assert needs["reviewinvite"] >= {"attrs", "litestar", "httpx", "psycopg", "typer"}
    assert "httpx" in needs["litestar"]
    assert set().union(*needs.values()) == {each["name"] for each in bill["components"]}


# --- the tag and the workflow ---------------------------------------------------------------------------------------

CHANGELOG = """# Changelog

## Unreleased

- Later.

## 1.2.3 - 2026-03-02

### Added

- Now.

## 1.2.2 - 2026-01-01
"""


def test_the_notes_of_a_release_are_its_part_of_the_changelog() -> None:
    assert notes_of("v1.2.3", "1.2.3", CHANGELOG) == "### Added\n\n- Now.\n"


@pytest.mark.parametrize(("tag", "version"), [("1.2.3", "1.2.3"), ("v1.2.4", "1.2.3"), ("v1.2.4", "1.2.4"), ("v", "")])
def test_a_tag_that_is_not_that_of_the_version_or_has_no_notes_is_refused(tag: str, version: str) -> None:
    with pytest.raises(ValueError, match=r"is not v|no heading"):
        notes_of(tag, version, CHANGELOG)


def test_the_release_workflow_publishes_without_a_token_what_was_checked_and_built() -> None:
    workflow = yaml.safe_load((WORKFLOWS / "release.yml").read_text())
    jobs = workflow["jobs"]
    assert [jobs[name].get("needs") for name in ("checks", "build", "publish", "announce")] == [
        *(None, "checks", "build", "publish")
    ]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert workflow["permissions"] == {"contents": "read"}
    assert not re.search(r"secrets\.|password", (WORKFLOWS / "release.yml").read_text())


def test_the_workflows_run_only_modules_and_files_that_there_are() -> None:
    text = (WORKFLOWS / "release.yml").read_text()
    for module in re.findall(r"python -m (tools\.\w+)", text):
        assert (ROOT / f"{module.replace('.', '/')}.py").exists()
    for file in re.findall(r"(?:-r |run: )([\w./]+\.txt|\.ci/run)", text):
        assert (ROOT / file).exists()

"""Processes that fork: the child has to build an application of its own, and the parent's goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import postgres
from tests.waiting import TIMEOUT_SECONDS

REPOSITORY = Path(__file__).parents[2]
BUILT_BEFORE = "this application was built in process N, before a fork: build it after the fork"
REFUSED = (
    "write",
    "read",
    "delivery",
    "continual delivery",
    "paused",
    "reconcile",
    "domain rechecks",
    "async write",
    "async read",
)

Run = Callable[[str], dict[str, Any]]


@pytest.fixture
def run_python(tmp_path: Path) -> Run:
    """Run the program that forks, on the database at this address."""

    def run(database_url: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "tests.core.forking_program", database_url, f"outbox:{tmp_path / 'outbox'}"]
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        )
        assert ended.returncode == 0, ended.stderr
        told: dict[str, Any] = json.loads(ended.stdout)
        return told

    return run


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database of each kind."""
    if request.param == "memory":
        yield "memory:"
    elif request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'forked.db'}"
    else:
        with postgres.database(request.getfixturevalue("postgres_server")) as url:
            yield url


def test_a_child_is_told_to_build_its_own_and_the_parent_works_on(run_python: Run, database_url: str) -> None:
    told = run_python(database_url)
    assert {name: told["child"][name] for name in REFUSED} == dict.fromkeys(REFUSED, BUILT_BEFORE)
    assert told["child"]["close"] == "returned int"
    assert (told["child"]["build again"] == "returned NoneType") == (not database_url.startswith("sqlite:"))
    assert told["parent"] == {
        "write": "returned Reported",
        "read": "returned list",
        "async write": "returned Reported",
        "async read": "returned list",
        "delivery": "returned list",
    }


def test_a_child_builds_its_own_on_a_file_that_its_parent_has_closed(run_python: Run, tmp_path: Path) -> None:
    told = run_python(f"sqlite:///{tmp_path / 'forked.db'}")
    assert told["child"]["build again"].endswith(
        "forked.db was open when this process was forked: close the application before the fork"
    )
    assert told["after close"] == "returned NoneType"

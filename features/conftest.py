"""Runs each scenario on every driver that it belongs to: one sentence, one meaning, whichever way it is reached."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from shutil import copytree
from typing import TypeAlias

import pytest

pytest.register_assert_rewrite("features.drivers", "features.steps")

from features import steps  # noqa: E402 - its assertions are to be explained
from features.drivers.cli import CommandLine  # noqa: E402
from features.drivers.http import OverHttp  # noqa: E402
from features.drivers.library import Library  # noqa: E402
from features.steps.story import Story  # noqa: E402
from tests import postgres  # noqa: E402

Driver: TypeAlias = Library | OverHttp | CommandLine
Closing: TypeAlias = Callable[[Driver], None]

DRIVERS: dict[str, Callable[..., Driver]] = {"library": Library, "http": OverHttp, "cli": CommandLine}

# A rule that has no tag is general. A tag names where a rule exists only.
GENERAL = ("library-memory", "library-sqlite", "library-postgres", "http-sqlite")
BY_TAG = {
    "library": ("library-memory", "library-sqlite", "library-postgres"),
    "lasting": ("library-sqlite", "library-postgres", "http-sqlite", "http-postgres"),
    "sqlite": ("library-sqlite", "http-sqlite"),
    "http": ("http-sqlite", "http-postgres"),
    "cli": ("cli-sqlite",),
}


def pytest_configure(config: pytest.Config) -> None:
    """Make every module in `steps` known: a new file there needs no word here."""
    for module in pkgutil.iter_modules(steps.__path__, "features.steps."):
        config.pluginmanager.register(import_module(module.name), module.name)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test of its own for each driver: where a rule does not exist there is no test, not a skipped one."""
    if "driver" in metafunc.fixturenames:
        tags = [mark.name for mark in metafunc.definition.iter_markers() if mark.name in BY_TAG]
        assert len(tags) <= 1, f"{metafunc.definition.nodeid} has more than one of the tags {tags}"
        metafunc.parametrize("driver", BY_TAG[tags[0]] if tags else GENERAL, indirect=True)


@pytest.fixture(scope="session")
def closing() -> Iterator[Closing]:
    """Closes a driver while the next scenario runs already: a server takes its time to stop."""
    closed = []
    with ThreadPoolExecutor(4) as closer:
        yield lambda driver: closed.append(closer.submit(driver.close))
    for one in closed:
        one.result()


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database just made, and its secret: to copy is quicker than to make."""
    folder = tmp_path_factory.mktemp("new")
    made = Library(folder)
    assert made.invitations() == []
    made.close()
    return folder


@pytest.fixture(scope="session")
def shared_database() -> Iterator[str]:
    """A database on a real PostgreSQL; to empty it is quicker than to make another."""
    with postgres.server() as server, postgres.database(server) as url:
        yield url


@pytest.fixture
def driver(request: pytest.FixtureRequest, tmp_path: Path, closing: Closing) -> Iterator[Driver]:
    """The service, empty, as this test reaches it, on the storage that it uses."""
    way, _, storage = request.param.partition("-")
    if storage == "sqlite":
        copytree(request.getfixturevalue("new_database"), tmp_path, dirs_exist_ok=True)
        reached = DRIVERS[way](tmp_path)
    elif storage == "postgres":
        url = request.getfixturevalue("shared_database")
        postgres.empty(url)
        reached = DRIVERS[way](tmp_path, url)
    else:
        reached = DRIVERS[way](tmp_path, "memory:")
    yield reached
    closing(reached)


@pytest.fixture
def story() -> Story:
    """What has happened in the scenario so far."""
    return Story()

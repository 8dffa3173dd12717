"""Runs each scenario on every driver that it belongs to: one sentence, one meaning, however it is reached."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from shutil import copytree
from typing import TypeAlias

import pytest

pytest.register_assert_rewrite("features.drivers", "features.steps")

from features import living, steps  # noqa: E402 - its assertions are to be explained
from features.drivers.base import Driver  # noqa: E402
from features.drivers.cli import CliDriver  # noqa: E402
from features.drivers.http import HttpDriver  # noqa: E402
from features.drivers.library import LibraryDriver  # noqa: E402
from features.steps.context import ScenarioContext  # noqa: E402
from features.tags import GENERAL, TAGS  # noqa: E402
from tests import postgres  # noqa: E402

AnyDriver: TypeAlias = Driver | CliDriver
CloseLater: TypeAlias = Callable[[AnyDriver], None]


DRIVERS: Mapping[str, Callable[[Path, str | None], Driver]] = {"library": LibraryDriver, "http": HttpDriver}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that records the scenarios."""
    parser.addoption("--living", type=Path, metavar="FOLDER", help="record what each scenario does, on one driver")


def pytest_configure(config: pytest.Config) -> None:
    """Register every module in `steps`, and every tag as a mark: a new one needs no entry elsewhere."""
    for module in pkgutil.iter_modules(steps.__path__, "features.steps."):
        config.pluginmanager.register(import_module(module.name), module.name)
    for name, tag in TAGS.items():
        config.addinivalue_line("markers", f"{name}: a scenario of {tag.meaning}")
    if folder := config.getoption("--living"):
        config.pluginmanager.register(living.Recorder(folder), "living")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test for each driver: where a rule does not exist there is no test, not a skipped one."""
    if "driver" in metafunc.fixturenames:
        tags = [mark.name for mark in metafunc.definition.iter_markers() if mark.name in TAGS]
        assert len(tags) <= 1, f"{metafunc.definition.nodeid} has more than one of the tags {tags}"
        drivers = TAGS[tags[0]].drivers if tags else GENERAL
        recorded = metafunc.config.getoption("--living")
        metafunc.parametrize("driver", living.one_driver(drivers) if recorded else drivers, indirect=True)


@pytest.fixture(scope="session")
def close_later() -> Iterator[CloseLater]:
    """Close drivers while the next scenarios run: a server takes some time to stop."""
    closed = []
    with ThreadPoolExecutor(4) as closer:
        yield lambda driver: closed.append(closer.submit(driver.close))
    for each in closed:
        each.result()


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a new database and its secret: to copy one is quicker than to create one."""
    folder = tmp_path_factory.mktemp("new")
    creator = LibraryDriver(folder)
    assert creator.invitations() == []
    creator.close()
    return folder


@pytest.fixture(scope="session")
def shared_database() -> Iterator[str]:
    """A database on a real PostgreSQL: to empty one is quicker than to create one."""
    with postgres.server() as server, postgres.database(server) as url:
        yield url


@pytest.fixture
def driver(request: pytest.FixtureRequest, tmp_path: Path, close_later: CloseLater) -> Iterator[AnyDriver]:
    """The service, empty, as this test reaches it, on the storage that it uses."""
    way, _, storage = request.param.partition("-")
    url: str | None = "memory:"
    if storage == "sqlite":
        url = None
        copytree(request.getfixturevalue("new_database"), tmp_path, dirs_exist_ok=True)
    elif storage == "postgres":
        url = request.getfixturevalue("shared_database")
        postgres.empty(str(url))
    driver = CliDriver(tmp_path) if way == "cli" else DRIVERS[way](tmp_path, url)
    yield driver
    close_later(driver)


@pytest.fixture
def context() -> ScenarioContext:
    """What the steps of one scenario share."""
    return ScenarioContext()

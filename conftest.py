"""What all tests share: marks, Hypothesis profiles and a PostgreSQL server.

What a test uses is marked by its fixtures; how often it repeats is chosen by a parameter (`in_full`, `in_soak`).
`nox -s quick` leaves out all that is marked; `nox` leaves out what is marked `full` or `soak`; `nox -s full` runs what
is marked `full`; `nox -s soak` runs what is marked `soak`, and all property tests with more examples.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests import postgres
from tests.tools import require

# how long an example takes depends on how busy the machine is, not on the code
settings.register_profile("soak", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=500)
settings.register_profile("checks", settings.get_profile("soak"), derandomize=True, max_examples=50)
settings.register_profile("quick", settings.get_profile("checks"), max_examples=10)
settings.load_profile("checks")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a background job ignores Ctrl-C, and so would its children
    signal.signal(signal.SIGINT, signal.default_int_handler)

MARKS_BY_FIXTURE: Mapping[str, tuple[str, ...]] = {
    "postgres_server": ("postgres",),
    "chromium": ("browser",),
    "take_picture": ("pictures",),
    "demo": ("sqlite",),
    "deployment": ("process",),
    "interpreter": ("process",),
    "node": ("process",),
    "make_crash_harness": ("process",),
    "fork_servers": ("process",),
    "pooled_url": ("process",),
    "rotation_server": ("process",),
    "patient_deployment": ("process",),
    "processes": ("process",),
    "sqlite_folder": ("sqlite",),
    "sqlite_root": ("sqlite",),
    "as_process": ("process",),
    "environment_template": ("sqlite",),
    "examples": ("machine",),
    "made_file": ("sqlite",),
    "migrated_file": ("sqlite",),
    "small_disk": ("sqlite",),
    "run_python": ("process",),
    "start_program": ("process",),
    "real_timeouts": ("process",),
    "killed_deployment": ("full",),
    "deployment_under_load": ("full",),
    "deployment_under_faults": ("full",),
    "made_dump": ("postgres", "full"),
    "own_postgres_server": ("postgres", "full"),
    "long_wait": ("full",),
}
"""What a test is, by the fixtures and parameters that it names, directly or through others."""

MARKS_BY_VALUE: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("each_storage", "sqlite"): ("sqlite", "full"),
    ("each_storage", "postgres"): ("postgres", "full"),
    ("deployment", "postgres"): ("postgres", "full"),
    ("driver", "library-sqlite"): ("sqlite", "full"),
    ("driver", "library-postgres"): ("postgres", "full"),
    ("driver", "http-sqlite"): ("sqlite",),
    ("driver", "http-postgres"): ("postgres", "full"),
    ("driver", "cli-sqlite"): ("sqlite",),
    ("present", "postgres"): ("postgres", "full"),
    ("source", "postgresql"): ("postgres", "full"),
    ("window", "en-1280"): ("full",),
    ("keyboard_user", "nl-without-scripts"): ("full",),
    ("keyboard_user", "en-with-scripts"): ("full",),
}
"""What a test is, by the value that a fixture or parameter has in it."""

STORAGES: Mapping[str, tuple[str, ...]] = {
    "sqlite": ("sqlite",),
    "postgres": ("postgres",),
    "postgresql": ("postgres",),
}
"""What a test is whose parameter names a storage, unless `MARKS_BY_VALUE` says more."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector away from what is collected: it stays to the end, and each round would read it all."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by what it uses; a parameter that names a storage is a use of that storage."""
    for item in items:
        for mark in sorted(_marks_of(item)):
            item.add_marker(mark)


def _marks_of(item: pytest.Item) -> set[str]:
    names: set[str] = set(getattr(item, "fixturenames", ()))
    values: Mapping[str, object] = getattr(getattr(item, "callspec", None), "params", {})
    marks = {mark for name in names | set(values) for mark in MARKS_BY_FIXTURE.get(name, ())}
    for name, value in values.items():
        if isinstance(value, str):
            marks.update(MARKS_BY_VALUE.get((name, value), STORAGES.get(value, ())))
    return marks


@pytest.fixture(scope="session")
def long_wait() -> None:
    """Say that a test waits for seconds on purpose; in the full run only."""


@pytest.fixture(scope="session")
def interpreter() -> str:
    """Return the Python interpreter for tests that run processes of their own."""
    return sys.executable


@pytest.fixture(scope="session")
def node() -> str:
    """Return the Node.js interpreter."""
    return require("node", "`apt-get install nodejs`")


@pytest.fixture
def sqlite_folder(tmp_path: Path) -> Path:
    """Return an empty folder for a SQLite file; tests that use it get the mark `sqlite`."""
    return tmp_path


@pytest.fixture(scope="session")
def sqlite_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which each example of a property creates one for its SQLite file."""
    return tmp_path_factory.mktemp("sqlite")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Return the URL of a new, empty database."""
    with postgres.database(postgres_server) as url:
        yield url

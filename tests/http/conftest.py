"""Servers for the tests of HTTP: one shared by the tests of a file, and databases for real processes."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests import disks, postgres
from tests.http.dashboard import Visitor, signed_in
from tests.http.service import SITE, Deployment, Service
from tests.http.serving import serving
from tests.http.storages import address_of, pytest_generate_tests as pytest_generate_tests
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import NewShop
from reviewinvite_core.domain.limits import MINUTE, next_midnight
from reviewinvite_core.testing.builders import a_shop

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with a clock that is moved by hand; tests that share it take keys of their own.

    Its storage is memory, or each of those in `storages.py`.
    """
    folder = tmp_path_factory.mktemp("service")
    url = address_of(request, folder, "module_postgres_url")
    with serving(database_url=url, mail_url=f"outbox:{folder / 'outbox'}", handover_mark=folder / "mark") as service:
        service.app.shops.add(a_shop(SITE))
        yield service


@pytest.fixture
def key(service: Service) -> str:
    """A new key of the shop, with its whole limit."""
    return service.a_key()


@pytest.fixture
def site(service: Service) -> str:
    """A shop of the test's own."""
    site = f"shop-{next(_numbers)}"
    service.app.shops.add(NewShop(site_id=site, name="De Molen"))
    return site


@pytest.fixture
def owner(service: Service, site: str) -> Visitor:
    """The browser of an owner of that shop, who has just signed in."""
    return signed_in(service, site, f"owner-of-{site}@example.com")


@pytest.fixture(scope="module")
def module_postgres_url(postgres_server: str) -> Iterator[str]:
    """A database on PostgreSQL that the tests of a file share."""
    with postgres.database(postgres_server) as url:
        yield url


@pytest.fixture
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    """A database on which real processes serve: a SQLite file, or each of those in `storages.py`."""
    url = address_of(request, tmp_path, "postgres_url", default="sqlite")
    made = Deployment(tmp_path, None if url.startswith("sqlite:") else url, orders_per_minute=0)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def killed_deployment(deployment: Deployment) -> Deployment:
    """A deployment of which a process is killed; in the full run only."""
    return deployment


@pytest.fixture
def deployment_under_load(deployment: Deployment) -> Deployment:
    """A deployment that is kept busy for long; in the full run only."""
    return deployment


@pytest.fixture
def deployment_under_faults(deployment: Deployment) -> Deployment:
    """A deployment whose connections to the database break; in the full run only."""
    return deployment


@pytest.fixture(scope="module")
def own_postgres_server() -> Iterator[postgres.OwnServer]:
    """A PostgreSQL server that is killed, or stands still; in the full run only."""
    with postgres.own_server() as server:
        yield server


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    """The path of a SQLite file that is not there yet."""
    return tmp_path / "reviewinvite.db"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    with disks.small_disk(tmp_path / "small", megabytes=1) as folder:
        yield folder


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program in a Python process of its own, with these arguments."""

    def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=4 * TIMEOUT_SECONDS, check=False
        )

    return run


@pytest.fixture
def real_timeouts() -> None:
    """Say that a test waits for timeouts of seconds, as they are in production; left out of the quick run."""


@pytest.fixture
def one_day() -> None:
    """Wait until the day in UTC has a minute left at least: what is counted by the day starts again with the next."""

    def has_a_minute_left() -> bool:
        now = datetime.now(UTC)
        return next_midnight(now) - now > MINUTE

    wait_until(has_a_minute_left)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new database for one application: memory, or each of those in `storages.py`."""
    return address_of(request, tmp_path, "postgres_url")

"""Services for the tests of HTTP: one shared by the tests of a file, and databases for real processes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests import postgres
from tests.http.service import SECRET, SITE, Deployment, Service, wait_until
from tests.http.storages import pytest_generate_tests as pytest_generate_tests

from reviewinvite_core import Settings, build
from reviewinvite_core.domain.limits import MINUTE, next_midnight
from reviewinvite_core.testing.builders import ManualClock, a_shop
from reviewinvite_http import server


@pytest.fixture(scope="module")
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server with a clock that is moved by hand; tests that share it take keys of their own.

    Its storage is a SQLite file, or each there is in turn (`storages.py`).
    """
    folder = tmp_path_factory.mktemp("service")
    clock = ManualClock()
    url = address_of(request, folder, "module_postgres_url")
    settings = Settings(
        database_url=url, mail_url=f"outbox:{folder / 'outbox'}", secret=SECRET, handover_mark=folder / "mark"
    )
    app = build(settings, clock=clock)
    app.add_shop(a_shop(SITE))
    try:
        with server.running(app, worker=False) as address:
            yield Service(address=address, app=app, clock=clock)
    finally:
        app.close()


@pytest.fixture
def key(service: Service) -> str:
    """A new key of the shop, with its whole limit."""
    return service.a_key()


@pytest.fixture(scope="module")
def module_postgres_url(postgres_server: str) -> Iterator[str]:
    """A database on PostgreSQL that the tests of a file share."""
    with postgres.database(postgres_server) as url:
        yield url


@pytest.fixture
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    """A database on which real processes serve: a SQLite file, or each there is in turn (`storages.py`)."""
    url = address_of(request, tmp_path, "postgres_url")
    made = Deployment(tmp_path, None if url.startswith("sqlite:") else url, orders_per_minute=0)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def one_day() -> None:
    """A day in UTC that has a minute left at least: in the next one all that is counted by the day begins anew."""

    def has_a_minute_left() -> bool:
        now = datetime.now(UTC)
        return next_midnight(now) - now > MINUTE

    wait_until(has_a_minute_left)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new database for one application: each storage there is in turn (`storages.py`)."""
    return address_of(request, tmp_path, "postgres_url")


def address_of(request: pytest.FixtureRequest, folder: Path, postgres_fixture: str) -> str:
    """The address of the storage that a fixture is asked for; without a word that of a SQLite file."""
    match getattr(request, "param", "sqlite"):
        case "memory":
            return "memory:"
        case "postgres":
            url: str = request.getfixturevalue(postgres_fixture)
            return url
        case _:
            return f"sqlite:///{folder / 'reviewinvite.db'}"

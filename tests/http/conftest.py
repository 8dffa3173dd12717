"""Services for the tests of HTTP: one shared by the tests of a file, and databases for real processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.http.service import SITE, Deployment, Service

from reviewinvite_core import Settings, build
from reviewinvite_core.testing.builders import ManualClock, a_shop
from reviewinvite_http import server


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server on a SQLite file, with a clock that is moved by hand; tests that share it take keys of their own."""
    folder = tmp_path_factory.mktemp("service")
    clock = ManualClock()
    app = build(
        Settings(database_url=f"sqlite:///{folder / 'reviewinvite.db'}", mail_url=f"outbox:{folder / 'outbox'}"),
        clock=clock,
    )
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


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    """A database on which real processes serve."""
    made = Deployment(tmp_path, orders_per_minute=0)
    try:
        yield made
    finally:
        made.stop()

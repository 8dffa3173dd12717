"""What `/metrics` reads from PostgreSQL and its pool."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from tests.http.service import SECRET
from tests.http.test_metrics import SITE, TOKEN, scrape, value
from tests.waiting import wait_until

from reviewinvite_core import Application, OrderReport, Settings, StorageUnavailable, accepted, build
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http import server
from reviewinvite_http.metrics import Metrics

HOUR = 3_600
MOST_CONNECTIONS = 8
READERS = 2 * MOST_CONNECTIONS


@contextmanager
def measured(url: str, folder: Path) -> Iterator[tuple[str, Application, Metrics]]:
    """Serve an application on PostgreSQL; yield its address, the application and its metrics."""
    metrics = Metrics(TOKEN)
    settings = Settings(database_url=url, mail_url="recording:", secret=SECRET, handover_mark=folder / "mark")
    with build(settings, telemetry=metrics) as app:
        app.shops.add(a_shop(SITE))
        with server.running(app, worker=False, metrics=metrics) as address:
            yield address, app, metrics


def connections(address: str) -> dict[str, float | None]:
    text = scrape(address)
    return {
        state: value(text, "reviewinvite_database_connections", state=state) for state in ("open", "in_use", "waiting")
    }


def read_anew(address: str, app: Application, metrics: Metrics) -> dict[str, float]:
    """Return what storage says now."""
    metrics.end_reading()
    metrics.begin_reading(app)
    wait_until(lambda: "reviewinvite_due " in scrape(address))
    text = scrape(address)
    return {name: value(text, f"reviewinvite_{name}") or 0 for name in ("due", "oldest_due_seconds", "uncertain")}


def test_what_is_due_and_for_how_long_is_read_by_the_clock_of_the_database(postgres_url: str, tmp_path: Path) -> None:
    with (
        measured(postgres_url, tmp_path) as (address, app, metrics),
        psycopg.connect(postgres_url, autocommit=True) as admin,
    ):
        assert read_anew(address, app, metrics) == {"due": 0, "oldest_due_seconds": 0, "uncertain": 0}
        caller = accepted(app.shops.act_for(SITE))
        for number, delay in enumerate((0, 0, 30)):
            app.orders.report(caller, OrderReport(email="anna@example.com", order_number=str(number), delay_days=delay))
        first = "due_at = (SELECT MIN(due_at) FROM invitations)"
        admin.execute(f"UPDATE invitations SET due_at = due_at - {2 * HOUR * 1_000_000} WHERE {first}")
        earliest = admin.execute("SELECT MIN(due_at) FROM invitations").fetchone()
        before = since(admin, earliest)
        read = read_anew(address, app, metrics)
        assert read["due"] == 2
        assert 2 * HOUR <= before <= read["oldest_due_seconds"] <= since(admin, earliest)
        assert read_anew(address, app, metrics)["oldest_due_seconds"] > read["oldest_due_seconds"]
        assert len(app.delivery.once()) == 2
        assert read_anew(address, app, metrics) == {"due": 0, "oldest_due_seconds": 0, "uncertain": 0}


def since(admin: psycopg.Connection, instant: tuple[int, ...] | None) -> float:
    """Return the seconds since an instant in microseconds, by the clock of the database."""
    assert instant is not None
    row = admin.execute("SELECT EXTRACT(EPOCH FROM clock_timestamp()) - %s / 1000000.0", [instant[0]]).fetchone()
    assert row is not None
    return float(row[0])


@pytest.mark.timeout(180)
def test_the_pool_shows_its_connections_those_in_use_and_who_waits(postgres_url: str, tmp_path: Path) -> None:
    with measured(postgres_url, tmp_path) as (address, app, _), psycopg.connect(postgres_url) as admin:
        wait_until(lambda: connections(address)["in_use"] == 0)
        idle = connections(address)
        assert idle["open"]
        assert idle["open"] <= MOST_CONNECTIONS
        assert idle["waiting"] == 0
        over = threading.Event()

        def read() -> None:
            while not over.is_set():
                with suppress(StorageUnavailable):  # each wait for a lock or a connection is limited
                    app.shops.list()

        readers = [threading.Thread(target=read) for _ in range(READERS)]
        admin.execute("LOCK TABLE shops IN ACCESS EXCLUSIVE MODE")
        for reader in readers:
            reader.start()
        wait_until(lambda: (connections(address)["waiting"] or 0) > 0)
        wait_until(lambda: connections(address)["in_use"] == connections(address)["open"] == MOST_CONNECTIONS)
        over.set()
        admin.rollback()
        for reader in readers:
            reader.join()
        wait_until(lambda: connections(address)["in_use"] == connections(address)["waiting"] == 0)

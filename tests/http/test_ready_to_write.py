"""`/readyz` after writes have failed, and a start on a database that cannot be written. Spec: §4."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests import disks
from tests.http.service import SITE, Deployment, Service, an_order, http_request, report
from tests.http.serving import serving
from tests.logs import captured_logs

from reviewinvite_core import Settings, StorageUnavailable, build
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.testing.builders import a_shop

BUSY_SECONDS = 0.2


@contextmanager
def serving_from(database: Path) -> Iterator[Service]:
    with serving(
        database_url=f"sqlite:///{database}",
        secret=None,
        orders_per_minute=0,
        storage=SqliteStorage(database, busy_seconds=BUSY_SECONDS),
    ) as service:
        service.app.shops.add(a_shop(SITE))
        yield service


def status(service: Service) -> int:
    answer = http_request(service.address, "GET", "/readyz")
    assert answer.status == 200 or (answer.code, answer.headers["Retry-After"]) == ("storage_unavailable", "5")
    return answer.status


def test_a_write_that_failed_makes_the_service_not_ready_until_one_succeeds(sqlite_file: Path) -> None:
    with serving_from(sqlite_file) as service, closing(sqlite3.connect(sqlite_file, isolation_level=None)) as other:
        key = service.a_key()
        other.execute("BEGIN IMMEDIATE")
        assert status(service) == 200  # nobody has tried to write, and to read is possible
        assert report(service.address, key, an_order(orderNumber="1")).status == 503
        assert [status(service), status(service)] == [503, 503]
        other.execute("ROLLBACK")
        assert status(service) == 200  # it has tried one itself: a balancer that sends no orders would never know
        assert report(service.address, key, an_order(orderNumber="1")).status == 201


def test_an_order_that_is_stored_ends_it_too(sqlite_file: Path) -> None:
    with serving_from(sqlite_file) as service:
        key = service.a_key()
        with closing(sqlite3.connect(sqlite_file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert report(service.address, key).status == 503
            other.execute("ROLLBACK")
        assert report(service.address, key).status == 201
        with closing(sqlite3.connect(sqlite_file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert status(service) == 200  # nothing is tried any more


def test_a_full_disk_is_not_ready_until_there_is_room(small_disk: Path) -> None:
    with serving_from(small_disk / "reviewinvite.db") as service:
        key = service.a_key()
        ballast = disks.fill(small_disk)
        statuses = (report(service.address, key, an_order(orderNumber=str(number))).status for number in range(400))
        assert 503 in statuses
        assert status(service) == 503
        ballast.unlink()
        assert status(service) == 200


def test_the_trial_writes_and_changes_nothing(sqlite_file: Path) -> None:
    with (
        build(Settings(database_url=f"sqlite:///{sqlite_file}", mail_url="recording:")) as app,
        closing(sqlite3.connect(sqlite_file, isolation_level=None)) as reader,
    ):
        before, version = list(reader.iterdump()), reader.execute("PRAGMA data_version").fetchone()
        app.check_writable()
        assert reader.execute("PRAGMA data_version").fetchone() != version
        assert list(reader.iterdump()) == before


def test_a_check_of_a_locked_database_says_that_it_cannot_be_written(sqlite_file: Path) -> None:
    with serving_from(sqlite_file) as service, closing(sqlite3.connect(sqlite_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageUnavailable, match="locked"):
            service.app.check_writable()
        with captured_logs() as logs:
            assert status(service) == 503
        assert [line["route"] for line in logs] == ["/readyz"]


def test_serve_says_at_its_start_that_it_cannot_write_and_serves_all_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "read-only"
    folder.mkdir()
    deployment = Deployment(tmp_path, f"sqlite:///{folder / 'reviewinvite.db'}")
    try:
        with deployment.library(), disks.unwritable(folder):
            process = deployment.serve("--no-worker")
            assert '"event": "cannot write to the database: requests get 503 until that works"' in process.log
            assert http_request(process.address, "GET", "/readyz").status == 503
            assert report(process.address, deployment.key).status == 503
        assert http_request(process.address, "GET", "/readyz").status == 200
        assert report(process.address, deployment.key).status == 201
    finally:
        deployment.stop()


def test_serve_starts_on_a_disk_that_filled_up_while_it_was_stopped(small_disk: Path, tmp_path: Path) -> None:
    deployment = Deployment(tmp_path, f"sqlite:///{small_disk / 'reviewinvite.db'}")
    assert not list(small_disk.glob("*-shm"))
    ballast = disks.fill(small_disk)
    try:
        process = deployment.serve()
        assert '"cause": "the disk is full", "event": "cannot write to the database' in process.log
        assert http_request(process.address, "GET", "/readyz").status == 503
        assert http_request(process.address, "GET", f"/shops/{SITE}").status == 200
        assert report(process.address, deployment.key).status == 503
        ballast.unlink()
        assert http_request(process.address, "GET", "/readyz").status == 200
        assert report(process.address, deployment.key).status == 201
    finally:
        deployment.stop()


def test_serve_says_nothing_of_a_database_that_it_can_write(deployment: Deployment) -> None:
    assert "cannot write" not in deployment.serve("--no-worker").log

"""Real `serve` processes beside a PostgreSQL that stands still: they say so, end in time, and serve on afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import TypeVar

import psycopg
import pytest
from tests import postgres
from tests.http.service import (
    SITE,
    Answer,
    Deployment,
    Process,
    an_order,
    connect,
    http_request,
    report,
    wait_until_read,
)
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import accepted
from reviewinvite_core.testing.builders import an_order_report

T = TypeVar("T")
SHUTDOWN_SECONDS = 2
A_FEW_SECONDS = 20.0  # on a busy machine; far less than what the database is waited for


@pytest.fixture
def deployment(tmp_path: Path, own_postgres_server: postgres.OwnServer) -> Iterator[Deployment]:
    with postgres.database(own_postgres_server.url) as url:
        made = Deployment(tmp_path, url, shutdown_seconds=SHUTDOWN_SECONDS)
        yield made
        made.stop()


WAITED_FOR = """
SELECT COUNT(DISTINCT relation) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
WHERE datname = current_database() AND locktype = 'relation' AND NOT granted
"""


def send(process: Process, method: str, path: str, body: bytes | None = None, **headers: str) -> HTTPConnection:
    """Ask, and do not wait for the answer; the server has read it when this returns."""
    connection = connect(process.address)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    wait_until_read(process.address)
    return connection


def answer_on(connection: HTTPConnection) -> Answer:
    response = connection.getresponse()
    with closing(connection):
        return Answer(response.status, response.headers, response.read())


def a_report_and_a_probe(deployment: Deployment, process: Process) -> tuple[HTTPConnection, HTTPConnection]:
    headers = {"Authorization": f"Bearer {deployment.key}", "Content_Type": "application/json"}
    reported = send(process, "POST", "/v1/orders", an_order(orderNumber="in flight"), **headers)
    return reported, send(process, "GET", "/readyz")


@contextmanager
def silence_in_the_midst(
    own_postgres_server: postgres.OwnServer, deployment: Deployment, tables: Sequence[str], ask: Callable[[], T]
) -> Iterator[T]:
    """The database stands still while a statement that is with it waits for each of these tables, which are locked.

    Gives what `ask` gives, which brings those statements about.
    """
    url = deployment.settings.database_url
    with closing(psycopg.connect(url)) as other:
        with closing(psycopg.connect(url, autocommit=True)) as watch:
            other.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
            asked = ask()
            wait_until(lambda: watch.execute(WAITED_FOR).fetchone() == (len(tables),))
        with own_postgres_server.silenced():
            other.close()  # its locks go as soon as the server hears of it
            yield asked


@pytest.mark.parametrize("options", [(), ("--no-worker",)], ids=["worker", "no-worker"])
def test_serve_ends_in_time_beside_a_silent_database_and_acknowledges_nothing(
    deployment: Deployment, own_postgres_server: postgres.OwnServer, options: tuple[str, ...]
) -> None:
    process = deployment.serve(*options)
    assert report(process.address, deployment.key, an_order(orderNumber="before")).status == 201
    ask = partial(a_report_and_a_probe, deployment, process)
    with silence_in_the_midst(own_postgres_server, deployment, ["invitations", "key_ring"], ask) as in_flight:
        begun = time.monotonic()
        assert process.terminate() == 0
        assert SHUTDOWN_SECONDS <= time.monotonic() - begun < SHUTDOWN_SECONDS + A_FEW_SECONDS
        answers = [answer_on(each) for each in in_flight]
    assert [(each.status, each.code) for each in answers] == [(503, "storage_unavailable")] * 2
    assert all(int(each.headers["Retry-After"]) > 0 for each in answers)
    assert "the database did not respond in time: unacknowledged work was dropped" in process.log
    assert "Traceback" not in process.log
    again = report(deployment.serve(*options).address, deployment.key, an_order(orderNumber="in flight"))
    assert again.status == 201  # its commit was never sent
    ids = [each.invitation.invite_id for each in deployment.records() if each.invitation.order_number == "in flight"]
    assert ids == [again.json["inviteId"]]


def test_a_database_that_speaks_again_is_served_from_at_once(
    deployment: Deployment, own_postgres_server: postgres.OwnServer
) -> None:
    process = deployment.serve()
    ask = partial(a_report_and_a_probe, deployment, process)
    with silence_in_the_midst(own_postgres_server, deployment, ["invitations", "key_ring"], ask) as (reported, probed):
        assert answer_on(probed).status == 503
        assert http_request(process.address, "GET", "/healthz").status == 200
    told = answer_on(reported)
    assert told.status in {201, 503}  # 503 where the server finds that the lock was waited for too long meanwhile
    wait_until(lambda: http_request(process.address, "GET", "/readyz").status == 200)
    again = report(process.address, deployment.key, an_order(orderNumber="in flight"))
    assert again.status == {201: 200, 503: 201}[told.status]
    assert report(process.address, deployment.key, an_order(orderNumber="after")).status == 201
    assert process.terminate() == 0
    assert "work was left" not in process.log


def test_worker_ends_in_time_beside_a_silent_database(
    deployment: Deployment, own_postgres_server: postgres.OwnServer
) -> None:
    with deployment.library() as app:
        app.orders.report(accepted(app.shops.act_for(SITE)), an_order_report(delay_days=0))
    worker = deployment.command.start("worker", REVIEWINVITE_MAIL_URL=deployment.settings.mail_url)
    try:
        assert worker.stdout
        assert "sent" in worker.stdout.readline()
        with silence_in_the_midst(own_postgres_server, deployment, ["invitations"], lambda: None):
            begun = time.monotonic()
            worker.terminate()
            _, said = worker.communicate(timeout=TIMEOUT_SECONDS)
            assert time.monotonic() - begun < SHUTDOWN_SECONDS + A_FEW_SECONDS
    finally:
        worker.kill()
    assert worker.returncode == 0
    heard_of_it = "Warning: database unavailable, trying again" in said
    assert heard_of_it or said.endswith("did not answer in time; a delivery in progress ends with its lease.\n")
    assert "Traceback" not in said

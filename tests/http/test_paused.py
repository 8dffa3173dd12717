"""A service over an older copy of its database: orders go on, nothing is sent, and readyz says so (ADR-20)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Never

import pytest
from tests.builders import a_hand_over
from tests.http.service import SECRET, an_order, http_request, report
from tests.logs import captured_logs
from tests.waiting import wait_until

from reviewinvite_core import OPERATOR, Application, NewShop, OrderReport, Settings, accepted, build
from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.testing.builders import CountingEntropy
from reviewinvite_core.usecases.delivery import worker
from reviewinvite_http import server


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "reviewinvite.mark"


@pytest.fixture
def mailer() -> RecordingMailer:
    return RecordingMailer()


@pytest.fixture
def ahead(database_url: str, mark: Path, mailer: RecordingMailer) -> Iterator[Application]:
    """An application whose mark is ahead of its database, and one invitation that is due."""
    settings = Settings(database_url=database_url, secret=SECRET, handover_mark=mark)
    app = build(settings, mailer=mailer)
    assert app.delivery.once() == []  # the first look makes the mark where it is not there yet
    app.shops.add(NewShop(site_id="example-shop", name="Example Shop"))
    caller = accepted(app.shops.act_for("example-shop"))
    reported = accepted(app.orders.report(caller, OrderReport(email="anna@example.com", delay_days=0)))
    invitation = accepted(app.invitations.show(OPERATOR, reported.invite_id)).invitation
    HighWaterMarkFile(mark, CountingEntropy()).advance([a_hand_over(5, invitation=invitation)])
    yield app
    app.close()


def readiness(address: str) -> dict[str, Any]:
    answer = http_request(address, "GET", "/readyz")
    assert answer.status == 200
    return answer.json


@pytest.mark.usefixtures("real_timeouts")
def test_orders_go_on_and_nothing_is_sent_until_reconciled(ahead: Application, mailer: RecordingMailer) -> None:
    key = accepted(ahead.api_keys.create("example-shop", "tests")).secret.text
    with captured_logs() as logged, server.running(ahead, worker=True) as address:
        told = readiness(address)
        assert (told["status"], told["delivery"], told["reason"]) == ("ready", "paused", "mark_ahead")
        assert report(address, key, an_order("bert@example.com", orderNumber="2", delayDays=5)).status == 201
        deadline = time.monotonic() + 1.5 * worker.PAUSED_SECONDS
        while time.monotonic() < deadline:  # it looks again meanwhile, and logs nothing new
            assert mailer.messages == []
            time.sleep(0.2)
        assert ahead.delivery.reconcile() == 1
        assert readiness(address)["delivery"] == "running"
        assert report(address, key, an_order("cees@example.com", orderNumber="3", delayDays=0)).status == 201
        wait_until(lambda: mailer.messages)
    assert [message.recipient for message in mailer.messages] == ["cees@example.com"]
    (pause,) = [line for line in logged if line["event"] == "delivery paused"]
    assert "reviewinvite db reconcile" in pause["cause"]


def test_a_mark_that_cannot_be_read_is_a_pause_and_its_path_is_not_told(
    ahead: Application, mailer: RecordingMailer, mark: Path
) -> None:
    mark.write_bytes(b"damaged")
    with server.running(ahead, worker=True) as address:
        told = readiness(address)
    assert (told["delivery"], told["reason"]) == ("paused", "mark_unreadable")
    assert str(mark) not in json.dumps(told)
    assert mailer.messages == []


def test_without_a_worker_deliveries_are_off(ahead: Application) -> None:
    with server.running(ahead, worker=False) as address:
        told = readiness(address)
    assert told["delivery"] == "off"
    assert "reason" not in told


def test_a_worker_that_has_ended_is_told_though_the_service_goes_on(database_url: str, mark: Path) -> None:
    def no_worker_pool() -> Never:
        raise RuntimeError("anna@example.com")

    settings = Settings(database_url=database_url, secret=SECRET, handover_mark=mark, mail_url="recording:")
    app = build(settings, worker_pool=no_worker_pool)
    with captured_logs() as logged, server.running(app, worker=True) as address:
        wait_until(lambda: readiness(address)["delivery"] == "stopped")
        assert readiness(address)["status"] == "ready"
    app.close()
    (told,) = [line for line in logged if line["event"].startswith("delivery stopped")]
    assert told["cause"] == "RuntimeError"
    assert "anna" not in str(logged)

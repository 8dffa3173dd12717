"""`/metrics`: who may read it, what it counts, and that it answers from memory. Spec: §4."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
from litestar.testing import TestClient
from prometheus_client.parser import text_string_to_metric_families
from tests.http.service import SECRET, http_request
from tests.http.unresponsive_storage import UnresponsiveStorage
from tests.ports import free_port
from tests.tools import require
from tests.waiting import wait_until

from reviewinvite_core import Application, ConfigurationError, OrderReport, Settings, __version__, accepted, build
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http import server
from reviewinvite_http.app import create_app
from reviewinvite_http.metrics import Metrics
from reviewinvite_http.metrics.listener import shown

TOKEN = "0123456789abcdef"
SITE = "bakkerij-1"


@contextmanager
def measured(
    token: str | None = TOKEN, *, worker: bool = False, **parts: Any
) -> Iterator[tuple[str, Application, Metrics]]:
    """Serve an application with metrics; yield its address, the application and the metrics."""
    metrics = Metrics(token)
    settings = Settings(database_url="memory:", mail_url="recording:", secret=SECRET)
    app = build(settings, telemetry=metrics, **parts)
    try:
        with server.running(app, worker=worker, metrics=metrics) as address:
            yield address, app, metrics
    finally:
        app.close()


def scrape(address: str, token: str = TOKEN) -> str:
    answer = http_request(address, "GET", "/metrics", authorization=f"Bearer {token}")
    assert answer.status == 200
    return answer.body.decode()


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float | None:
    return samples(text).get((name, tuple(sorted(labels.items()))))


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (None, "key_missing"),
        ("Bearer wrong", "key_invalid"),
        (f"Basic {TOKEN}", "key_missing"),
        (f"Bearer {TOKEN}x", "key_invalid"),
        (TOKEN, "key_missing"),
    ],
)
def test_nobody_reads_them_without_the_token(given: str | None, code: str) -> None:
    with measured() as (address, _, _metrics):
        answer = http_request(address, "GET", "/metrics", **({"authorization": given} if given else {}))
        assert answer.status == 401
        assert json.loads(answer.body)["code"] == code
        assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert b"reviewinvite_" not in answer.body


def test_orders_and_requests_are_counted() -> None:
    with measured() as (address, app, _):
        app.shops.add(a_shop(SITE))
        key = accepted(app.api_keys.create(SITE, "till")).secret
        for _ in range(2):
            report(address, key.text, "1")
        report(address, "nobody", "1")
        text = scrape(address)
    assert value(text, "reviewinvite_orders_total", source="api", result="created") == 1
    assert value(text, "reviewinvite_orders_total", source="api", result="duplicate") == 1
    assert value(text, "reviewinvite_orders_total", source="snippet", result="created") == 0
    requests = {"route": "/v1/orders", "method": "POST"}
    assert value(text, "reviewinvite_http_requests_total", status="201", **requests) == 1
    assert value(text, "reviewinvite_http_requests_total", status="401", **requests) == 1
    assert value(text, "reviewinvite_http_request_seconds_count", route="/v1/orders") == 3
    assert (value(text, "reviewinvite_commits_total", result="stored") or 0) >= 2
    assert SITE not in text


def test_limits_views_commits_and_durations_are_counted() -> None:
    metrics = Metrics()
    settings = Settings(database_url="memory:", mail_url="recording:", orders_per_minute=1, views_per_day_free=2)
    with build(settings, telemetry=metrics) as app:
        app.shops.add(a_shop(SITE))
        key = accepted(app.api_keys.create(SITE, "till")).secret
        for number in ("1", "2"):
            app.orders.report(key, OrderReport(email="anna@example.com", order_number=number, delay_days=0))
        for _ in range(3):
            app.badges.show(SITE)
        app.delivery.once()
    text = metrics.exposition()[0].decode()
    assert value(text, "reviewinvite_orders_total", source="api", result="limit_reached") == 1
    assert value(text, "reviewinvite_limits_reached_total", limit="orders_per_minute") == 1
    assert value(text, "reviewinvite_views_total", of="badge", result="counted") == 2
    assert value(text, "reviewinvite_limits_reached_total", limit="views_per_day_free") == 1
    for percent in ("50", "90"):
        assert value(text, "reviewinvite_daily_shares_reached_total", limit="views", percent=percent) == 1
    assert value(text, "reviewinvite_delivery_seconds_count") == 1
    commits = value(text, "reviewinvite_commits_total", result="stored")
    assert commits == value(text, "reviewinvite_commit_seconds_count") == value(text, "reviewinvite_commit_units_count")
    metrics.committed(3, 0.5, stored=False)
    metrics.in_flight(7)
    text = metrics.exposition()[0].decode()
    assert value(text, "reviewinvite_commits_total", result="lost") == 1
    assert value(text, "reviewinvite_in_flight") == 7
    assert value(text, "reviewinvite_build_info", version=__version__) == 1


def test_what_is_due_and_whether_deliveries_run_is_shown() -> None:
    with measured() as (address, app, _):
        wait_until(lambda: value(scrape(address), "reviewinvite_due") == 0)
        text = scrape(address)
    assert value(text, "reviewinvite_worker_running") == 0
    assert value(text, "reviewinvite_deliveries_paused") == 0
    with measured(worker=True) as (address, app, _):
        app.shops.add(a_shop(SITE))
        caller = accepted(app.shops.act_for(SITE))
        app.orders.report(caller, OrderReport(email="anna@example.com", delay_days=0))
        wait_until(lambda: value(scrape(address), "reviewinvite_deliveries_total", result="sent") == 1)
        assert value(scrape(address), "reviewinvite_worker_running") == 1


def test_it_answers_while_storage_is_silent_and_does_not_ask_it() -> None:
    storage, port = UnresponsiveStorage(), free_port()
    with measured(storage=storage) as (address, app, metrics), shown(metrics, Settings(metrics_port=port)):
        app.shops.add(a_shop(SITE))
        key = accepted(app.api_keys.create(SITE, "till")).secret
        wait_until(lambda: value(scrape(address), "reviewinvite_due") == 0)
        storage.silent.set()
        metrics.end_reading()
        metrics.begin_reading(app)
        order = threading.Thread(target=report, args=(address, key.text, "1"))
        order.start()
        wait_until(lambda: storage.held == 1 and storage.asked.is_set())
        texts = [scrape(address), scrape(f"http://127.0.0.1:{port}")]
        assert (storage.reads, storage.held) == (1, 1)  # the reader's, which still waits
        assert order.is_alive()
        for text in texts:
            assert value(text, "reviewinvite_due") is None
            assert value(text, "reviewinvite_storage_reading_age_seconds") is not None
        storage.silent.clear()
        storage.answer.set()
        wait_until(lambda: value(scrape(address), "reviewinvite_due") == 0)
        order.join()


@pytest.mark.parametrize("has_lifespan", [True, False])
def test_an_application_in_another_one_shows_them_if_its_settings_have_a_token(has_lifespan: bool) -> None:
    with build(Settings(database_url="memory:", mail_url="recording:", metrics_token=TOKEN)) as app:
        app.shops.add(a_shop(SITE))
        client = TestClient(create_app(app), root_path="/reviews")
        client.headers["Authorization"] = f"Bearer {TOKEN}"
        with client if has_lifespan else nullcontext():
            order = OrderReport(email="anna@example.com", delay_days=0)
            app.orders.report(accepted(app.shops.act_for(SITE)), order)
            assert client.get("/reviews/metrics", headers={"Authorization": "Bearer other"}).status_code == 401
            wait_until(lambda: value(client.get("/reviews/metrics").text, "reviewinvite_due") == 1)
            app.delivery.once()
            text = client.get("/reviews/metrics").text
    assert value(text, "reviewinvite_orders_total", source="api", result="created") == 1
    assert value(text, "reviewinvite_deliveries_total", result="sent") == 1
    assert value(text, "reviewinvite_http_requests_total", route="/metrics", method="GET", status="401") == 1
    if has_lifespan:
        wait_until(lambda: "metrics-reader" not in {thread.name for thread in threading.enumerate()})


def test_an_application_in_another_one_shows_none_without_a_token() -> None:
    with (
        build(Settings(database_url="memory:", mail_url="recording:")) as app,
        TestClient(create_app(app), root_path="/reviews") as client,
    ):
        assert client.get("/reviews/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_a_port_of_its_own_needs_no_token_and_shows_nothing_else() -> None:
    metrics, port = Metrics(), free_port()
    with shown(metrics, Settings(metrics_port=port)):
        address = f"http://127.0.0.1:{port}"
        answer = http_request(address, "GET", "/metrics")
        assert answer.status == 200
        assert value(answer.body.decode(), "reviewinvite_in_flight") == 0
        assert http_request(address, "GET", "/").status == 404
        assert http_request(address, "POST", "/metrics").status == 501
        with (
            pytest.raises(ConfigurationError, match=r"cannot show metrics on 127\.0\.0\.1 port"),
            shown(metrics, Settings(metrics_port=port)),
        ):
            pass


@pytest.mark.parametrize("token", ["short", "with a blank in it", "x" * 201, "tab\t0123456789abcdef"])
def test_a_token_that_no_header_can_carry_or_that_is_guessed_is_refused(token: str) -> None:
    with pytest.raises(ConfigurationError, match="metrics_token must be 16 to 200 characters"):
        Settings(metrics_token=token)


def test_prometheus_finds_no_fault_with_the_metrics() -> None:
    promtool = require("promtool", "it checks metrics")
    with measured() as (address, _, _metrics):
        wait_until(lambda: "reviewinvite_due " in scrape(address))
        text = scrape(address)
    checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def report(address: str, key: str, number: str) -> None:
    body = f'{{"email":"anna@example.com","orderNumber":"{number}"}}'.encode()
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    http_request(address, "POST", "/v1/orders", body, **headers)

"""Errors go to Sentry only if a DSN is set, without anything that is not ours to send."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from tests.http.service import SITE, http_request, report
from tests.http.serving import serving

from reviewinvite_cli.fault_reports import report_faults, scrub
from reviewinvite_core import ConfigurationError, Settings
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_core.testing.builders import ManualClock, a_shop

sentry_sdk = pytest.importorskip("sentry_sdk")
ROOT = logging.getLogger("reviewinvite")
DSN = "https://public@sentry.example.com/1"
sent: list[str] = []


class InMemory(sentry_sdk.transport.Transport):  # type: ignore[misc, name-defined]  # imported only if it is installed
    def capture_envelope(self, envelope: Any) -> None:
        sent.append(envelope.serialize().decode())


@pytest.fixture(autouse=True)
def _reporting() -> Iterator[None]:
    before = ROOT.handlers[:]
    sent.clear()
    report_faults(Settings(sentry_dsn=DSN), transport=InMemory)
    yield
    for handler in set(ROOT.handlers) - set(before):
        handler.close()
    ROOT.handlers = before


class Broken(ManualClock):
    """A clock whose fault quotes what a client sent."""

    is_broken = False

    def now(self) -> datetime:
        if self.is_broken:
            raise ValueError("planted@example.com")
        return super().now()


def test_a_fault_is_reported_by_its_route_and_place_without_anything_from_its_request() -> None:
    clock = Broken()
    with serving(clock=clock) as service:
        service.app.shops.add(a_shop(SITE))
        key = service.a_key()
        clock.is_broken = True
        order = b'{"email": "planted@example.com"}'
        assert report(service.address, key, order, Cookie="session=planted", X_Request_Id="mine").status == 500
        assert http_request(service.address, "GET", "/r/planted?to=planted").status == 500
    first, second = sent
    assert all(part in first for part in ("internal error", '"/v1/orders"', "mine", "ValueError", "test_fault_reports"))
    assert "/r/..." in second
    assert not [secret for secret in ("planted", key) if secret in first + second]


def test_only_errors_are_reported_and_each_kind_once() -> None:
    log = get_logger("reviewinvite.tests")
    log.warning("storage unavailable")
    for number in range(100):
        log.error("internal error", exception="ValueError\n", requestId=str(number))
    logging.getLogger("uvicorn.error").error("of another library")
    assert len(sent) == 1


def test_what_must_not_be_sent_is_removed_from_any_event() -> None:
    frames = [{"vars": {"email": "planted"}, "filename": "a.py"}]
    key = "rvi_" + "planted" * 5
    event: Any = {
        "message": "no answer about planted@example.com from https://host/r/planted?a=planted",
        "request": {"url": "planted", "data": "planted", "cookies": "planted", "query_string": "planted"},
        "user": {"ip_address": "planted"},
        "exception": {"values": [{"value": "planted", "stacktrace": {"frames": frames}}]},
        "breadcrumbs": {"values": ["planted"]},
        "server_name": "planted",
        "extra": {"cause": ["Bearer planted", {"key": f"Authorization: Bearer {key}", "given": key}]},
    }
    scrubbed = scrub(event, {})
    assert "planted" not in str(scrubbed)
    assert scrubbed["message"] == "no answer about [address] from https://host/r/...?..."


def test_a_dsn_that_is_none_is_a_configuration_error_that_does_not_repeat_it() -> None:
    with pytest.raises(ConfigurationError, match="sentry_dsn is not a DSN") as raised:
        report_faults(Settings(sentry_dsn="https://planted"))
    assert "planted" not in str(raised.value)


def test_without_a_dsn_nothing_is_reported() -> None:
    before = ROOT.handlers[:]
    report_faults(Settings())
    assert ROOT.handlers == before

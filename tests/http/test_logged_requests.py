"""What is logged about a request is its route: nothing that a client wrote. Spec: §1."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

import pytest
from tests.http.service import SITE, Service, http_request
from tests.http.serving import serving
from tests.logs import captured_logs

from reviewinvite_core.testing.builders import ManualClock, a_shop
from reviewinvite_http import log

HOSTILE = "anna@example.com%1b%5b2J%c2%9b31m%7f%e2%80%ae"
PERSONAL = ("anna", "example.com", "\x1b", "\x9b", "\x7f", "\u202e")

ROUTES = [
    ("GET", f"/v1/verify/{HOSTILE}", "/v1/verify/..."),
    ("GET", f"//v1/verify//{HOSTILE}", "/v1/verify/..."),
    ("GET", f"/shops/{HOSTILE}", "/shops/..."),
    ("GET", f"/r/{HOSTILE}", "/r/..."),
    ("POST", f"/r/{HOSTILE}", "/r/..."),
    ("GET", f"/u/{HOSTILE}", "/u/..."),
    ("POST", f"/u/{HOSTILE}", "/u/..."),
    ("GET", f"/v1/badge/public-keys?to={HOSTILE}", "/v1/badge/public-keys"),
    ("GET", "/readyz", "/readyz"),
]
FORM = "application/x-www-form-urlencoded"


class Broken(ManualClock):
    """A clock whose fault quotes what a client sent."""

    quoted = ""

    def now(self) -> datetime:
        if self.quoted:
            raise ValueError(self.quoted)
        return super().now()


@pytest.fixture
def storage_away(tmp_path: Path) -> Iterator[Service]:
    """A service whose database is moved away."""
    file = tmp_path / "reviewinvite.db"
    with serving(database_url=f"sqlite:///{file}", secret=None) as service:
        service.app.shops.add(a_shop(SITE))
        elsewhere = file.rename(tmp_path / "elsewhere.db")
        yield service
        elsewhere.rename(file)


@pytest.mark.parametrize(("method", "path", "route"), ROUTES)
def test_a_request_that_storage_fails_is_logged_by_its_route(
    storage_away: Service, method: str, path: str, route: str
) -> None:
    body = b"rating=5" if method == "POST" else None
    with captured_logs() as logs:
        answer = http_request(storage_away.address, method, path, body, Content_Type=FORM)
    assert answer.status == 503
    (line,) = logs
    assert (line["event"], line["route"]) == ("storage unavailable", route)
    assert not [piece for piece in PERSONAL if piece in str(line)]


@pytest.mark.parametrize("path", [f"/{HOSTILE}", f"/v1/{HOSTILE}", f"/v1/orders/{HOSTILE}", f"/w/{HOSTILE}.js"])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_address_that_leads_nowhere_is_not_logged_at_all(storage_away: Service, method: str, path: str) -> None:
    with captured_logs() as logs:
        http_request(storage_away.address, method, path)
    assert not [piece for piece in PERSONAL if piece in str(logs)]


def test_a_fault_of_ours_is_logged_with_its_place_and_without_its_message() -> None:
    clock = Broken()
    with serving(clock=clock) as service, captured_logs() as logs:
        service.app.shops.add(a_shop(SITE))
        clock.quoted = unquote(HOSTILE)
        assert http_request(service.address, "GET", f"/v1/verify/{SITE}?{HOSTILE}").status == 500
    (line,) = logs
    assert (line["event"], line["route"]) == ("internal error", "/v1/verify/...")
    assert Path(__file__).name in line["exception"]
    assert line["exception"].endswith("\nValueError\n")
    assert not [piece for piece in PERSONAL if piece in str(line)]


def test_the_trace_of_a_fault_has_its_causes_and_no_messages() -> None:
    try:
        try:
            raise KeyError("first".upper())
        except KeyError as first:
            raise ValueError("second".upper()) from first
    except ValueError as caught:
        fault = caught
    with captured_logs() as logs:
        log.log_fault({"type": "http"}, fault)  # type: ignore[arg-type]  # a scope that was not routed
    (line,) = logs
    assert line["route"] == "unknown"
    trace = line["exception"]
    assert trace.index("KeyError\n") < trace.index("ValueError\n")
    assert "FIRST" not in trace
    assert "SECOND" not in trace
    assert "FIRST" in "".join(traceback.format_exception(fault))

"""What pages of any origin can ask and read: the preflight, and every answer, refusals and failures too. Spec: §4.2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.http.service import (
    OWN_HOST,
    OWN_PAGE,
    SITE,
    Answer,
    Service,
    a_snippet,
    http_request,
    open_socket,
    read_response,
    report_from_snippet,
    verify_host,
    wait_until_read,
)
from tests.http.serving import serving

from reviewinvite_core import Settings, ShopChanges, build
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http import server
from reviewinvite_http.connection import BoundedConnection

PATH = "/v1/orders/snippet"


class Impatient(BoundedConnection):
    """Waits for a request no longer than a test does."""

    request_seconds = 1.0


@pytest.fixture
def service() -> Iterator[Service]:
    with serving_shop() as service:
        yield service


@contextmanager
def serving_shop(**settings: Any) -> Iterator[Service]:
    with serving(**settings) as service:
        service.app.shops.add(a_shop(SITE))
        verify_host(service.app, OWN_HOST)
        yield service


def assert_readable(answer: Answer, status: int) -> None:
    assert answer.status == status
    assert answer.headers.get_all("Access-Control-Allow-Origin") == ["*"]
    assert answer.headers.get_all("Access-Control-Expose-Headers") == ["Retry-After, X-Request-Id"]
    assert answer.headers["Access-Control-Allow-Credentials"] is None


@pytest.mark.parametrize("origin", [OWN_PAGE, "https://evil.nl", "null", None])
def test_the_preflight_is_answered_alike_for_any_origin(service: Service, origin: str | None) -> None:
    asked = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "content-type"}
    answer = http_request(service.address, "OPTIONS", PATH, **asked, **({"Origin": origin} if origin else {}))
    assert_readable(answer, 204)
    assert answer.body == b""
    told = {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}
    assert told == {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "content-type",
        "access-control-max-age": "86400",
        "access-control-expose-headers": "Retry-After, X-Request-Id",
    }


def test_the_preflight_takes_nothing_from_any_limit(service: Service) -> None:
    for _ in range(40):
        assert http_request(service.address, "OPTIONS", PATH).status == 204
    assert report_from_snippet(service.address).status == 202


def test_no_page_may_reach_into_a_private_network_by_it(service: Service) -> None:
    answer = http_request(service.address, "OPTIONS", PATH, Access_Control_Request_Private_Network="true")
    assert answer.headers["Access-Control-Allow-Private-Network"] is None


def test_what_is_accepted_can_be_read(service: Service) -> None:
    assert_readable(report_from_snippet(service.address), 202)


def test_every_refusal_can_be_read(service: Service) -> None:
    assert_readable(report_from_snippet(service.address, Origin="https://evil.nl"), 403)
    assert_readable(report_from_snippet(service.address, b"{}"), 422)
    assert_readable(report_from_snippet(service.address, Content_Type="text/plain"), 415)
    assert_readable(report_from_snippet(service.address, b" " * 16_385), 413)
    assert_readable(http_request(service.address, "GET", PATH), 405)
    assert_readable(http_request(service.address, "GET", PATH + "/?a=b"), 405)
    assert_readable(
        http_request(service.address, "POST", f"//{PATH}", a_snippet(), Content_Type="application/json"), 403
    )
    service.app.shops.update(SITE, ShopChanges(active=False))
    assert_readable(report_from_snippet(service.address), 403)
    service.app.shops.update(SITE, ShopChanges(active=True))
    answers = [report_from_snippet(service.address) for _ in range(30)]
    answer = answers[-1]
    assert_readable(answer, 429)
    assert answer.headers["Retry-After"] == "60"


def test_a_body_that_never_comes_is_told_so_that_a_page_can_read_it(service: Service) -> None:
    with server.running(service.app, worker=False, connection=Impatient) as address, open_socket(address) as connection:
        connection.sendall(f"POST {PATH}?x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n".encode())
        assert_readable(read_response(connection), 408)


def test_a_head_that_never_ends_is_told_so_too(service: Service) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nX: {'x' * 66_000}".encode())
        assert_readable(read_response(connection), 431)


def test_what_is_no_http_is_told_so_too(service: Service) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\n".encode())
        assert_readable(read_response(connection), 400)


def test_a_failure_of_storage_can_be_read(sqlite_file: Path) -> None:
    with serving_shop(database_url=f"sqlite:///{sqlite_file}") as service:
        sqlite_file.rename(sqlite_file.with_name("away.db"))
        answer = report_from_snippet(service.address)
    assert_readable(answer, 503)
    assert (answer.code, answer.headers["Retry-After"]) == ("storage_unavailable", "5")


def test_a_fault_of_the_service_can_be_read(service: Service) -> None:
    service.clock.set(None)  # type: ignore[arg-type]  # what no unit of work can do anything with
    assert_readable(report_from_snippet(service.address), 500)


def test_what_is_asked_while_the_service_stops_can_be_read() -> None:
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    with ExitStack() as stack:
        with server.running(app, worker=False, shutdown_seconds=1) as address:
            connection = stack.enter_context(open_socket(address))
            connection.sendall(f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{{".encode())
            wait_until_read(address)
        assert_readable(read_response(connection), 503)
    app.close()


def test_the_answers_of_other_paths_are_for_no_page(service: Service) -> None:
    for method, path in (("POST", "/v1/orders"), ("GET", "/healthz"), ("GET", "/v1/orders/snippets")):
        answer = http_request(service.address, method, path, a_snippet())
        assert [name for name in answer.headers if name.startswith("access-control-")] == []

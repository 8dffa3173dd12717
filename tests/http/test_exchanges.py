"""Each request is reported once, whatever answers it, and its response has its id. Spec: §7."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.http.service import SITE, Service, an_order, http_request, open_socket, read_until_closed, report
from tests.http.serving import serving
from tests.logs import captured_lines

from reviewinvite_core import AsyncApplication, Settings, build
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http.app import create_app
from reviewinvite_http.connection import LARGEST_HEAD, BoundedConnection
from reviewinvite_http.context import ServerContext
from reviewinvite_http.exceptions import answer_at_deadline
from reviewinvite_http.exchanges import Exchange

OURS = re.compile(r"[0-9a-f]{24}")
JSON = "application/json"


class Hurried(BoundedConnection):
    """Waits a tenth of a second for a request."""

    request_seconds = 0.1


@pytest.fixture(scope="module")
def here() -> Iterator[Service]:
    with serving() as service:
        service.app.shops.add(a_shop(SITE))
        yield service


ANSWERS = [
    ("GET", "/healthz", None, 200, "/healthz", None),
    ("GET", f"/v1/verify/{SITE}?to=anna@example.com", None, 200, "/v1/verify/...", None),
    ("HEAD", f"/v1/verify/{SITE}", None, 200, "/v1/verify/...", None),
    ("OPTIONS", "/v1/orders/snippet", None, 204, "/v1/orders/snippet", None),
    ("GET", f"/w/{SITE}.js", None, 200, "/w/...", None),
    ("GET", "/", None, 200, "/", None),
    ("GET", "/dashboard/sign-in", None, 200, "/dashboard/sign-in", None),
    ("GET", "/dashboard/a/b/anna@example.com", None, 404, "unknown", "not_found"),
    ("GET", "/v1/verify/anna@example.com", None, 404, "/v1/verify/...", "shop_unknown"),
    ("GET", "/anna@example.com", None, 404, "unknown", "not_found"),
    ("GET", "/r/anna@example.com", None, 404, "/r/...", "not_found"),
    ("PUT", "/v1/orders", b"{}", 405, "/v1/orders", "method_not_allowed"),
    ("PURGE", "/v1/orders/", b"{}", 405, "/v1/orders", "method_not_allowed"),
    ("POST", "/v1/verify/anna@example.com", b"{}", 405, "/v1/verify/...", "method_not_allowed"),
    (
        "DELETE",
        "/dashboard/anna/reviews/anna@example.com",
        None,
        405,
        "/dashboard/.../reviews/...",
        "method_not_allowed",
    ),
    ("POST", "/v1/orders", b"{}", 401, "/v1/orders", "key_missing"),
    ("POST", "/v1/orders", b" " * 20_000, 413, "/v1/orders", "body_too_large"),
    ("POST", "/v1/orders/snippet", b"{}", 422, "/v1/orders/snippet", "field_missing"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "route", "code"), ANSWERS)
def test_each_response_has_the_id_of_its_line(
    here: Service, method: str, path: str, body: bytes | None, status: int, route: str, code: str | None
) -> None:
    with captured_lines() as lines:
        answer = http_request(here.address, method, path, body, Content_Type=JSON, Origin="https://elsewhere.example")
    assert answer.status == status
    (request_id,) = answer.headers.get_all("X-Request-Id") or []
    (line,) = [line for line in lines if "status" in line]
    assert OURS.fullmatch(request_id)
    assert (line["requestId"], line["route"], line["status"], line.get("code")) == (request_id, route, status, code)
    assert line["method"] == ("other" if method == "PURGE" else method)
    assert 0 <= line["seconds"] < 600
    assert line["log_level"] == ("info" if status >= 400 else "debug")
    assert "anna" not in str(lines)
    if code and answer.headers.get_content_type() == JSON:
        assert (answer.code, answer.json["requestId"]) == (code, request_id)


def test_a_mounted_application_names_the_route_of_a_method_that_it_does_not_take() -> None:
    from litestar.testing import TestClient

    seen: list[Exchange] = []
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    context = ServerContext(AsyncApplication(app), observers=[seen.append])
    with TestClient(create_app(app, server=context), root_path="/r") as client:
        assert client.put("/r/v1/orders").status_code == 405
    context.app.close()
    app.close()
    assert [exchange.route for exchange in seen] == ["/v1/orders"]


def test_a_304_has_an_id_as_well(here: Service) -> None:
    tag = http_request(here.address, "GET", "/v1/badge/public-keys").headers["ETag"]
    answer = http_request(here.address, "GET", "/v1/badge/public-keys", If_None_Match=tag, X_Request_Id="mine")
    assert (answer.status, answer.headers["X-Request-Id"]) == (304, "mine")


@pytest.mark.parametrize("own", ["a", "9" * 64, "0af7651916cd43dd8448eb211c80319c", "A.b_c-d"])
def test_a_clients_own_id_is_taken_over(here: Service, own: str) -> None:
    for method, path in (("GET", "/healthz"), ("GET", "/v1/nothing"), ("POST", "/v1/orders")):
        with captured_lines() as lines:
            answer = http_request(here.address, method, path, X_Request_Id=own)
        assert answer.headers.get_all("X-Request-Id") == [own]
        assert {line["requestId"] for line in lines} == {own}
        assert answer.status == 200 or answer.json["requestId"] == own


@pytest.mark.parametrize("other", ["", " ", "a" * 65, "a b", "a,b", "anna@example.com", "a/b", "\x80", "a;b=c"])
def test_an_id_of_another_form_is_replaced(here: Service, other: str) -> None:
    answer = http_request(here.address, "GET", "/v1/nothing", X_Request_Id=other)
    assert OURS.fullmatch(answer.headers["X-Request-Id"])


def test_of_two_ids_neither_is_taken_over(here: Service) -> None:
    with open_socket(here.address) as connection:
        connection.sendall(
            b"GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\r\nX-Request-Id: b\r\nConnection: close\r\n\r\n"
        )
        head = read_until_closed(connection).partition(b"\r\n\r\n")[0].lower()
    (request_id,) = re.findall(rb"x-request-id: (.*)", head)
    assert OURS.fullmatch(request_id.strip().decode())


HEAD = b"POST /v1/orders HTTP/1.1\r\nX-Request-Id: mine\r\nHost: localhost\r\n"
NOT_HTTP = b"anna@example.com\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "status", "request_id", "route"),
    [
        (NOT_HTTP, 400, OURS.pattern, "unknown"),
        (HEAD + b"Host: two\r\n\r\n", 400, "mine", "unknown"),
        (HEAD + b"X: " + b"x" * LARGEST_HEAD, 431, "mine", "unknown"),
        (HEAD, 408, "mine", "unknown"),
        (HEAD + b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{", 408, "mine", "/v1/orders"),
    ],
    ids=["no-http", "two-hosts", "large-head", "slow-head", "slow-body"],
)
def test_what_a_connection_refuses_has_an_id_and_one_line(
    sent: bytes, status: int, request_id: str, route: str
) -> None:
    with serving(connection=Hurried) as service, captured_lines() as lines, open_socket(service.address) as connection:
        connection.sendall(sent)
        answer = read_until_closed(connection)
    head, _, body = answer.partition(b"\r\n\r\n")
    (named,) = re.findall(rb"x-request-id: (.*)\r?", head)
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert re.fullmatch(request_id, named.strip().decode())
    assert named.strip() in body
    (line,) = [line for line in lines if "status" in line]
    assert (line["status"], line["requestId"], line["route"]) == (status, named.strip().decode(), route)
    assert "anna" not in str(lines)


def test_a_client_that_goes_away_is_no_failure_of_ours() -> None:
    with serving() as service, captured_lines() as lines:
        with open_socket(service.address) as connection:
            connection.sendall(HEAD + b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
        while not [line for line in lines if "status" in line]:
            http_request(service.address, "GET", "/healthz", X_Request_Id="other")
            lines[:] = [line for line in lines if line["requestId"] != "other"]
    (line,) = lines
    assert (line["status"], line["code"], line["log_level"]) == (499, "client_disconnected", "info")


def test_a_request_that_is_cut_off_at_the_deadline_has_an_id_and_one_line() -> None:
    sent: list[Any] = []
    seen: list[Exchange] = []

    async def receive() -> Any:
        raise asyncio.CancelledError

    async def send(message: Any) -> None:
        sent.append(message)

    app = build(Settings(database_url="memory:", mail_url="recording:"))
    context = ServerContext(AsyncApplication(app), observers=[seen.append])
    headers = [(b"x-request-id", b"mine"), (b"authorization", b"Bearer x")]
    scope: Any = {"type": "http", "method": "POST", "path": "/v1/orders", "query_string": b"", "headers": headers}
    application: Any = answer_at_deadline(create_app(app, server=context))
    asyncio.run(application({**scope, "client": None}, receive, send))
    context.app.close()
    app.close()
    assert sent[0]["status"] == 503
    assert (b"x-request-id", b"mine") in sent[0]["headers"]
    (exchange,) = seen
    assert (exchange.status, exchange.route, exchange.code) == (503, "/v1/orders", "storage_unavailable")
    assert (exchange.request_id, exchange.method) == ("mine", "POST")


PARENT = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize(
    ("given", "taken"),
    [([PARENT], PARENT), ([PARENT, PARENT], b""), ([b"anna@example.com"], b""), ([PARENT + b"-anna"], b""), ([], b"")],
)
def test_an_exchange_has_a_trace_parent_only_if_it_is_well_formed(given: list[bytes], taken: bytes) -> None:
    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: Any) -> None:
        """Take the answer."""

    seen: list[Exchange] = []
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    context = ServerContext(AsyncApplication(app), observers=[seen.append])
    headers = [(b"traceparent", each) for each in given]
    scope: Any = {"type": "http", "method": "GET", "path": "/healthz", "query_string": b"", "headers": headers}
    scope["client"] = None
    asyncio.run(create_app(app, server=context)(scope, receive, send))
    context.app.close()
    app.close()
    assert [exchange.trace_parent for exchange in seen] == [taken.decode()]


def test_an_observer_that_fails_breaks_no_response_and_keeps_no_other_from_its_turn() -> None:
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    seen: list[Exchange] = []

    def broken(_: Exchange) -> None:
        raise ValueError("anna@example.com")

    from litestar.testing import TestClient

    context = ServerContext(AsyncApplication(app), observers=[broken, seen.append])
    with TestClient(create_app(app, server=context)) as client, captured_lines() as lines:
        assert client.get("/healthz").status_code == 200
    assert [(exchange.route, exchange.status) for exchange in seen] == [("/healthz", 200)]
    (line,) = lines
    assert (line["event"], line["cause"]) == ("an observer of requests failed", "ValueError")
    context.app.close()
    app.close()


def test_lines_of_handlers_have_the_id_of_their_request(here: Service) -> None:
    key = here.a_key()
    with captured_lines() as lines:
        report(here.address, key, an_order(orderNumber=""), X_Request_Id="mine")
    (line,) = [line for line in lines if line["event"].startswith("empty order number")]
    assert line["requestId"] == "mine"

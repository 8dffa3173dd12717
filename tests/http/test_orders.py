"""`POST /v1/orders` over a real connection: each status, the order of checks, and what is never told. Spec: §4.1."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from tests.http.service import (
    SITE,
    Answer,
    Deployment,
    Service,
    an_order,
    connect,
    http_request,
    open_socket,
    read_response,
    report,
    request_bytes,
    send_request,
)
from tests.http.serving import serving
from tests.logs import captured_logs

from reviewinvite_core import OPERATOR, SecretKey, accepted
from reviewinvite_core.testing.builders import ManualClock, a_shop

LARGEST = 16 * 1024


def padded(size: int, body: bytes = b'{"email": "anna@example.com"}') -> bytes:
    """Return the report padded with blanks to this many bytes."""
    return body + b" " * (size - len(body))


def in_pieces(body: bytes, size: int = 65536) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def is_an_error(answer: Answer, status: int, code: str) -> bool:
    """Whether it is this error in the one form that all errors have."""
    members = {"error", "code", "requestId", "type", "title", "status", "detail", "errors"}
    assert set(answer.json) - {"field"} == members
    assert answer.json["status"] == status
    assert answer.json["type"].endswith(f"/v1/errors#{code}")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return (answer.status, answer.code) == (status, code)


def test_a_new_order_is_201_with_its_invitation(service: Service, key: str) -> None:
    answer = report(service.address, key, an_order("new@example.com", orderNumber="1", delayDays=2.5, language="en"))
    assert answer.status == 201
    assert set(answer.json) == {"inviteId", "scheduledFor"}
    shown = accepted(service.app.invitations.show(OPERATOR, answer.json["inviteId"])).invitation
    assert (shown.order_number, shown.language.value) == ("1", "en")
    assert shown.scheduled_for - shown.reported_at == timedelta(days=2.5)
    assert answer.json["scheduledFor"] == "2026-03-05T00:00:00.120Z"
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Server"] is None


def wrong_keys() -> dict[str, str]:
    good = SecretKey.make(b"a key of nobody, at all").text
    return {
        "well-formed but unknown": good,
        "truncated": good[:-1],
        "one character too long": good + "a",
        "a check digit changed": good[:-1] + ("A" if good[-1] != "A" else "B"),
        "not ASCII": good[:-1] + "\xe9",
        "very long": "rvi_" + "a" * 8000,
        "SQL": "' OR 1=1 --",
    }


def test_two_keys_in_one_request_are_refused_even_if_both_are_good(service: Service, key: str) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(request_bytes(key, an_order(), f"Authorization: Bearer {key}"))
        assert is_an_error(read_response(connection), 401, "key_invalid")


@pytest.mark.parametrize("size", [LARGEST + 1, 10_000_000])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_larger_body_is_413_and_the_connection_goes_on(service: Service, key: str, size: int, chunked: bool) -> None:
    body = padded(size)
    connection = connect(service.address)
    if chunked:
        answer = report(connection, key, in_pieces(body), Transfer_Encoding="chunked")
    else:
        answer = report(connection, key, body)
    assert is_an_error(answer, 413, "body_too_large")
    assert report(connection, key).status in {200, 201}
    connection.close()


@pytest.mark.parametrize("path", ["/v1", "/v1/order", "/v1/orders/1", "/%00", "/..%2f..%2fetc", "/" + "a" * 2000])
def test_there_is_nothing_at_any_other_address(service: Service, path: str) -> None:
    assert is_an_error(http_request(service.address, "GET", path), 404, "not_found")


def test_head_is_405_without_a_body(service: Service) -> None:
    answer = http_request(service.address, "HEAD", "/v1/orders")
    assert (answer.status, answer.body) == (405, b"")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/v1/openapi.json"])
def test_a_probe_may_ask_with_head(service: Service, path: str) -> None:
    whole = http_request(service.address, "GET", path)
    head = http_request(service.address, "HEAD", path)
    assert (whole.status, head.status, head.body) == (200, 200, b"")
    assert head.headers["Content-Length"] == str(len(whole.body))
    assert is_an_error(http_request(service.address, "POST", path, b"{}"), 405, "method_not_allowed")


def test_a_request_that_is_no_http_is_400(service: Service) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(b"GARBAGE\r\n\r\n")
        assert is_an_error(read_response(connection), 400, "bad_request")


def test_a_wish_for_http_2_is_passed_over_and_the_order_taken(service: Service, key: str) -> None:
    body = an_order("upgrade@example.com")
    wish = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAAA")
    with open_socket(service.address) as connection:
        connection.sendall(request_bytes(key, body, *wish))
        assert read_response(connection).status == 201
        head = request_bytes(key, body, *wish)[: -len(body)]
        connection.sendall(head)
        connection.sendall(body)
        assert read_response(connection).status == 200


def test_a_tunnel_is_refused(service: Service) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
        assert is_an_error(read_response(connection), 400, "bad_request")


def test_no_two_errors_have_the_same_request_id(service: Service) -> None:
    ids = [http_request(service.address, "GET", "/nothing").json["requestId"] for _ in range(20)]
    assert len(set(ids)) == 20


class BrokenClock(ManualClock):
    """A clock that fails while `broken` is set."""

    broken = False

    def now(self) -> datetime:
        if self.broken:
            raise OSError("the clock has stopped")
        return super().now()


def test_a_fault_of_ours_is_500_logged_with_its_request_id_and_the_next_request_is_answered() -> None:
    clock = BrokenClock()
    with serving(clock=clock) as service, captured_logs() as logs:
        service.app.shops.add(a_shop(SITE))
        key = service.a_key()
        clock.broken = True
        answer = report(service.address, key)
        assert is_an_error(answer, 500, "internal_error")
        clock.broken = False
        assert report(service.address, key).status == 201
    (logged,) = [line for line in logs if line["log_level"] == "error"]
    assert logged["requestId"] == answer.json["requestId"]
    assert logged["exception"].endswith("OSError\n")  # the class, and no message: it may contain anything
    assert "exc_info" not in logged  # with the frames in hand, structlog and rich would write what their variables hold


def test_no_error_and_no_log_line_holds_an_address_or_a_key(deployment: Deployment) -> None:
    process = deployment.serve("--no-worker")
    key, other = deployment.key, wrong_keys()["well-formed but unknown"]
    secret_number = "order-number-hush"
    bodies = [
        an_order("leaky.address@example.com", orderNumber=secret_number),
        an_order("leaky.address", orderNumber=secret_number),
        an_order("leaky.address@example.com", orderNumber=secret_number + "\n\x00"),
        an_order("leaky.address@example.com", delayDays="leaky.address@example.com"),
        an_order("leaky.address@example.com", language="leaky.address@example.com"),
        b'{"email": "leaky.address@example.com", "email": "leaky.address@example.com"}',
        b'["leaky.address@example.com"]',
        b"leaky.address@example.com \xff",
        padded(LARGEST + 1, b'{"email": "leaky.address@example.com"}'),
    ]
    answers = [report(process.address, which, body) for body in bodies for which in (key, other, key[:-1])]
    answers += [report(process.address, key, body, Content_Type="text/plain") for body in bodies]
    answers += [http_request(process.address, "GET", f"/v1/orders/leaky.address@example.com?key={key}")]
    with open_socket(process.address) as connection:
        connection.sendall(b"Authorization: Bearer %b\r\nleaky.address@example.com\r\n\r\n" % key.encode())
        answers.append(read_response(connection))
    deployment.take_database_away()
    answers.append(report(process.address, key, bodies[0]))
    assert {answer.status for answer in answers} == {201, 400, 401, 404, 413, 415, 422, 503}
    assert process.terminate() == 0
    told = [answer.body.decode() + str(answer.headers) for answer in answers] + [process.log]
    assert "storage unavailable" in process.log
    for text in told:
        assert not re.search(r"leaky|hush", text)
        assert key not in text
        assert key[4:20] not in text
        assert other not in text


def test_keep_alive_serves_many_orders_over_one_connection(service: Service, key: str) -> None:
    connection = connect(service.address)
    answers = [send_request(connection, "GET", "/healthz").status, *(report(connection, key).status for _ in range(20))]
    assert set(answers) <= {200, 201}
    assert connection.sock is not None
    connection.close()


def test_the_answer_is_utf_8_json_and_nothing_else(service: Service, key: str) -> None:
    for answer in (report(service.address, key), report(service.address, key, b"{}"), report(service.address, "x")):
        assert json.loads(answer.body.decode("utf-8"))
        assert int(answer.headers["Content-Length"]) == len(answer.body)

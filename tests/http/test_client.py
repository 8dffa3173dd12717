"""The client that a merchant's server could use."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from tests.http.service import SITE, Service, report
from tests.http.serving import serving
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http.client import OrderAnswer, OrdersClient


@contextmanager
def answering(status: int, body: bytes) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A server, perhaps a proxy, that gives one answer to all; and the paths and bodies that it was sent."""
    asked: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}", asked
        finally:
            listening.shutdown()
            thread.join()


def a_client(address: str, key: str = "key") -> OrdersClient:
    return OrdersClient(address, key, timeout_seconds=TIMEOUT_SECONDS)


def test_a_new_order_and_its_repeat(service: Service, key: str) -> None:
    client = a_client(service.address, key)
    first = client.report(email="client@example.com", order_number="1", language="en", delay_days=0.5)
    again = client.report(email="client@example.com", order_number="1")
    assert (first.status, first.duplicate, again.status, again.duplicate) == (201, False, 200, True)
    assert first.invite_id == again.invite_id
    assert first.scheduled_for == again.scheduled_for == "2026-03-03T00:00:00.120Z"
    assert first.invite_id is not None
    assert accepted(service.app.invitations.show(OPERATOR, first.invite_id)).invitation.language.value == "en"


def test_what_is_left_out_is_not_sent() -> None:
    with answering(201, b'{"inviteId": "1", "scheduledFor": "2"}') as (address, asked):
        a_client(address).report(email="anna@example.com")
        a_client(f"{address}/behind/a/path/").report(email="anna@example.com", delay_days=0)
    assert [(path, json.loads(body)) for path, body in asked] == [
        ("/v1/orders", {"email": "anna@example.com"}),
        ("/behind/a/path/v1/orders", {"email": "anna@example.com", "delayDays": 0}),
    ]


def test_a_refusal_is_told_with_its_sentence_and_code(service: Service, key: str) -> None:
    answer = a_client(service.address, key).report(email="nobody")
    assert (answer.status, answer.code, answer.invite_id) == (422, "invalid_address", None)
    assert answer.error is not None
    assert "e-mailadres" in answer.error


def test_a_limit_is_told_with_the_seconds_to_wait() -> None:
    with serving(orders_per_minute=1) as service:
        service.app.shops.add(a_shop(SITE))
        key = service.a_key()
        report(service.address, key)
        answer = a_client(service.address, key).report(email="anna@example.com")
    assert (answer.status, answer.code, answer.retry_after) == (429, "limit_reached", 60)


@pytest.mark.parametrize("body", [b"<html>Bad Gateway</html>", b"", b"[]", b'"busy"', b"\xff"])
def test_a_proxy_that_answers_in_its_own_words_is_told_by_its_status(body: bytes) -> None:
    with answering(502, body) as (address, _):
        assert a_client(address).report(email="anna@example.com") == OrderAnswer(status=502)


def test_a_service_that_cannot_be_reached_is_an_os_error() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        with pytest.raises(OSError, match="refused"):
            a_client(f"http://127.0.0.1:{deaf.getsockname()[1]}").report(email="anna@example.com")


@pytest.mark.parametrize(
    "begun", [b"", b'HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{"inviteId": "', b"SSH-2.0\r\n"]
)
def test_a_service_that_hangs_up_without_a_whole_answer_is_an_os_error(begun: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def hang_up() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(begun)

        thread = Thread(target=hang_up)
        thread.start()
        client = a_client(f"http://127.0.0.1:{listening.getsockname()[1]}")
        with pytest.raises(OSError, match=r"closed|reset|broke off"):
            client.report(email="anna@example.com")
        thread.join()


def test_the_client_does_not_show_its_key() -> None:
    assert "rvi_secret" not in repr(OrdersClient("http://localhost", "rvi_secret"))

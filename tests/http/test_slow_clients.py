"""Clients that are slow, rude or gone: they cost little, and nobody else notices."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.http.service import (
    SITE,
    Answer,
    Service,
    an_order,
    http_request,
    open_socket,
    pause_briefly,
    read_response,
    read_until_closed,
    report,
    request_bytes,
    wait_until_read,
)
from tests.http.serving import serving
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import OPERATOR, InvitationQuery, accepted
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http.connection import LARGEST_HEAD, REQUEST_SECONDS, BoundedConnection

DEADLINE = 1.0


class Impatient(BoundedConnection):
    """A connection that waits for a second only."""

    request_seconds = DEADLINE


@pytest.fixture(scope="module")
def impatient() -> Iterator[Service]:
    """A server that cuts slow requests after a second."""
    with serving(orders_per_minute=0, connection=Impatient) as service:
        service.app.shops.add(a_shop(SITE))
        yield service


def number_of_invitations(service: Service, order_number: str) -> int:
    records = accepted(service.app.invitations.list(OPERATOR, InvitationQuery(limit=1_000_000))).invitations
    return sum(record.invitation.order_number == order_number for record in records)


def trickle(connection: socket.socket, data: bytes) -> Answer:
    """Send a byte at a time until there is an answer."""
    connection.settimeout(0.02)
    for byte in data:
        try:
            connection.sendall(bytes([byte]))
            if connection.recv(1, socket.MSG_PEEK):
                break
        except TimeoutError:
            continue
    connection.settimeout(TIMEOUT_SECONDS)
    return read_response(connection)


def is_ended(connection: socket.socket) -> bool:
    """Whether the other side ends the connection; with a reset, where a byte was still on its way to it."""
    try:
        return read_until_closed(connection) == b""
    except ConnectionResetError:
        return True


def is_cut(connection: socket.socket, answer: Answer) -> bool:
    assert answer.code == "request_timeout"
    assert answer.headers["Connection"] == "close"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return answer.status == 408 and is_ended(connection)


def test_a_request_has_ten_seconds_to_arrive() -> None:
    assert REQUEST_SECONDS == BoundedConnection.request_seconds == 10


def test_a_head_that_trickles_in_is_cut_in_time(impatient: Service) -> None:
    with open_socket(impatient.address) as connection:
        begun = time.monotonic()
        answer = trickle(connection, request_bytes("key", b"", "X-Padding: " + "x" * 10_000))
        assert is_cut(connection, answer)
        assert DEADLINE * 0.8 < time.monotonic() - begun < REQUEST_SECONDS


def test_a_body_that_trickles_in_is_cut_in_time_and_no_order_is_made(impatient: Service) -> None:
    body = an_order(orderNumber="slow").ljust(10_000)
    request = request_bytes(impatient.a_key(), body)
    with open_socket(impatient.address) as connection:
        connection.sendall(request[: -len(body)])
        assert is_cut(connection, trickle(connection, body))
    assert number_of_invitations(impatient, "slow") == 0


def test_a_second_request_that_trickles_in_is_told_so_too(impatient: Service) -> None:
    key = impatient.a_key()
    with open_socket(impatient.address) as connection:
        connection.sendall(request_bytes(key, an_order()))
        assert read_response(connection).status in {200, 201}
        assert is_cut(connection, trickle(connection, request_bytes(key, b"", "X-Padding: " + "x" * 10_000)))


def test_a_body_that_was_refused_is_not_awaited_for_ever(impatient: Service) -> None:
    with open_socket(impatient.address) as connection:
        connection.sendall(request_bytes(impatient.a_key(), b" " * 20_000, length=1_000_000))
        assert read_response(connection).status == 413
        assert read_until_closed(connection) == b""


def test_a_connection_that_says_nothing_is_ended(impatient: Service) -> None:
    with open_socket(impatient.address) as connection:
        assert is_cut(connection, read_response(connection))


def test_slow_clients_do_not_slow_down_the_others(service: Service, key: str) -> None:
    with ExitStack() as open_ones:
        for _ in range(200):
            connection = open_ones.enter_context(open_socket(service.address))
            connection.sendall(b"POST /v1/orders HTTP/1.1\r\nHost: ")
        assert {report(service.address, key).status for _ in range(10)} <= {200, 201}


def test_many_idle_connections_are_no_burden(service: Service, key: str) -> None:
    with ExitStack() as open_ones:
        for _ in range(400):
            open_ones.enter_context(open_socket(service.address))
        assert report(service.address, key).status in {200, 201}


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xaa" * 300,  # TLS on the wrong port
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n\x00",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n",
    ],
    ids=ascii,
)
def test_garbage_is_400_and_the_server_lives_on(service: Service, garbage: bytes) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(garbage)
        answer = read_response(connection)
        assert (answer.status, answer.code) == (400, "bad_request")
        assert read_until_closed(connection) == b""
    assert http_request(service.address, "GET", "/healthz").status == 200


@pytest.mark.parametrize("start", [b"GET /", b"GET / HTTP/1.1\r\nX: "], ids=["in its address", "in a header"])
def test_a_head_without_an_end_is_431(service: Service, start: bytes) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(start + b"a" * (LARGEST_HEAD + 1 - len(start)))
        assert read_response(connection).status == 431


def test_a_trailer_without_an_end_is_cut(service: Service, key: str) -> None:
    head = request_bytes(key, b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with open_socket(service.address) as connection:
        connection.sendall(head)
        wait_until_read(service.address)
        connection.sendall(b"0\r\nX: " + b"a" * (LARGEST_HEAD + 1))
        assert read_response(connection).status == 431


def test_pipelined_requests_are_answered_in_turn(service: Service, key: str) -> None:
    bodies = [an_order("pipelined@example.com", orderNumber=str(number % 5)) for number in range(10)]
    last = request_bytes(key, bodies[-1], "Connection: close")
    with open_socket(service.address) as connection:
        connection.sendall(b"".join(request_bytes(key, body) for body in bodies[:-1]) + last)
        received = read_until_closed(connection)
    lines = received.split(b"HTTP/1.1 ")[1:]
    assert [int(line[:3]) for line in lines] == [201] * 5 + [200] * 5
    ids = [line.partition(b'"inviteId":"')[2][:36] for line in lines]
    assert ids[:5] == ids[5:]
    assert len(set(ids)) == 5


def test_garbage_behind_a_request_does_not_take_the_place_of_its_answer(service: Service, key: str) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(request_bytes(key, an_order("behind@example.com")) + b"}\r\n\r\n")
        assert read_response(connection).status == 201
        assert read_until_closed(connection) == b""


def test_a_request_in_two_pieces_is_one_request(service: Service, key: str) -> None:
    request = request_bytes(key, an_order("pieces@example.com"))
    for cut in (1, 20, len(request) // 2, len(request) - 1):
        with open_socket(service.address) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(request[:cut])
            pause_briefly()
            connection.sendall(request[cut:])
            assert read_response(connection).status in {200, 201}


def test_an_order_whose_client_did_not_wait_is_kept_whole_or_not_at_all(service: Service, key: str) -> None:
    for number in range(40):
        with open_socket(service.address) as connection:
            connection.sendall(request_bytes(key, an_order("gone@example.com", orderNumber=f"gone-{number}")))
    again = service.a_key()
    for number in range(40):
        answer = report(service.address, again, an_order("gone@example.com", orderNumber=f"gone-{number}"))
        assert answer.status in {200, 201}
        history = accepted(service.app.invitations.show(OPERATOR, answer.json["inviteId"])).history
        assert [change.reason.value for change in history] == ["reported"]
        assert number_of_invitations(service, f"gone-{number}") == 1


def test_an_order_of_which_a_part_is_missing_is_not_made(service: Service, key: str) -> None:
    request = request_bytes(key, an_order(orderNumber="torn"))
    for cut in (len(request) - 1, len(request) - 20):
        with open_socket(service.address) as connection:
            connection.sendall(request[:cut])
    wait_until(lambda: http_request(service.address, "GET", "/healthz").status == 200)
    assert number_of_invitations(service, "torn") == 0

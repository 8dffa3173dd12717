"""One connection: trailers, large heads, requests sent at once, answers that are not read, and clients that leave."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest
from tests.http.service import (
    OWN_HOST,
    OWN_PAGE,
    SITE,
    Service,
    a_snippet,
    an_order,
    http_request,
    open_socket,
    read_response,
    read_until_closed,
    request_bytes,
    verify_host,
    wait_until_read,
)
from tests.http.serving import serving
from tests.waiting import wait_until
from uvicorn.server import ServerState

from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http.connection import LARGEST_HEAD, LARGEST_WAITING, MOST_FIELDS, MOST_WAITING, BoundedConnection
from reviewinvite_http.connection_limits import OpenConnections
from reviewinvite_http.server import UNREAD_SECONDS, server_config

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST_HEALTH = HEALTH[:-2] + b"Connection: close\r\n\r\n"


@pytest.fixture
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing is logged as a warning or an error."""
    yield
    assert [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.WARNING] == []


class Transport(asyncio.Transport):
    """Keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closing = False

    def write(self, data: Any) -> None:
        assert not self.closing, "written to after it was closed"
        self.written += bytes(data)

    def close(self) -> None:
        self.closing = True

    def is_closing(self) -> bool:
        return self.closing

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


async def echo(_: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
    """Answer with the body of the request."""
    body = b""
    while (message := await receive())["type"] == "http.request":
        body += message["body"]
        if not message["more_body"]:
            head = [(b"content-length", b"%d" % len(body))]
            await send({"type": "http.response.start", "status": 200, "headers": head})
            await send({"type": "http.response.body", "body": body})
            return


async def until_done(state: ServerState) -> None:
    """Let the application come to its end."""
    for _ in range(1_000):
        if not state.tasks:
            return
        await asyncio.sleep(0)
    raise AssertionError("a request is never answered")


def answers(*pieces: bytes, ended: bool = False, paused: bool = False) -> tuple[list[tuple[int, bytes]], bool]:
    """Return status and body of each answer to what is read in these pieces, and whether the connection is closed.

    All is read before the first answer, unless it is `paused` between the pieces. With `ended` the client then closes
    its side.
    """

    async def talk() -> Transport:
        transport, state = Transport(), ServerState()
        connection = BoundedConnection(server_config(echo, 1), state, {})
        connection.connection_made(transport)
        for piece in pieces:
            connection.data_received(piece)
            for _ in range(20 * paused):
                await asyncio.sleep(0)
        if ended and not connection.eof_received():
            transport.close()
            connection.connection_lost(None)
        await until_done(state)
        return transport

    transport = asyncio.run(talk())
    found = [each.partition(b"\r\n\r\n") for each in transport.written.split(b"HTTP/1.1 ")[1:]]
    return [(int(head[:3]), body) for head, _, body in found], transport.closing


def a_post(body: bytes, *lines: bytes) -> bytes:
    return b"\r\n".join([b"POST / HTTP/1.1", b"Host: x", *lines, b"Content-Length: %d" % len(body), b"", body])


def chunked(head: bytes, body: bytes, *trailers: bytes) -> bytes:
    """Return this request with its body in one chunk, and what stands behind the last one."""
    head = head.replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    return head + b"\r\n".join([b"%x" % len(body), body, b"0", *trailers, b"", b""])


def a_head(size: int) -> bytes:
    """Return a request for /healthz of this size, in lines of some 4,000 bytes."""
    head = LAST_HEALTH[:-2]
    while size - len(head) > 8_000:
        head += b"X: " + b"a" * 3_995 + b"\r\n"
    return head + b"X: " + b"a" * (size - len(head) - 7) + b"\r\n\r\n"


# --- trailers


def test_a_trailer_is_no_header(service: Service, key: str) -> None:
    good, bad = f"Authorization: Bearer {key}".encode(), b"Authorization: Bearer rvi_unknown"
    head = request_bytes(key, b"")
    with open_socket(service.address) as connection:
        connection.sendall(chunked(head, an_order(), bad))
        assert read_response(connection).status in {200, 201}
        connection.sendall(chunked(head.replace(good + b"\r\n", b""), an_order(), good))
        assert (answer := read_response(connection)).status == 401
        assert answer.code == "key_missing"


def test_an_address_in_a_trailer_lifts_no_limit() -> None:
    fields = ["Host: x", f"Origin: {OWN_PAGE}", "Content-Type: application/json", "Transfer-Encoding: chunked"]
    head = "\r\n".join(["POST /v1/orders/snippet HTTP/1.1", *fields, "X-Forwarded-For: 198.51.100.7", "", ""]).encode()
    with serving(trusted_proxies="127.0.0.1") as service, open_socket(service.address) as connection:
        service.app.shops.add(a_shop(SITE))
        verify_host(service.app, OWN_HOST)
        statuses = []
        for number in range(40):
            body = a_snippet(f"customer-{number}@example.com")
            connection.sendall(chunked(head, body, b"X-Forwarded-For: 198.18.0.%d" % number))
            statuses.append(read_response(connection).status)
    assert statuses == [202] * 30 + [429] * 10


def test_trailers_have_a_bound_too(service: Service, key: str) -> None:
    many = [b"X: " + b"a" * 1_000] * (LARGEST_HEAD // 1_000)
    with open_socket(service.address) as connection:
        connection.sendall(chunked(request_bytes(key, b""), an_order(), *many))
        assert read_response(connection).status in {200, 201}
        connection.sendall(chunked(request_bytes(key, b""), an_order(), *many, *many[:1]))
        assert read_response(connection).status == 431
        assert read_until_closed(connection) == b""


# --- heads


@pytest.mark.parametrize("hosts", [[], ["Host: localhost", "Host: localhost"], ["Host: localhost", "host: other"]])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_request_names_one_host(service: Service, key: str, hosts: list[str], version: str) -> None:
    fields = [f"POST /v1/orders HTTP/{version}", *hosts, f"Authorization: Bearer {key}", "Content-Length: 0", "", ""]
    with open_socket(service.address) as connection:
        connection.sendall("\r\n".join(fields).encode())
        answer = read_response(connection)
        if version == "1.0" and not hosts:
            assert answer.code == "unsupported_media_type"
            return
        assert (answer.status, answer.code) == (400, "bad_request")
        assert read_until_closed(connection) == b""


@pytest.mark.parametrize(("size", "status"), [(LARGEST_HEAD, 200), (LARGEST_HEAD + 1, 431), (100_000, 431)])
def test_a_head_of_more_than_64_kib_is_431(service: Service, size: int, status: int) -> None:
    head = a_head(size)
    assert len(head) == size
    with open_socket(service.address) as connection:
        connection.sendall(head)
        assert read_response(connection).status == status
        assert read_until_closed(connection) == b""


def test_a_large_head_behind_a_request_does_not_take_the_place_of_its_answer() -> None:
    assert answers(a_post(b"first") + a_head(LARGEST_HEAD + 1)) == ([(200, b"first")], True)


@pytest.mark.parametrize(("fields", "status"), [(MOST_FIELDS, 200), (MOST_FIELDS + 1, 431)])
def test_a_head_of_more_than_1000_fields_is_431(service: Service, fields: int, status: int) -> None:
    head = LAST_HEALTH[:-2] + b"a:b\r\n" * (fields - LAST_HEALTH.count(b": ")) + b"\r\n"
    with open_socket(service.address) as connection:
        connection.sendall(head)
        assert read_response(connection).status == status


# --- requests sent at once


def test_sixteen_requests_may_wait_behind_one_and_are_answered_before_the_end(service: Service) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(HEALTH * 40)
        received = read_until_closed(connection)
    assert received.count(b"HTTP/1.1 200 ") == received.count(b"HTTP/1.1 ") == 1 + MOST_WAITING
    assert received.count(b"connection: close") == 1


def test_as_many_as_may_wait_can_be_sent_again_and_again(service: Service) -> None:
    request = HEALTH[:-2] + b"X: " + b"a" * (LARGEST_WAITING // MOST_WAITING - 200) + b"\r\n\r\n"
    with open_socket(service.address) as connection:
        for _ in range(5):
            connection.sendall(request * MOST_WAITING)
            received = b""
            while received.count(b"HTTP/1.1 200 ") < MOST_WAITING:
                piece = connection.recv(65536)
                assert piece
                received += piece


def test_what_waits_is_bounded_in_bytes() -> None:
    body = b"x" * (LARGEST_WAITING // 3 - 1_000)
    assert answers(a_post(body) * 9) == ([(200, body)] * 4, True)
    assert answers(a_post(b"first"), a_post(b"x" * 2 * LARGEST_WAITING)) == ([(200, b"first")], True)
    assert answers(a_post(b"first"), a_post(b"x" * LARGEST_WAITING)[:-200] + b"x" * 200 + a_post(b"")) == (
        [(200, b"first")],
        True,
    )


def test_what_waits_is_bounded_in_fields() -> None:
    request = a_post(b"", *[b"a:b"] * 900)  # 900 * (6 + 32) bytes
    found, closed = answers(request * 9)
    assert (len(found), closed) == (2, True)


def test_a_request_that_is_too_slow_behind_another_does_not_take_its_answer_away() -> None:
    class Hurried(BoundedConnection):
        request_seconds = 0.05

    async def talk() -> bytes:
        transport, state, go_on = Transport(), ServerState(), asyncio.Event()

        async def waiting(scope: Any, receive: Any, send: Any) -> None:
            await go_on.wait()
            await echo(scope, receive, send)

        connection = Hurried(server_config(waiting, 1), state, {})
        connection.connection_made(transport)
        connection.data_received(a_post(b"first") + a_post(b"second")[:-1])
        await asyncio.sleep(0.2)
        go_on.set()
        await until_done(state)
        assert transport.closing
        return transport.written

    written = asyncio.run(talk())
    assert written.count(b"HTTP/1.1 ") == 1
    assert written.endswith(b"first")


# --- room for other connections


class Abortable(Transport):
    """Knows whether it was aborted."""

    aborted = False

    def abort(self) -> None:
        self.aborted = True


def test_a_connection_makes_room_unless_it_is_being_answered() -> None:
    async def talk() -> None:
        go_on = asyncio.Event()
        state = ServerState()

        async def waiting(scope: Any, receive: Any, send: Any) -> None:
            await go_on.wait()
            await echo(scope, receive, send)

        config = server_config(waiting, 1)
        config.open_connections = OpenConnections(2)

        def connect() -> tuple[BoundedConnection, Abortable]:
            connection, transport = BoundedConnection(config, state, {}), Abortable()
            connection.connection_made(transport)
            return connection, transport

        asking, asked = connect()
        asking.data_received(a_post(b"first") + a_post(b"second") + a_post(b"third")[:-1])
        _, idle = connect()
        _, third = connect()
        assert (asked.aborted, idle.aborted, third.aborted) == (False, True, False)
        asking.pause_writing()
        asking.resume_writing()
        _, fourth = connect()
        assert (asked.aborted, third.aborted, fourth.aborted) == (False, True, False)
        asking.pause_writing()  # nothing can be answered until the client reads
        connect()
        assert fourth.aborted
        assert not asked.aborted
        connect()
        assert asked.aborted
        asking.connection_lost(None)
        go_on.set()
        await until_done(state)

    asyncio.run(talk())


# --- other protocols


@pytest.mark.parametrize(
    "request_",
    [
        a_post(b"body", b"Connection: Upgrade", b"Upgrade: h2c"),
        b"POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"2\r\nbo\r\n2\r\ndy\r\n0\r\nX: trailer\r\n\r\n",
    ],
    ids=["with a length", "in chunks"],
)
def test_a_request_for_another_protocol_keeps_its_body_and_what_follows(request_: bytes) -> None:
    whole = request_ * 3 + a_post(b"last", b"Connection: close")
    for cut in range(1, len(request_) + 20):
        assert answers(whole[:cut], whole[cut:], paused=True) == ([(200, b"body")] * 3 + [(200, b"last")], True)


def test_a_request_for_another_protocol_may_have_no_body() -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    assert answers(request + a_post(b"next")) == ([(200, b""), (200, b"next")], False)


# --- answers that are not read


def test_an_answer_may_be_unread_for_30_seconds() -> None:
    assert UNREAD_SECONDS == 30


class Watched(BoundedConnection):
    """A connection that the test can look at."""

    newest: Watched
    answered = 0
    held = 0  # bytes, at most
    lost = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        Watched.newest = self

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.answered += 1
        self.held = max(self.held, self.transport.get_write_buffer_size())

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost = True


def stop_reading(service: Service) -> socket.socket:
    """Ask for long answers, and read none, until the server stops answering."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", int(service.address.rpartition(":")[2])))
    connection.settimeout(0)
    request = b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    connection.send(request)
    wait_until(lambda: Watched.newest.client == connection.getsockname() and Watched.newest.answered)
    held = Watched.newest

    def has_answered(count: int) -> bool:
        return held.flow.write_paused or held.answered >= count

    while not held.flow.write_paused:
        count = held.answered + 1
        connection.send(request)
        wait_until(partial(has_answered, count))
    return connection


@pytest.mark.usefixtures("real_timeouts")
def test_an_answer_that_is_not_read_ends_the_connection_and_holds_little_until_then() -> None:
    with serving(connection=Watched, unread_seconds=1) as service:
        largest = len(http_request(service.address, "GET", "/v1/openapi.json").body)
        with stop_reading(service):
            held = Watched.newest
            wait_until(lambda: held.lost)
            assert held.held < LARGEST_HEAD + 2 * largest


@pytest.mark.usefixtures("quiet", "real_timeouts")
def test_an_answer_that_is_not_read_does_not_keep_the_server_from_ending() -> None:
    with ExitStack() as held:
        with serving(connection=Watched, shutdown_seconds=2) as service:
            held.enter_context(stop_reading(service))
            assert Watched.newest.flow.write_paused
        assert Watched.newest.lost


# --- clients that close their side


def test_a_client_that_has_closed_its_side_gets_its_answers(service: Service, key: str) -> None:
    for count in (1, 3):
        with open_socket(service.address) as connection:
            connection.sendall(request_bytes(key, an_order("half@example.com")) * count)
            connection.shutdown(socket.SHUT_WR)
            received = read_until_closed(connection)
        assert received.count(b"HTTP/1.1 20") == received.count(b"HTTP/1.1 ") == count


def test_an_idle_client_that_closes_its_side_is_closed(service: Service) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(HEALTH)
        assert read_response(connection).status == 200
        connection.shutdown(socket.SHUT_WR)
        assert read_until_closed(connection) == b""


@pytest.mark.parametrize(
    "torn", [b"POST", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nab"], ids=["head", "body"]
)
def test_a_torn_request_is_not_answered_but_those_before_it_are(torn: bytes) -> None:
    assert answers(torn, ended=True) == ([], True)
    assert answers(a_post(b"first") + torn, ended=True) == ([(200, b"first")], True)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("abruptly", [False, True], ids=["closed", "reset"])
def test_clients_that_leave_are_no_matter(service: Service, key: str, *, abruptly: bool) -> None:
    order = request_bytes(key, an_order("gone@example.com"))
    for sent in (order, order * 12, order[:-5], order * 3 + order[:-5], order[:40], HEALTH * 40):
        for _ in range(10):
            with open_socket(service.address) as connection:
                connection.sendall(sent)
                if abruptly:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wait_until_read(service.address)


@pytest.mark.usefixtures("quiet")
def test_requests_whose_client_has_gone_end_quietly() -> None:
    async def talk() -> bytes:
        transport, state, go_on = Transport(), ServerState(), asyncio.Event()

        async def waiting(scope: Any, receive: Any, send: Any) -> None:
            await go_on.wait()
            await echo(scope, receive, send)
            await send({"type": "http.response.start", "status": 500, "headers": []})

        connection = BoundedConnection(server_config(waiting, 1), state, {})
        connection.connection_made(transport)
        connection.data_received(a_post(b"body") * 3)
        await asyncio.sleep(0)
        transport.close()  # from now on a write fails
        connection.connection_lost(ConnectionResetError())
        go_on.set()
        await until_done(state)
        return transport.written

    assert asyncio.run(talk()) == b""


def test_a_connection_that_is_asked_again_is_not_idle() -> None:
    async def talk() -> bytes:
        transport, state, slow = Transport(), ServerState(), asyncio.Event()

        async def in_time(scope: Any, receive: Any, send: Any) -> None:
            if slow.is_set():
                await asyncio.sleep(0.2)
            await echo(scope, receive, send)

        config = server_config(in_time, 1)
        config.timeout_keep_alive = 0.05  # type: ignore[assignment]  # uvicorn hands it to the event loop
        connection = BoundedConnection(config, state, {})
        connection.connection_made(transport)
        connection.data_received(a_post(b"first"))
        await until_done(state)
        slow.set()
        connection.data_received(a_post(b"second"))
        await asyncio.wait(state.tasks)
        connection.connection_lost(None)
        return transport.written

    assert asyncio.run(talk()).endswith(b"second")


@pytest.mark.usefixtures("real_timeouts")
def test_blank_lines_do_not_keep_an_idle_connection(service: Service) -> None:
    with open_socket(service.address) as connection:
        connection.sendall(HEALTH)
        assert read_response(connection).status == 200
        connection.sendall(b"\r\n")
        assert read_until_closed(connection) == b""

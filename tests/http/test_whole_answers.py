"""An answer is written at once, head and body, and is the same answer as in two pieces."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from tests.http.service import Service, http_request, open_socket, read_until_closed, request_bytes
from uvicorn.protocols.http.flow_control import FlowControl

from reviewinvite_http import server
from reviewinvite_http.connection import BoundedConnection
from reviewinvite_http.whole_answers import WHOLE, WholeAnswerCycle, send_whole

BODY = b'{"ok":true}'
FIELDS = [(b"content-length", b"%d" % len(BODY))]


class Transport(asyncio.Transport):
    """Notes what is done to it."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[bytes | str] = []

    def write(self, data: Any) -> None:
        self.done.append(bytes(data))

    def close(self) -> None:
        self.done.append("closed")

    def is_closing(self) -> bool:
        return "closed" in self.done


def answered(method: str = "POST", *, keep_alive: bool = True, whole: bool = True) -> list[bytes | str]:
    """What becomes of a connection over which one answer is sent."""

    async def send() -> list[bytes | str]:
        transport = Transport()
        scope: Any = {"type": "http", "method": method, "extensions": {WHOLE: {}} if whole else {}}
        cycle = WholeAnswerCycle(
            scope=scope,
            transport=transport,
            flow=FlowControl(transport),
            logger=logging.getLogger("test"),
            access_logger=logging.getLogger("test"),
            access_log=False,
            default_headers=[],
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=keep_alive,
            on_response=lambda: transport.done.append("answered"),
        )
        await send_whole(scope, cycle.send, 202, FIELDS, BODY)
        assert cycle.response_complete
        assert cycle.transport is transport
        return transport.done

    return asyncio.run(send())


def test_head_and_body_are_one_write() -> None:
    written = [each for each in answered() if isinstance(each, bytes)]
    assert written == [b"HTTP/1.1 202 Accepted\r\ncontent-length: 11\r\n\r\n" + BODY]


def test_where_the_server_does_not_know_of_it_they_are_two() -> None:
    head, body, _ = answered(whole=False)
    assert (head, body) == (b"HTTP/1.1 202 Accepted\r\ncontent-length: 11\r\n\r\n", BODY)


def test_a_head_alone_is_written_too() -> None:
    written = [each for each in answered("HEAD") if isinstance(each, bytes)]
    assert written == [b"HTTP/1.1 202 Accepted\r\ncontent-length: 11\r\n\r\n"]


@pytest.mark.parametrize("method", ["POST", "HEAD"])
def test_a_connection_that_ends_is_written_to_first(method: str) -> None:
    written, *after = answered(method, keep_alive=False)
    assert isinstance(written, bytes)
    assert written.startswith(b"HTTP/1.1 202")
    assert after[0] == "closed"


def test_answers_to_requests_sent_at_once_come_whole_and_in_order(service: Service) -> None:
    request = request_bytes("rvi_unknown", b"{}")
    with open_socket(service.address) as connection:
        connection.sendall(request + request + request_bytes("rvi_unknown", b"{}", "Connection: close"))
        told = read_until_closed(connection)
    assert told.count(b"HTTP/1.1 401 ") == told.count(b'"code": "key_invalid"') == 3


def test_our_server_says_that_it_takes_whole_answers(service: Service) -> None:
    seen: list[bool] = []

    class Noting(BoundedConnection):
        def on_message_complete(self) -> None:
            seen.append(WHOLE in self.scope["extensions"] and isinstance(self.cycle, WholeAnswerCycle))
            super().on_message_complete()

    with server.running(service.app, worker=False, connection=Noting) as address:
        http_request(address, "GET", "/healthz")
    assert seen == [True]

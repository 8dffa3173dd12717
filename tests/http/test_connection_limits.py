"""How many connections a server keeps, and which one makes room for another."""

from __future__ import annotations

import asyncio
import resource
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.budgets import in_full
from tests.http.service import Deployment, http_request, open_socket
from tests.waiting import wait_until

from reviewinvite_http.connection_limits import MOST_CONNECTIONS, RESERVED_DESCRIPTORS, OpenConnections, connections_for

LIMITED_PROCESS = Path(__file__).with_name("limited_process.py")
LIMIT = 256
UNREAD = b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 16


class Transport(asyncio.Transport):
    """Knows whether it was aborted."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


def test_a_few_descriptors_are_kept_for_what_is_not_a_connection() -> None:
    assert connections_for(LIMIT) == LIMIT - RESERVED_DESCRIPTORS
    assert connections_for(RESERVED_DESCRIPTORS) == 1
    assert connections_for(1_000_000) == connections_for(resource.RLIM_INFINITY) == MOST_CONNECTIONS


def test_the_one_that_has_waited_longest_for_its_client_makes_room() -> None:
    connections = OpenConnections(3)
    a, b, c, d, e, f, g = (Transport(name) for name in "abcdefg")
    for each in (a, b, c):
        connections.add(each)
    connections.note(a, waiting=False)  # it is being answered
    connections.note(b, waiting=False)
    connections.note(b, waiting=True)  # it has been, and has its turn after c
    connections.note(b, waiting=True)
    assert not any(each.aborted for each in (a, b, c))
    connections.add(d)
    assert [each.name for each in (a, b, c, d) if each.aborted] == ["c"]
    connections.remove(c)
    connections.add(e)
    connections.remove(b)
    assert [each.name for each in (a, b, d, e) if each.aborted] == ["b"]
    for each in (d, e):
        connections.note(each, waiting=False)
    connections.add(f)
    assert f.aborted, "all the others are being answered"
    connections.remove(f)
    connections.remove(a)
    connections.add(g)
    assert not g.aborted
    assert not d.aborted


@pytest.mark.parametrize(
    "sent", [b"", in_full(b"GET /healthz HTTP/1.1\r\nHost: "), in_full(UNREAD)], ids=["idle", "heads", "unread"]
)
def test_health_is_answered_however_many_hold_connections(deployment: Deployment, sent: bytes) -> None:
    process = deployment.serve(program=(str(LIMITED_PROCESS), str(LIMIT)))
    with ExitStack() as held:
        for number in range(LIMIT + 44):
            connection = held.enter_context(open_socket(process.address))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(sent)
            if number % 20 == 0:
                assert http_request(process.address, "GET", "/healthz").status == 200
        for _ in range(5):
            assert http_request(process.address, "GET", "/healthz").status == 200
            wait_until(lambda: http_request(process.address, "GET", "/readyz").status == 200)
    assert process.terminate() == 0
    assert "Traceback" not in process.log

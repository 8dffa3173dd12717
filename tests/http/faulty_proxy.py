"""A proxy before the service that does to each request what a test asks for: the faults of real networks."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from tests.waiting import TIMEOUT_SECONDS

Fault: TypeAlias = Callable[["Handler"], None]


class Received(NamedTuple):
    """A request, as it came in."""

    method: str
    path: str
    headers: Message
    body: bytes


class FaultyProxy(ThreadingHTTPServer):
    """Answers the first requests with `faults`, and forwards the rest; it counts all of them."""

    daemon_threads = True

    def __init__(self, service: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.service = service
        self.faults: list[Fault] = []
        self.received: list[Received] = []
        self.stalled, self.released = threading.Event(), threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore it: some connections are broken on purpose."""


class Handler(BaseHTTPRequestHandler):
    server: FaultyProxy
    body = b""
    limits: dict[str, str]
    """The rate-limit figures of the service's last answer."""

    def handle_one(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.received.append(Received(self.command, self.path, self.headers, self.body))
        fault = self.server.faults.pop(0) if self.server.faults else relay
        fault(self)

    do_GET = do_POST = do_PATCH = do_PUT = handle_one  # noqa: N815 - their names there

    def forward(self) -> tuple[int, bytes]:
        """Send the request to the service, and return status and body of its answer."""
        connection = http.client.HTTPConnection(urlsplit(self.server.service).netloc, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(self.command, self.path, self.body, dict(self.headers.items()))
            answer = connection.getresponse()
            fields = {name.lower().replace("-", "_"): value for name, value in answer.getheaders()}
            self.limits = {name: fields[name] for name in ("ratelimit", "ratelimit_policy") if name in fields}
            return answer.status, answer.read()
        finally:
            connection.close()

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Log nothing."""


def relay(handler: Handler) -> None:
    """Do what a good proxy does."""
    status, body = handler.forward()
    handler.reply(status, body, **handler.limits)


def lose_request(handler: Handler) -> None:
    """Drop the connection, and the request with it."""
    handler.hang_up()


def lose_answer(handler: Handler) -> None:
    """Have the service do what is asked, and drop the connection instead of answering."""
    handler.forward()
    handler.hang_up()


def cut_answer(handler: Handler) -> None:
    """Drop the connection in the middle of the answer."""
    status, body = handler.forward()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.hang_up()


def stall(handler: Handler) -> None:
    """Say nothing until the test is over."""
    handler.server.stalled.set()
    handler.server.released.wait(TIMEOUT_SECONDS)


def drip(handler: Handler) -> None:
    """Answer byte by byte without an end."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.released.wait(0.01):
        handler.wfile.write(b" ")


def in_pieces(handler: Handler) -> None:
    """Answer in full, byte by byte."""
    status, body = handler.forward()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    for byte in body:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()


def speak_no_http(handler: Handler) -> None:
    """Answer in another protocol."""
    handler.wfile.write(b"SSH-2.0-OpenSSH\r\n")
    handler.hang_up()


def answer(status: int, body: bytes, **headers: str) -> Fault:
    """Return a fault that answers this by itself."""
    return lambda handler: handler.reply(status, body, **headers)


@contextmanager
def faulty_proxy(service: str = "http://127.0.0.1:9") -> Iterator[FaultyProxy]:
    """Run a proxy before the service at this address."""
    with FaultyProxy(service) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield proxy
        finally:
            proxy.released.set()
            proxy.shutdown()
            thread.join()

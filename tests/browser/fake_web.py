"""A fake web for a browser: every host is at one TLS port, shops with their pages, the service behind its own."""

from __future__ import annotations

import base64
import hashlib
import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import attrs
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

SECONDS = 30.0
SERVICE_HOST = "reviews.example.nl"
BASE_URL = f"https://{SERVICE_HOST}"
SITE = "bakkerij-1"
HOST = "shop.example.nl"  # the shop's own

Fault: TypeAlias = Callable[["Handler"], None]  # how a request is answered instead


@attrs.frozen
class Page:
    """A page of a shop, or a file of one."""

    text: str
    type: str = "text/html"
    headers: Mapping[str, str] = attrs.field(factory=dict)


class FakeWeb:
    """All hosts. Requests to the service are forwarded to the real one, unless `faults` says otherwise."""

    def __init__(self, service: str, pem: Path) -> None:
        self.service = urlsplit(service).netloc
        self.pages: dict[str, Page] = {}
        self.faults: dict[str, Fault] = {}
        self.reports: list[bytes] = []
        self.preflights = 0
        self.requests = 0  # to the service
        self.responses = 0
        self.released = threading.Event()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.web = self
        # Each connection shakes hands in its own thread, so that one that says nothing holds up no other.
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, name="web", daemon=True
        )
        self._thread.start()

    def reset(self) -> None:
        """Be as in the beginning: no pages, no fault, nothing reported."""
        self.released.set()
        self.released = threading.Event()
        self.pages.clear()
        self.faults.clear()
        self.reports.clear()
        self.preflights = 0

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Server(ThreadingHTTPServer):
    """A server that ignores broken connections: browsers break them all the time."""

    daemon_threads = True
    web: FakeWeb

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore it."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = SECONDS
    server: Server

    def do_GET(self) -> None:
        web = self.server.web
        if self.headers["Host"] == SERVICE_HOST:
            self._handle_service()
            return
        page = web.pages.get(f"https://{self.headers['Host']}{self.path}", Page("", "text/plain"))
        self.reply(200, page.text.encode(), {"Content-Type": f"{page.type}; charset=utf-8", **page.headers})

    def do_POST(self) -> None:
        self._handle_service()

    def do_OPTIONS(self) -> None:
        self._handle_service()

    def _handle_service(self) -> None:
        web = self.server.web
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers["Host"] != SERVICE_HOST:  # a request to the browser's vendor, say
            self.reply(404, b"", {})
            return
        if self.command == "POST":
            web.reports.append(body)
        if self.command == "OPTIONS":
            web.preflights += 1
        web.requests += 1
        try:
            fault = web.faults.get(self.command)
            fault(self) if fault else self._forward(body)
        finally:
            web.responses += 1

    def _forward(self, body: bytes) -> None:
        """Forward the request to the real service."""
        connection = http.client.HTTPConnection(self.server.web.service, timeout=SECONDS)
        try:
            connection.request(self.command, self.path, body, dict(self.headers.items()))
            answer = connection.getresponse()
            self.reply(answer.status, answer.read(), answer.headers)  # some fields occur several times
        finally:
            connection.close()

    def reply(self, status: int, body: bytes, headers: Mapping[str, str] | Message) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in {"content-length", "date", "connection"}:
                self.send_header(name, value)
        if status not in {204, 304}:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status not in {204, 304}:
            self.wfile.write(body)

    def drop(self) -> None:
        """End the connection without a response."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Log nothing."""


def respond_with(status: int) -> Fault:
    """Answer with this error, which the page may read."""

    def answer(handler: Handler) -> None:
        headers = {"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "Retry-After": "60"}
        handler.reply(status, b'{"error":"Nee.","code":"no","requestId":"1"}', headers)

    return answer


def drop_connection(handler: Handler) -> None:
    """Read the request, and end the connection."""
    handler.drop()


def never_respond(handler: Handler) -> None:
    """Read the request, and do not respond until the test is over.

    Then respond: Chromium repeats a request that is unanswered when its connection ends, even in the next test.
    """
    handler.server.web.released.wait(SECONDS)
    handler.reply(503, b"", {})


def preflight_when_released(handler: Handler) -> None:
    """Allow the browser to report, but not before `released` is set."""
    assert handler.server.web.released.wait(SECONDS)
    headers = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "POST",
        "Access-Control-Allow-Headers": "content-type",
    }
    handler.reply(204, b"", headers)


@attrs.frozen
class Certificate:
    """A key and a self-signed certificate in one file; `pin` makes a browser trust it."""

    pem: Path
    pin: str


def create_certificate(folder: Path, host: str = "*.example.nl") -> Certificate:
    """Create a certificate for `host` in this folder."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem = folder / "certificate.pem"
    pem.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return Certificate(pem, base64.b64encode(hashlib.sha256(public).digest()).decode("ascii"))


@contextmanager
def running_web(service: str, pem: Path) -> Iterator[FakeWeb]:
    """Serve a web until the block ends."""
    web = FakeWeb(service, pem)
    try:
        yield web
    finally:
        web.close()

"""A small Internet for a browser: every host at one TLS port, shops' pages at theirs, the service behind its own."""

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

Trouble: TypeAlias = Callable[["Handler"], None]  # what becomes of a request


@attrs.frozen
class Page:
    """A page of a shop, or a file of one."""

    text: str
    type: str = "text/html"
    headers: Mapping[str, str] = attrs.field(factory=dict)


class Web:
    """All the hosts there are. What the service is asked goes to the real one, unless it is in trouble."""

    def __init__(self, service: str, pem: Path) -> None:
        self.service = urlsplit(service).netloc
        self.pages: dict[str, Page] = {}
        self.trouble: dict[str, Trouble] = {}
        self.reports: list[bytes] = []
        self.preflights = 0
        self.asked = 0  # of the service, and
        self.answered = 0
        self.released = threading.Event()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.web = self
        # Each connection shakes hands in its own thread, so that one that says nothing holds up no other.
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="web", daemon=True)
        self._thread.start()

    def forget(self) -> None:
        """Be as in the beginning: no pages, no trouble, nothing reported."""
        self.released.set()
        self.released = threading.Event()
        self.pages.clear()
        self.trouble.clear()
        self.reports.clear()
        self.preflights = 0

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Server(ThreadingHTTPServer):
    """It takes no notice of browsers that break connections off, as they do all the time."""

    daemon_threads = True
    web: Web

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: see above."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = SECONDS
    server: Server

    def do_GET(self) -> None:
        web = self.server.web
        if self.headers["Host"] == SERVICE_HOST:
            self._ask_service()
            return
        page = web.pages.get(f"https://{self.headers['Host']}{self.path}", Page("", "text/plain"))
        self.reply(200, page.text.encode(), {"Content-Type": f"{page.type}; charset=utf-8", **page.headers})

    def do_POST(self) -> None:
        self._ask_service()

    def do_OPTIONS(self) -> None:
        self._ask_service()

    def _ask_service(self) -> None:
        web = self.server.web
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers["Host"] != SERVICE_HOST:  # the browser's own makers, say
            self.reply(404, b"", {})
            return
        if self.command == "POST":
            web.reports.append(body)
        if self.command == "OPTIONS":
            web.preflights += 1
        web.asked += 1
        try:
            trouble = web.trouble.get(self.command)
            trouble(self) if trouble else self._forward(body)
        finally:
            web.answered += 1

    def _forward(self, body: bytes) -> None:
        """Ask the real service."""
        connection = http.client.HTTPConnection(self.server.web.service, timeout=SECONDS)
        try:
            connection.request(self.command, self.path, body, dict(self.headers.items()))
            answer = connection.getresponse()
            self.reply(answer.status, answer.read(), dict(answer.getheaders()))
        finally:
            connection.close()

    def reply(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in {"content-length", "date", "connection"}:
                self.send_header(name, value)
        if status not in {204, 304}:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status not in {204, 304}:
            self.wfile.write(body)

    def hang_up(self) -> None:
        """End the connection without a word."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Nothing."""


def answering(status: int) -> Trouble:
    """The service answers with this error, in words that the page may read."""

    def answer(handler: Handler) -> None:
        headers = {"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "Retry-After": "60"}
        handler.reply(status, b'{"error":"Nee.","code":"no","requestId":"1"}', headers)

    return answer


def hanging_up(handler: Handler) -> None:
    """The service takes the request, and the connection ends."""
    handler.hang_up()


def silent(handler: Handler) -> None:
    """The service takes the request and says nothing until the test is over.

    Then it answers: what is left unanswered when a connection ends, Chromium sends again, into the next test.
    """
    handler.server.web.released.wait(SECONDS)
    handler.reply(503, b"", {})


def late(handler: Handler) -> None:
    """The service lets the browser report, but not before it is released."""
    assert handler.server.web.released.wait(SECONDS)
    headers = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "POST",
        "Access-Control-Allow-Headers": "content-type",
    }
    handler.reply(204, b"", headers)


@attrs.frozen
class Certificate:
    """A key and a certificate that nobody vouches for, in one file; `pin` is by which a browser is told to take it."""

    pem: Path
    pin: str


def a_certificate(folder: Path) -> Certificate:
    """A new one."""
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
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("*.example.nl")]), critical=False)
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
def a_web(service: str, pem: Path) -> Iterator[Web]:
    """A web until the block ends."""
    web = Web(service, pem)
    try:
        yield web
    finally:
        web.close()

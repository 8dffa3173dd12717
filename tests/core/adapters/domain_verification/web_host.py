"""A host on this machine that speaks TLS with a throw-away certificate, and answers whatever a test wants."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)

Handler: TypeAlias = Callable[[socket.socket], None]
"""What the host does with a connection."""


class CertificateAuthority:
    """Signs certificates that a context of its own trusts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "throw-away authority")])
        self._certificate = self._sign(self._name, self._key, x509.BasicConstraints(ca=True, path_length=None), 9 * DAY)
        self._count = 0

    def context(self) -> ssl.SSLContext:
        """As `ssl.create_default_context()` makes it, but for whom it trusts."""
        certificate = self._certificate.public_bytes(serialization.Encoding.PEM).decode()
        return ssl.create_default_context(cadata=certificate)

    def server_context(self, host: str, *, ends_in: timedelta = 9 * DAY) -> ssl.SSLContext:
        """What a server of this name works with."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "throw-away host")])
        certificate = self._sign(name, key, x509.SubjectAlternativeName([x509.DNSName(host)]), ends_in)
        self._count += 1
        file = self._folder / f"host-{self._count}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _sign(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType, ends_in: timedelta
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 20 * DAY)
            .not_valid_after(now + ends_in)
            .add_extension(extension, critical=False)
            .sign(self._key, hashes.SHA256())
        )


class WebHost:
    """Listens on a free port; notes each connection and each request."""

    def __init__(self, listener: socket.socket, talk: Handler, tls: ssl.SSLContext | None) -> None:
        self._listener, self._talk, self._tls = listener, talk, tls
        self.port: int = listener.getsockname()[1]
        self.connections = 0
        self.requests: list[bytes] = []
        self.sent = 0

    def serve(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                with connection, suppress(OSError):
                    connection.settimeout(300)
                    if self._tls is None:
                        self._talk(connection)
                        continue
                    with self._tls.wrap_socket(connection, server_side=True) as secured:
                        self._talk(secured)


@contextmanager
def running(talk: Handler, tls: ssl.SSLContext | None) -> Iterator[WebHost]:
    """A host that talks so, until the block ends; without TLS where there is no context."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = WebHost(listener, talk, tls)
        thread = threading.Thread(target=host.serve, daemon=True)
        thread.start()
        try:
            yield host
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(60)
            assert not thread.is_alive()


def request_of(connection: socket.socket) -> bytes:
    """The head of a request."""
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(4096)
        if not piece:
            break
        head += piece
    return head


def answering(content: bytes, requests: list[bytes] | None = None) -> Handler:
    """Reads a request, sends this, and closes."""

    def talk(connection: socket.socket) -> None:
        head = request_of(connection)
        if requests is not None:
            requests.append(head)
        connection.sendall(content)

    return talk


def response(body: bytes, *, status: str = "200 OK", head: str = "") -> bytes:
    """An answer of HTTP with a length."""
    lines = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n{head}\r\n"
    return lines.encode() + body

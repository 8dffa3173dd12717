"""Proof on the host itself: `https://HOST/.well-known/reviewinvite.txt`. ADR-22.

Anybody who adds a host chooses where this connects. So the name is resolved once, and the connection goes to one of the
public addresses found. Redirects are not followed, little is read, and everything together takes at most 5 seconds.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import dns.resolver

from reviewinvite_core.adapters.domain_verification.addresses import Address, is_public
from reviewinvite_core.adapters.domain_verification.names import NoAnswer, ask, system_resolver
from reviewinvite_core.domain.domains import (
    WELL_KNOWN_PATH,
    Domain,
    FailureReason,
    ProofWay,
    VerificationResult,
    absence_among,
)
from reviewinvite_core.version import __version__

SECONDS = 5.0
HTTPS = 443
LARGEST_BODY = 1024
LARGEST_ANSWER = 16 * 1024  # bytes, header and body as transmitted
MOST_ADDRESSES = 4
_NOT_THERE = (404, 410)


class HttpFileVerifier:
    """Fetches the file over HTTPS, checking the host's certificate. Implements `ports.DomainVerifier`."""

    def __init__(
        self,
        new_resolver: Callable[[], dns.resolver.Resolver] = system_resolver,
        *,
        new_context: Callable[[], ssl.SSLContext] = ssl.create_default_context,
        connect: Callable[[Address, int, float], socket.socket] | None = None,
        allows: Callable[[Address], bool] = is_public,
        port: int = HTTPS,
        seconds: float = SECONDS,
    ) -> None:
        self._new_resolver = new_resolver
        self._new_context = new_context
        self._connect = connect or _connect
        self._allows = allows
        self._port = port
        self._seconds = seconds

    def verify(self, domain: Domain) -> VerificationResult:
        """Check the file, within 5 seconds."""
        absence = self._absence(domain)
        if absence:
            return VerificationResult(found=None, absences=((ProofWay.WELL_KNOWN, absence),))
        return VerificationResult(found=ProofWay.WELL_KNOWN)

    def _absence(self, domain: Domain) -> FailureReason | None:
        deadline = time.monotonic() + self._seconds
        host = domain.host.text
        try:
            addresses = self._addresses(host, deadline)
            if not addresses:
                return FailureReason.NO_HOST
            public = [address for address in addresses if self._allows(address)]
            if not public:
                return FailureReason.NOT_PUBLIC
            return self._absence_at(public[:MOST_ADDRESSES], domain, deadline)
        except NoAnswer:
            return FailureReason.NO_ANSWER
        except _TooLarge:
            return FailureReason.TOO_LARGE
        except TimeoutError:
            return FailureReason.NO_ANSWER
        except ssl.SSLError:  # no TLS, or a certificate for another host or not trusted
            return FailureReason.NOT_TRUSTED
        except OSError:
            return FailureReason.NO_ANSWER
        except (http.client.HTTPException, ValueError):  # the answer is not HTTP
            return FailureReason.REFUSED

    def _addresses(self, host: str, deadline: float) -> Sequence[Address]:
        """Return all addresses of the host, with one query for each kind, which may take half of the remaining time.

        Raises: `NoAnswer` if neither query was answered, or if only one was answered and found no address.
        """
        found: list[Address] = []
        unanswered: NoAnswer | None = None
        for kind, parse in (("A", IPv4Address), ("AAAA", IPv6Address)):
            try:
                records = ask(self._new_resolver, host, kind, (deadline - time.monotonic()) / 2)
            except NoAnswer as none:
                unanswered = none
                continue
            found += [parse(record.address) for record in records]
        if unanswered and not found:
            raise unanswered
        return found

    def _absence_at(self, addresses: Sequence[Address], domain: Domain, deadline: float) -> FailureReason | None:
        connection = self._connected(addresses, deadline)
        with closing(connection):
            connection.settimeout(_left(deadline))
            with self._new_context().wrap_socket(connection, server_hostname=domain.host.text) as secured:
                secured.settimeout(_left(deadline))
                secured.sendall(_request(domain.host.text))
                answer: Any = _Answer(secured, deadline)  # has all that `http.client` uses of a socket
                with closing(http.client.HTTPResponse(answer)) as response:
                    response.begin()
                    if response.status in _NOT_THERE:
                        return FailureReason.NO_RECORD
                    if response.status != http.client.OK:
                        return FailureReason.REFUSED
                    body = response.read(LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            return FailureReason.TOO_LARGE
        return absence_among(body.decode("utf-8-sig", "replace").splitlines(), domain.proof)

    def _connected(self, addresses: Sequence[Address], deadline: float) -> socket.socket:
        """Connect to the first address that accepts; each has its share of the remaining time.

        Raises: `OSError`, that of the last address.
        """
        refused = OSError("the host has no address")
        for place, address in enumerate(addresses):
            try:
                return self._connect(address, self._port, _left(deadline) / (len(addresses) - place))
            except OSError as error:
                refused = error
        raise refused


class _TooLarge(Exception):
    """The answer is larger than any proof needs."""


class _Answer(io.RawIOBase):
    """The answer as `http.client` reads it, limited in size and time."""

    def __init__(self, connection: ssl.SSLSocket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline
        self._room = LARGEST_ANSWER

    def makefile(self, _: str) -> io.BufferedReader:
        """Return the reader that `http.client` requests from a socket."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        """Read available data, waiting at most for the remaining time.

        Raises: `_TooLarge`, `TimeoutError`.
        """
        if not self._room:
            raise _TooLarge
        self._connection.settimeout(_left(self._deadline))
        count = self._connection.recv_into(memoryview(buffer)[: self._room])  # type: ignore[arg-type]  # a buffer
        self._room -= count
        return count


def _connect(address: Address, port: int, seconds: float) -> socket.socket:
    """Connect to exactly this address: without name resolution and without a proxy."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect((str(address), port))
    except BaseException:
        connection.close()
        raise
    return connection


def _request(host: str) -> bytes:
    lines = (
        f"GET {WELL_KNOWN_PATH} HTTP/1.1",
        f"Host: {host}",
        f"User-Agent: reviewinvite/{__version__}",
        "Accept: text/plain, */*;q=0.1",
        "Accept-Encoding: identity",
        "Connection: close",
    )
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode("ascii")


def _left(deadline: float) -> float:
    """Return the seconds until the deadline.

    Raises: `TimeoutError` if it has passed.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left

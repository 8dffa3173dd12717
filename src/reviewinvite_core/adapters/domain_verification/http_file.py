"""The proof at the host itself: `https://HOST/.well-known/reviewinvite.txt`. ADR-22.

Whoever adds a host chooses where this connects to. So the name is resolved once, only public addresses are connected
to, as numbers; nothing is followed, little is read, and all of it together has 5 seconds.
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
from reviewinvite_core.adapters.domain_verification.tokens import absence_among
from reviewinvite_core.domain.domains import WELL_KNOWN_PATH, Domain, FailureReason, ProofWay, VerificationResult
from reviewinvite_core.version import __version__

SECONDS = 5.0
HTTPS = 443
LARGEST_BODY = 1024
LARGEST_ANSWER = 16 * 1024  # head and body, as they come
MOST_ADDRESSES = 4
_NOT_THERE = (404, 410)


class HttpFileVerifier:
    """Fetches the file over HTTPS, from a host whose certificate this machine trusts."""

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
        """Take 5 seconds at most."""
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
        except ssl.SSLError:  # no TLS at all, or a certificate that is not of this host, or not to be trusted
            return FailureReason.NOT_TRUSTED
        except OSError:
            return FailureReason.NO_ANSWER
        except (http.client.HTTPException, ValueError):  # what it sent is no HTTP
            return FailureReason.REFUSED

    def _addresses(self, host: str, deadline: float) -> Sequence[Address]:
        """All its addresses, each kind asked for once; half of what time is left is for each question.

        Raises: `NoAnswer` if neither question was answered, or one was not and the other gave none.
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
                answer: Any = _Answer(secured, deadline)  # all of a socket that is asked for
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
        """A connection to the first that takes it; each has its share of the time that is left.

        Raises: `OSError`, that of the last.
        """
        refused = OSError("there is no address")
        for place, address in enumerate(addresses):
            try:
                return self._connect(address, self._port, _left(deadline) / (len(addresses) - place))
            except OSError as error:
                refused = error
        raise refused


class _TooLarge(Exception):
    """More was sent than anybody needs for a proof."""


class _Answer(io.RawIOBase):
    """What the other side sends, as `http.client` reads it: only so much, and only so long."""

    def __init__(self, connection: ssl.SSLSocket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline
        self._room = LARGEST_ANSWER

    def makefile(self, _: str) -> io.BufferedReader:
        """What `http.client` takes a socket for."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        """Read what is there, or wait for it so long as is left for everything.

        Raises: `_TooLarge`, `TimeoutError`.
        """
        if not self._room:
            raise _TooLarge
        self._connection.settimeout(_left(self._deadline))
        count = self._connection.recv_into(memoryview(buffer)[: self._room])  # type: ignore[arg-type]  # a buffer
        self._room -= count
        return count


def _connect(address: Address, port: int, seconds: float) -> socket.socket:
    """A connection to this very address: no name is looked up on the way, and no proxy is asked."""
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
    """The seconds until then.

    Raises: `TimeoutError` if there are none.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left

"""Ask the service over its public address: no redirects, no proxy of this machine, and a bound on each wait."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

import attrs

LARGEST = 256 * 1024


@attrs.frozen(kw_only=True)
class Answer:
    """An answer over HTTP; `certificate_until` is when the certificate expires, if there is one."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    certificate_until: str | None = None


class NoAnswer(Exception):
    """There was no answer; the message says why."""


class UnknownHost(NoAnswer):
    """The host's name leads to no address."""


PUBLISH = (
    "Publish an A or AAAA record for it, or correct the setting; if there is one, check this machine's name server "
    "(/etc/resolv.conf)."
)
"""Next step after `UnknownHost`."""


def leads_here(host: str) -> bool:
    """Return whether a host's name leads to an address of this machine; False if it leads to none."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        return False
    return any(_is_own(family, address) for family, _, _, _, address in found)


def _is_own(family: int, address: tuple[str | int | bytes, ...]) -> bool:
    """Return whether this machine has the address: only then can a socket be bound to it."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as tried:
            tried.bind(address)
    except OSError:
        return False
    return True


def get(url: str, seconds: float) -> Answer:
    """Return the answer to a GET.

    Raises: `NoAnswer`, `UnknownHost`.
    """
    parts = urlsplit(url)
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(parts.hostname or "", parts.port, timeout=seconds, context=context)
    else:
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=seconds)
    try:
        connection.connect()
        until = _expiry(connection)
        connection.request("GET", parts.path or "/", headers={"User-Agent": "reviewinvite-doctor"})
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(status=answer.status, headers=headers, body=answer.read(LARGEST), certificate_until=until)
    except ssl.SSLCertVerificationError as error:
        message = f"its certificate is not valid ({error.verify_message})"
        raise NoAnswer(message) from None
    except socket.gaierror:
        message = "the host name is not known"
        raise UnknownHost(message) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(_words(error)) from None
    finally:
        connection.close()


def _expiry(connection: http.client.HTTPConnection) -> str | None:
    certificate = connection.sock.getpeercert() if isinstance(connection.sock, ssl.SSLSocket) else None
    until = (certificate or {}).get("notAfter")
    return until if isinstance(until, str) else None


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()

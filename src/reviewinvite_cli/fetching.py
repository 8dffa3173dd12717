"""Fetch a small document from the web or a file, with limits. It uses only the standard library."""

from __future__ import annotations

import ipaddress
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, TypeVar
from urllib.parse import SplitResult, urlsplit

T = TypeVar("T")

SECONDS = 10.0
LARGEST = 256 * 1024
STANDARD_INPUT = "-"

_ASKED_WITH = {
    "Accept": "*/*",
    "Cache-Control": "no-cache",  # a cached copy may be older than a withdrawal
    "User-Agent": "reviewinvite-verify",
}


class NotFetched(Exception):
    """The document could not be fetched; the message says why, for an operator."""


def is_url(place: str) -> bool:
    """Return whether `place` is a URL rather than a file."""
    return place.lower().startswith(("https://", "http://"))


def parts_of(url: str) -> SplitResult:
    """Split a URL.

    Raises: `NotFetched` for text that only begins like a URL, for example with an unmatched bracket.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise _nothing_at(url) from None
    return parts


def origin_of(url: str) -> str:
    """Return the scheme, host and port of a URL, as a prefix for other URLs of the same origin.

    Raises: `NotFetched`.
    """
    parts = parts_of(url)
    return f"{parts.scheme}://{parts.netloc}"


def fetch(place: str) -> bytes:
    """Return the content of this URL, this file or standard input; at most 256 KiB.

    A URL must be https, or http on this machine. Fetching it may take 10 seconds in all and bypasses caches; redirects
    to another origin are not followed.

    Raises: `NotFetched`.
    """
    if is_url(place):
        return _within(SECONDS, lambda: _fetch(place))
    if place == STANDARD_INPUT:
        return _bounded(sys.stdin.buffer.read(LARGEST + 1))
    try:
        with Path(place).open("rb") as file:
            return _bounded(file.read(LARGEST + 1))
    except OSError as error:
        message = f"cannot read {place}: {error.strerror or error}"
        raise NotFetched(message) from None


def _fetch(url: str) -> bytes:
    parts = _checked(url)
    handlers: list[urllib.request.BaseHandler] = [_SameOrigin()]
    if parts.scheme == "http":
        handlers.append(urllib.request.ProxyHandler({}))  # no proxy for this machine itself
    request = urllib.request.Request(url, headers=_ASKED_WITH)  # noqa: S310 - checked
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=SECONDS) as answer:
            return _bounded(answer.read(LARGEST + 1))
    except urllib.error.HTTPError as error:
        error.close()
        raise NotFetched(f"{url} answered with status {error.code}") from None
    except (urllib.error.URLError, OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise NotFetched(f"cannot fetch {url}: {reason}") from None


def _checked(url: str) -> SplitResult:
    parts = parts_of(url)
    if not parts.hostname or parts.username is not None:
        raise _nothing_at(url)
    if parts.scheme != "https" and not _is_this_machine(parts.hostname):
        raise NotFetched(f"{url} is not https, so the answer could be changed in transit")
    return parts


def _nothing_at(url: str) -> NotFetched:
    return NotFetched(f"{url} is not a URL that can be fetched")


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bounded(content: bytes) -> bytes:
    if len(content) > LARGEST:
        raise NotFetched(f"the document is larger than {LARGEST // 1024} KiB")
    return content


class _SameOrigin(urllib.request.HTTPRedirectHandler):
    """Follows redirects to the same scheme, host and port only."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        if origin_of(newurl).lower() != origin_of(req.full_url).lower():
            fp.close()
            raise NotFetched(f"{req.full_url} redirects to another origin, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _within(seconds: float, work: Callable[[], T]) -> T:
    """Return what `work` returns within `seconds`, even if a server keeps sending single bytes."""
    given: list[T] = []
    raised: list[Exception] = []

    def run() -> None:
        try:
            given.append(work())
        except Exception as error:  # pass it on to the waiting thread
            raised.append(error)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    worker.join(seconds)
    if raised:
        raise raised[0]
    if not given:
        raise NotFetched(f"no complete answer within {seconds:.0f} seconds")
    return given[0]

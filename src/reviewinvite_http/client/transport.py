"""Use of httpx by both clients: read an answer within limits of size and time, and convert its exceptions."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from reviewinvite_http.client.errors import MalformedAnswer, NoAnswer, TimedOut
from reviewinvite_http.client.exchange import Answer
from reviewinvite_http.client.rate_limits import read_rate_limit
from reviewinvite_http.client.retries import Clock

LARGEST_ANSWER = 16 * 2**20  # bytes; a page of 100 reviews with the longest texts needs a quarter of that


_LONGEST_RETRY_AFTER = 9  # digits; anything longer is not a number of seconds


class Body:
    """The body of an answer as it arrives, limited in size and time."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._deadline = clock.monotonic() + seconds
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Add the next piece.

        Raises: `TimeoutError`, `MalformedAnswer`.
        """
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > LARGEST_ANSWER:
            message = f"the answer is larger than {LARGEST_ANSWER} bytes"
            raise MalformedAnswer(message)
        if self._clock.monotonic() > self._deadline:
            raise TimeoutError

    def of(self, response: httpx.Response) -> Answer:
        """Return the complete answer."""
        headers = response.headers
        return Answer(
            status=response.status_code,
            retry_after=_seconds(headers.get("Retry-After", ""), self._clock.now()),
            rate_limit=read_rate_limit(headers, self._clock.now()),
            location=headers.get("Location"),
            body=b"".join(self._pieces),
        )


FAULTS = (httpx.RequestError, TimeoutError, MalformedAnswer)
"""Exceptions raised if no complete answer arrives, or if the answer is too large."""


def as_error(fault: Exception) -> NoAnswer | MalformedAnswer:
    """Return the client's error for one of these exceptions."""
    if isinstance(fault, MalformedAnswer):
        return fault
    timed_out = isinstance(fault, (httpx.TimeoutException, TimeoutError))
    error = TimedOut("no complete answer in time") if timed_out else NoAnswer(f"no answer from {_described(fault)}")
    error.__cause__ = fault
    return error


def _described(fault: Exception) -> str:
    """Return which server did not answer, and why; without the path, which may contain an order number."""
    server = "the service"
    if isinstance(fault, httpx.RequestError):
        url = fault.request.url
        server = f"{url.scheme}://{url.netloc.decode('ascii')}"
    return f"{server} ({type(fault).__name__}: {fault})"


def _seconds(retry_after: str, now: datetime) -> int | None:
    """Return the seconds that a `Retry-After` header asks for, as a number or a date; None if it is malformed."""
    text = retry_after.strip()
    if text.isdecimal() and text.isascii():
        return int(text) if len(text) <= _LONGEST_RETRY_AFTER else None
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    seconds = ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()
    return max(0, math.ceil(seconds))

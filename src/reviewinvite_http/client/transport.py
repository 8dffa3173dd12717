"""Use of httpx by both clients: read an answer within limits of size and time, and convert its exceptions."""

from __future__ import annotations

import httpx

from reviewinvite_http.client.errors import MalformedAnswer, NoAnswer, TimedOut
from reviewinvite_http.client.exchange import Answer
from reviewinvite_http.client.retries import Clock

LARGEST_ANSWER = 16 * 2**20  # bytes; a page of 100 reviews with the longest texts needs a quarter of that


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
        return Answer(status=response.status_code, retry_after=headers.get("Retry-After"), body=b"".join(self._pieces))


FAULTS = (httpx.RequestError, TimeoutError, MalformedAnswer)
"""Exceptions if no complete answer arrives, or the answer is too large."""


def as_error(fault: Exception) -> NoAnswer | MalformedAnswer:
    """Return the client's error for such an exception."""
    if isinstance(fault, MalformedAnswer):
        return fault
    timed_out = isinstance(fault, (httpx.TimeoutException, TimeoutError))
    error = TimedOut("no complete answer in time") if timed_out else NoAnswer("not reached, or the answer broke off")

    error.__cause__ = fault
    return error

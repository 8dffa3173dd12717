"""Decide when a request is repeated, and when a call gives up."""

from __future__ import annotations

import asyncio
import random
import time
from datetime import UTC, datetime
from typing import Protocol

import attrs
from attrs.validators import ge, gt

from reviewinvite_http.client.errors import ApiError, GaveUp, NoAnswer, ReviewinviteError

REPEATED = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses after which a request is repeated; 502 and 504 come from proxies."""

_MOST_DOUBLINGS = 60


@attrs.frozen(kw_only=True)
class Retries:
    """Retry policy: exponential back-off with jitter, `Retry-After`, and limits on attempts and time.

    Every call of the API is safe to repeat: the service recognises an order that was reported before, and repeating a
    reply or a cancellation changes nothing.
    """

    attempts: int = attrs.field(default=6, validator=ge(1))
    """Maximum number of attempts; 1 disables retries."""
    seconds: float = attrs.field(default=60.0, validator=gt(0))
    """Maximum duration of a call in seconds, including all attempts and pauses; no attempt starts later."""
    first_pause: float = attrs.field(default=0.5, validator=ge(0))
    """Seconds before the first retry; each further pause is twice as long."""
    longest_pause: float = attrs.field(default=20.0, validator=ge(0))
    """Maximum length of a pause in seconds, unless the service asks for a longer one."""

    def pause(self, attempt: int, chance: float, retry_after: int | None = None) -> float:
        """Return the seconds to wait after attempt number `attempt`; `chance` is from 0 to 1.

        The upper half of a pause is random, so that clients that failed together do not retry together.
        """
        length = min(self.longest_pause, self.first_pause * 2.0 ** min(attempt - 1, _MOST_DOUBLINGS))
        pause = length * (1 + chance) / 2
        return pause if retry_after is None else max(pause, retry_after + chance * self.first_pause)


DEFAULT_RETRIES = Retries()


class Clock(Protocol):
    """Time and randomness for a client; tests can pass their own."""

    def now(self) -> datetime:
        """Return the current instant, with a time zone."""

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; they never decrease."""

    def chance(self) -> float:
        """Return a random number from 0 to 1."""

    def sleep(self, seconds: float) -> None:
        """Wait for this many seconds."""

    async def sleep_async(self, seconds: float) -> None:
        """Wait for this many seconds without blocking other tasks."""


class SystemClock:
    """The clock and randomness of this machine. Implements `Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def chance(self) -> float:
        return random.random()  # noqa: S311 - this spreads clients and protects nothing

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def sleep_async(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


SYSTEM_CLOCK = SystemClock()


def can_be_repeated(error: ReviewinviteError) -> bool:
    """Return whether the same request may succeed later."""
    return isinstance(error, NoAnswer) or (isinstance(error, ApiError) and error.status in REPEATED)


def reason_to_give_up(
    retries: Retries, attempt: int, pause: float, left: float, retry_after: int | None
) -> GaveUp | None:
    """Return why there is no further attempt, `pause` seconds after attempt number `attempt`; None if there is one.

    `left` is the number of seconds left for the call.
    """
    if attempt >= retries.attempts:
        return GaveUp.ATTEMPTS
    if pause < left:
        return None
    return GaveUp.RETRY_AFTER if retry_after is not None and retry_after >= left else GaveUp.TIME

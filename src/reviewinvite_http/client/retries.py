"""When a request is repeated, and when a call gives up."""

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
"""The statuses after which a request is repeated; 502 and 504 are a proxy's."""

_MOST_DOUBLINGS = 60


@attrs.frozen(kw_only=True)
class Retries:
    """How a call is repeated: exponential back-off with jitter, `Retry-After`, and bounds on attempts and time.

    Every call of the API can be repeated without harm: the service knows an order that was reported before, and a reply
    or a cancellation that is made again changes nothing.
    """

    attempts: int = attrs.field(default=6, validator=ge(1))
    """How often a request is sent at most; 1 for no repeats."""
    seconds: float = attrs.field(default=60.0, validator=gt(0))
    """How long a call may take, with all its repeats and pauses; no attempt begins later."""
    first_pause: float = attrs.field(default=0.5, validator=ge(0))
    """Seconds before the first repeat; each further pause is twice as long."""
    longest_pause: float = attrs.field(default=20.0, validator=ge(0))
    """Seconds that a pause takes at most, unless the service asks for more."""

    def pause(self, attempt: int, chance: float, retry_after: int | None = None) -> float:
        """Return the seconds to wait after attempt number `attempt`; `chance` is from 0 to 1.

        A pause is the upper half of its length by chance, so that clients that failed together do not return together.
        """
        length = min(self.longest_pause, self.first_pause * 2.0 ** min(attempt - 1, _MOST_DOUBLINGS))
        pause = length * (1 + chance) / 2
        return pause if retry_after is None else max(pause, retry_after + chance * self.first_pause)


DEFAULT_RETRIES = Retries()


class Clock(Protocol):
    """Time and chance, as a client needs them. Give another one to tests."""

    def now(self) -> datetime:
        """Return the instant, with its time zone."""

    def monotonic(self) -> float:
        """Return seconds since some moment; they never go back."""

    def chance(self) -> float:
        """Return a random number from 0 to 1."""

    def sleep(self, seconds: float) -> None:
        """Wait for this time."""

    async def sleep_async(self, seconds: float) -> None:
        """Wait for this time; others run meanwhile."""


class SystemClock:
    """The clock and the chance of this machine. Implements `Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def chance(self) -> float:
        return random.random()  # noqa: S311 - it spreads clients, and guards nothing

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def sleep_async(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


SYSTEM_CLOCK = SystemClock()


def can_be_repeated(error: ReviewinviteError) -> bool:
    """Return whether the same request may be answered better later."""
    return isinstance(error, NoAnswer) or (isinstance(error, ApiError) and error.status in REPEATED)


def reason_to_give_up(
    retries: Retries, attempt: int, pause: float, left: float, retry_after: int | None
) -> GaveUp | None:
    """Return why no attempt follows attempt number `attempt` after `pause` seconds, or None if one does.

    `left` is what is left of the seconds for the call.
    """
    if attempt >= retries.attempts:
        return GaveUp.ATTEMPTS
    if pause < left:
        return None
    return GaveUp.RETRY_AFTER if retry_after is not None and retry_after >= left else GaveUp.TIME

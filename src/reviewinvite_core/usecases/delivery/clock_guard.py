"""Whether the clock is to be believed so far that things are given up by it for good. ADR-12."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from reviewinvite_core.domain.errors import ClockJumped

TRUSTED_AFTER = timedelta(hours=1)
FARTHEST_APART = timedelta(days=2)  # so much sooner than promised does no harm


class ClockGuard:
    """Trust the wall clock once it has agreed with the monotonic clock for an hour.

    The hour counts from the first comparison, and begins again once the two are two days or more apart.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._begun: tuple[datetime, timedelta] | None = None
        self._jump: timedelta | None = None

    def is_trusted(self, now: datetime) -> bool:
        """Whether what the clock says is to be believed; each answer is a look at it."""
        elapsed = timedelta(seconds=self._monotonic())
        instant, begun = self._begun = self._begun or (now, elapsed)
        jump = (now - instant) - (elapsed - begun)
        if abs(jump) >= FARTHEST_APART:
            self._begun, self._jump = (now, elapsed), jump
            return False
        return elapsed - begun >= TRUSTED_AFTER

    def take_jump(self) -> ClockJumped | None:
        """The last jump that was seen, if nobody was given it yet."""
        jump, self._jump = self._jump, None
        if jump is None:
            return None
        days = f"{abs(jump).days} days {'ahead' if jump > timedelta(0) else 'back'}"
        return ClockJumped(f"the clock jumped {days}; nothing expires or is erased until it has kept pace for an hour")

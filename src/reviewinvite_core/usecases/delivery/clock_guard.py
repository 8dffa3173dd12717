"""Decides whether the clock can be trusted for irreversible steps. ADR-12."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from reviewinvite_core.domain.errors import ClockJumped

TRUSTED_AFTER = timedelta(hours=1)
FARTHEST_APART = timedelta(days=2)  # this much too early does no harm


class ClockGuard:
    """Trusts the wall clock once it has agreed with the monotonic clock for an hour.

    The hour counts from the first comparison, and restarts when the two differ by two days or more.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._begun: tuple[datetime, timedelta] | None = None
        self._jump: timedelta | None = None

    def is_trusted(self, now: datetime) -> bool:
        """Return whether the clock can be trusted; each call compares the clocks."""
        elapsed = timedelta(seconds=self._monotonic())
        instant, begun = self._begun = self._begun or (now, elapsed)
        jump = (now - instant) - (elapsed - begun)
        if abs(jump) >= FARTHEST_APART:
            self._begun, self._jump = (now, elapsed), jump
            return False
        return elapsed - begun >= TRUSTED_AFTER

    def take_jump(self) -> ClockJumped | None:
        """Return the last jump, unless it has been returned before."""
        jump, self._jump = self._jump, None
        if jump is None:
            return None
        days = "1 day" if abs(jump).days == 1 else f"{abs(jump).days} days"
        way = "ahead" if jump > timedelta(0) else "back"
        return ClockJumped(
            f"the clock jumped {days} {way}; nothing expires or is erased until it has kept pace for an hour"
        )

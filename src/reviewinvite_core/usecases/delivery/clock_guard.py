"""Whether the clock is to be believed so far that things are given up by it for good. ADR-12."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from reviewinvite_core.domain.errors import ClockJumped

BELIEVED_AFTER = timedelta(hours=1)
FARTHEST_APART = timedelta(days=2)  # so much sooner than promised does no harm


class ClockGuard:
    """Believes a clock that has kept pace for an hour, by what cannot be set: it counts seconds since some moment.

    It counts from the first look, and anew once the clock is two days or more from where it should be.
    """

    def __init__(self, pace: Callable[[], float]) -> None:
        self._pace = pace
        self._begun: tuple[datetime, timedelta] | None = None
        self._jump: timedelta | None = None

    def is_trusted(self, now: datetime) -> bool:
        """Whether what the clock says is to be believed; each answer is a look at it."""
        paced = timedelta(seconds=self._pace())
        instant, begun = self._begun = self._begun or (now, paced)
        jump = (now - instant) - (paced - begun)
        if abs(jump) >= FARTHEST_APART:
            self._begun, self._jump = (now, paced), jump
            return False
        return paced - begun >= BELIEVED_AFTER

    def take_jump(self) -> ClockJumped | None:
        """The last jump that was seen, if nobody was given it yet."""
        jump, self._jump = self._jump, None
        if jump is None:
            return None
        days = f"{abs(jump).days} days {'ahead' if jump > timedelta(0) else 'back'}"
        return ClockJumped(f"the clock jumped {days}; nothing expires or is erased until it has kept pace for an hour")

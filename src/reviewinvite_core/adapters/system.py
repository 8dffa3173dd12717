"""The machine's own clock and entropy: the only place that reads either."""

from __future__ import annotations

import os
from datetime import UTC, datetime


class SystemClock:
    """The time of the machine's clock."""

    def now(self) -> datetime:
        """The instant, in UTC, to the microsecond."""
        return datetime.now(UTC)


class SystemEntropy:
    """The operating system's random numbers."""

    def draw(self, size: int) -> bytes:
        """So many bytes, fit for keys."""
        return os.urandom(size)

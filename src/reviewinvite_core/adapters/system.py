"""The machine's wall clock and entropy; nothing else in the core reads them."""

from __future__ import annotations

import os
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock. Implements `ports.Clock`."""

    def now(self) -> datetime:
        """Return the current instant in UTC, to the microsecond."""
        return datetime.now(UTC)


class SystemEntropy:
    """The operating system's random numbers. Implements `ports.Entropy`."""

    def draw(self, size: int) -> bytes:
        """Return `size` random bytes, good enough for keys."""
        return os.urandom(size)

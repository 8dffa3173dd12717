"""The clock and the source of randomness."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The clock."""

    def now(self) -> datetime:
        """Return the current instant in UTC."""


class Entropy(Protocol):
    """The source of randomness."""

    def draw(self, size: int) -> bytes:
        """Return `size` random bytes, good enough for keys."""

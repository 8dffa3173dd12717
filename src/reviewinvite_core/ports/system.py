"""The clock and the source of randomness."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """The instant, in UTC."""


class Entropy(Protocol):
    """What nobody can guess."""

    def draw(self, size: int) -> bytes:
        """So many bytes, fit for keys."""

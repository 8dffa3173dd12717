"""Values for tests: valid, plain, and the same in every run."""

from __future__ import annotations

import hashlib
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

from reviewinvite_core.domain.orders import OrderReport
from reviewinvite_core.domain.shop import NewShop

NOON = datetime(2026, 3, 2, 12, 0, 0, 120_000, tzinfo=UTC)


class ManualClock:
    """A clock that stands still until it is moved. Implements `ports.Clock`."""

    def __init__(self, at: datetime = NOON) -> None:
        self._now = at

    def now(self) -> datetime:
        """Return the instant it was set to, in UTC."""
        return self._now

    def set(self, at: datetime) -> None:
        """Set the clock to this instant."""
        self._now = at

    def advance(self, by: timedelta) -> None:
        """Move the clock forward, or back if `by` is negative."""
        self._now += by


class CountingEntropy:
    """Bytes that look random and never repeat, but are the same in every run. Never use it for real keys.

    Implements `ports.Entropy`.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._drawn = 0
        self._one_at_a_time = threading.Lock()

    def draw(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        with self._one_at_a_time:
            self._drawn += 1
            return hashlib.shake_256(f"{self._seed}/{self._drawn}".encode()).digest(size)


def a_shop(site_id: str = "bakkerij-1", **fields: Any) -> NewShop:
    """Return a shop to be created; `fields` are those of `NewShop`, as plain values."""
    return NewShop(site_id=site_id, **{"name": "Bakkerij De Molen", **fields})


def an_order_report(email: str = "anna@example.com", **fields: Any) -> OrderReport:
    """Return an order report, numbered 1001 by default; `fields` are those of `OrderReport`, as plain values."""
    return OrderReport(email=email, **{"order_number": "1001", **fields})

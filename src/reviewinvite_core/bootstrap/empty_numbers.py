"""Log shops that send empty order numbers, once a day each."""

from __future__ import annotations

import threading
from datetime import date, datetime

from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.shop import SiteId

MOST_SHOPS = 10_000  # remembered for a day


class EmptyNumberLog:
    """Logs that a shop sends empty order numbers, once a day in each process. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._day = date.min
        self._shops: set[str] = set()

    def note(self, site_id: SiteId, at: datetime) -> None:
        """Log the shop, unless that was done on the same day (UTC)."""
        with self._lock:
            if self._day != day_of(at):
                self._day = day_of(at)
                self._shops.clear()
            if site_id.text in self._shops or len(self._shops) >= MOST_SHOPS:
                return
            self._shops.add(site_id.text)
        from reviewinvite_core.adapters import log  # slow to import, and rarely needed

        log.note_empty_number(site_id)

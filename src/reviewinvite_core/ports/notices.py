"""Storage of notices: mail that is not an invitation. ADR-57."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.ports.delivery import Deliveries


class Notices(Deliveries[Notice], Protocol):
    """Notices: mail that is not an invitation.

    One is overdue once it has expired, also at the very instant. In doubt are those that were queued by then. A change
    removes the stored content if the notice has none afterwards; neither content nor expiry change otherwise.
    """

    def add(self, notice: Notice) -> None:
        """Store a new notice, whose id is unique."""

    def add_or_renew(self, notice: Notice) -> bool:
        """Store a new notice; one with this id that is not sent yet only expires later. Return False if it has ended.

        Its content stays: whoever delivers it now may have read it.
        """

    def find(self, message_id: str) -> Notice | None:
        """Return the notice with this id, or None."""

    def due(self, now: datetime, limit: int) -> Sequence[Notice]:
        """Return scheduled notices due by `now` that expire later, by priority, then longest due first.

        No other unit of work gets the same notices until this one has ended.
        """

    def is_any_due(self, now: datetime) -> bool:
        """Return whether `due` would return any notice; take none."""

    def of_address(self, address_hash: bytes) -> Sequence[Notice]:
        """Return all notices to an address, oldest first."""

    def forget_content(self, message_id: str) -> bool:
        """Remove the sealed content, whatever the state; return whether there was any."""

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete notices that expired before this instant and are not being handed over; return how many."""

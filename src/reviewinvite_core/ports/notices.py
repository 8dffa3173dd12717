"""Storage of notices: mail that is not an invitation. ADR-57."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.notices import Notice


class Notices(Protocol):
    """Notices: mail that is not an invitation."""

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

    def overdue(self, now: datetime, limit: int) -> Sequence[Notice]:
        """Return scheduled notices that have expired by `now`; no other unit of work gets the same ones, as in `due`.

        Those that expired first come first.
        """

    def abandoned(self, now: datetime, longest: datetime, limit: int) -> Sequence[Notice]:
        """Return claimed or handing-over notices whose lease ended by `now` or ends after `longest`; see `due`.

        No lease ends after `longest` unless the clock was ahead when it began.
        """

    def in_doubt(self, until: datetime | None, limit: int) -> Sequence[Notice]:
        """Return notices claimed or being handed over, and scheduled ones that were queued by `until`.

        If `until` is None, return only those that have passed the fence.
        """

    def of_address(self, address_hash: bytes) -> Sequence[Notice]:
        """Return all notices to an address, oldest first."""

    def change(self, before: Notice, after: Notice) -> bool:
        """Replace `before` by `after` if its state and claim are still those of `before`; return whether it did.

        The stored content is removed if `after` has none, and else does not change. Neither does the expiry.
        """

    def forget_content(self, message_id: str) -> bool:
        """Remove the sealed content, whatever the state; return whether there was any."""

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete notices that expired before this instant and are not being handed over; return how many."""

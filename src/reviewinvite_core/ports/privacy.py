"""Storage of suppressed addresses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.invitation_states import Reason
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression


class Suppressions(Protocol):
    """Addresses to which nothing may be sent."""

    def covers(self, shop_number: int, address_hash: bytes, now: datetime) -> bool:
        """Return whether the address is suppressed for this shop; what has expired does not count."""

    def covered(self, asked: Sequence[tuple[int, bytes]], now: datetime) -> Collection[tuple[int, bytes]]:
        """Return those pairs of a shop's number and an address's hash whose address is suppressed for the shop.

        What has expired does not count.
        """

    def reasons_against(self, asked: Sequence[tuple[int, bytes, bytes]], now: datetime) -> Mapping[int, Reason]:
        """Return why nothing may be sent, by the place in `asked`; those to whom something may are left out.

        `asked` has a shop's number, and the hashes of an address and of its person: the reason is `opted_out` if the
        address is `covered`, else `member` if the person has opened the dashboard as a member of the shop.
        """

    def is_dead(self, address_hash: bytes, now: datetime) -> bool:
        """Return whether the address is suppressed because it has no mailbox."""

    def add(self, suppression: Suppression) -> bool:
        """Store a suppression; return whether there was none.

        An existing one stays as it is, unless `REPLACED_BY` names its origin for that of the new one.
        """

    def remove(
        self, address_hash: bytes, *, shop_number: int | None, by: SuppressedBy | None = None
    ) -> Suppression | None:
        """Remove and return the suppression for one shop, or the one for all shops if `shop_number` is None.

        With `by`, only if that is its origin. One that has expired is removed and returned like any other.
        """

    def of_address(self, address_hash: bytes) -> Sequence[Suppression]:
        """Return all suppressions of an address: the one for all shops first, then by shop."""

    def newest(self, limit: int, now: datetime, before: Bookmark | None = None) -> Sequence[Suppression]:
        """Return up to `limit` suppressions that have not expired, newest first, after the bookmark `before` if given.

        Those of one address at the same microsecond have the same bookmark.
        """

    def sweep(self, now: datetime, limit: int) -> int:
        """Delete up to `limit` suppressions that have expired; return how many."""

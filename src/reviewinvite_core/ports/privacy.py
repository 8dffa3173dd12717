"""Storage of suppressed addresses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from reviewinvite_core.domain.suppressions import Suppression


class Suppressions(Protocol):
    """Addresses to which nothing may be sent."""

    def covers(self, shop_number: int, address_hash: bytes) -> bool:
        """Return whether the address is suppressed for this shop."""

    def covered(self, asked: Sequence[tuple[int, bytes]]) -> Collection[tuple[int, bytes]]:
        """Return those of these pairs (shop number, address hash) whose address is suppressed for the shop."""

    def add(self, suppression: Suppression) -> bool:
        """Store a suppression; return whether it is new.

        An existing one stays as it is, unless the new one is the customer's own request.
        """

    def remove(self, address_hash: bytes, *, shop_number: int | None) -> Suppression | None:
        """Remove and return the suppression for one shop, or the one for all shops if `shop_number` is None."""

    def of_address(self, address_hash: bytes) -> Sequence[Suppression]:
        """Return all suppressions of an address: the one for all shops first, then by shop."""

    def newest(self, limit: int) -> Sequence[Suppression]:
        """Return the newest suppressions, newest first."""

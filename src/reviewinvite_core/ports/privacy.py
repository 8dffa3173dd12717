"""Where suppressed addresses are stored."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from reviewinvite_core.domain.suppressions import Suppression


class Suppressions(Protocol):
    """The addresses that must not be written to."""

    def covers(self, shop_number: int, address_hash: bytes) -> bool:
        """Whether this shop must not write to the address."""

    def covered(self, asked: Sequence[tuple[int, bytes]]) -> Collection[tuple[int, bytes]]:
        """Of these shops' numbers, each with an address's hash, those where the shop must not write to the address."""

    def add(self, suppression: Suppression) -> bool:
        """Store it; whether it is new. One that stands already stays as it is, unless a customer now asks for it."""

    def remove(self, address_hash: bytes, *, shop_number: int | None) -> Suppression | None:
        """Take away what stands for one shop, or for all where `shop_number` is None; gives what stood there."""

    def of_address(self, address_hash: bytes) -> Sequence[Suppression]:
        """All that stand for an address: for all shops first, then by shop."""

    def newest(self, limit: int) -> Sequence[Suppression]:
        """The newest suppressions, the newest first."""

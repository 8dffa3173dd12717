"""Storage of shops."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.shop import NewShop, Shop


class Shops(Protocol):
    """Shops."""

    def add(self, shop: NewShop) -> Shop | None:
        """Store a new, active shop under a unique number and return it, or None if its site id is taken."""

    def by_site_id(self, site_id: str) -> Shop | None:
        """Return the shop with this site id, or None; a malformed id is unknown."""

    def named(self, site_ids: Collection[str]) -> Mapping[str, Shop]:
        """Return a mapping from site id to shop for these site ids; unknown ones are left out."""

    def by_number(self, number: int) -> Shop | None:
        """Return the shop with this number, or None."""

    def by_numbers(self, numbers: Collection[int]) -> Mapping[int, Shop]:
        """Return a mapping from number to shop for these numbers; unknown ones are left out."""

    def every(self) -> Sequence[Shop]:
        """Return all shops, ordered by site id."""

    def change(self, shop: Shop) -> None:
        """Store changes; number, site id, and when the badge or a signature was first seen, never change."""

    def note_badges_seen(self, numbers: Collection[int], at: datetime) -> None:
        """Note that the badges of these shops were first seen at this instant, unless they were seen before."""

    def note_snippets_signed(self, numbers: Collection[int], at: datetime) -> None:
        """Note that the first valid signatures of these shops came at this instant, unless one came before."""

"""Where shops are stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from reviewinvite_core.domain.shop import NewShop, Shop


class Shops(Protocol):
    """The shops."""

    def add(self, shop: NewShop) -> Shop | None:
        """Store a new shop, active, under a number of its own; None if its site id is taken."""

    def by_site_id(self, site_id: str) -> Shop | None:
        """The shop known by this identifier; none by a malformed one."""

    def named(self, site_ids: Collection[str]) -> Mapping[str, Shop]:
        """The shops known by these identifiers, by identifier; unknown ones are left out."""

    def by_number(self, number: int) -> Shop | None:
        """The shop with this number."""

    def every(self) -> Sequence[Shop]:
        """All shops, by site id."""

    def change(self, shop: Shop) -> None:
        """Store what has changed; number and site id never do."""

"""Shops in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.shop import NewShop, Shop


class MemoryShops:
    """Implements `ports.Shops`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._shops: Table[int, Shop] = Table(undo_log)

    def add(self, shop: NewShop) -> Shop | None:
        if self.by_site_id(shop.site_id.text):
            return None
        stored = shop.numbered(len(self._shops.values()) + 1)
        self._shops[stored.number] = stored
        return stored

    def by_site_id(self, site_id: str) -> Shop | None:
        return next((shop for shop in self._shops.values() if shop.site_id.text == site_id), None)

    def named(self, site_ids: Collection[str]) -> Mapping[str, Shop]:
        return {shop.site_id.text: shop for shop in self._shops.values() if shop.site_id.text in site_ids}

    def by_number(self, number: int) -> Shop | None:
        return self._shops.get(number)

    def by_numbers(self, numbers: Collection[int]) -> Mapping[int, Shop]:
        return {shop.number: shop for shop in self._shops.values() if shop.number in numbers}

    def every(self) -> Sequence[Shop]:
        return sorted(self._shops.values(), key=lambda shop: shop.site_id.text)

    def change(self, shop: Shop) -> None:
        stored = self._shops.get(shop.number)
        self._shops[shop.number] = attrs.evolve(
            shop,
            badge_seen_at=stored.badge_seen_at if stored else None,
            snippet_signed_at=stored.snippet_signed_at if stored else None,
        )

    def note_badges_seen(self, numbers: Collection[int], at: datetime) -> None:
        for shop in self.by_numbers(numbers).values():
            if shop.badge_seen_at is None:
                self._shops[shop.number] = attrs.evolve(shop, badge_seen_at=at)

    def note_snippets_signed(self, numbers: Collection[int], at: datetime) -> None:
        for shop in self.by_numbers(numbers).values():
            if shop.snippet_signed_at is None:
                self._shops[shop.number] = attrs.evolve(shop, snippet_signed_at=at)

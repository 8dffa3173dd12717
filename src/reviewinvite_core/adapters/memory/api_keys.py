"""API keys in memory: hashes only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.memory.shops import MemoryShops
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.shop import Shop


class MemoryApiKeys:
    """Implements `ports.ApiKeys`."""

    def __init__(self, undo_log: UndoLog, shops: MemoryShops) -> None:
        self._keys: Table[str, ApiKey] = Table(undo_log)
        self._shops = shops

    def add(self, key: ApiKey) -> None:
        self._keys[key.key_id] = key

    def holders(self, key_hashes: Sequence[bytes]) -> Mapping[bytes, tuple[ApiKey, Shop]]:
        found = ((key, self._shops.by_number(key.shop_number)) for key in self._keys.values() if key.hash in key_hashes)
        return {key.hash: (key, shop) for key, shop in found if shop}

    def by_id(self, key_id: str) -> ApiKey | None:
        return self._keys.get(key_id)

    def of_shop(self, shop_number: int) -> Sequence[ApiKey]:
        keys = (key for key in self._keys.values() if key.shop_number == shop_number)
        return sorted(keys, key=lambda key: (key.created_at, key.key_id))

    def revoke(self, key_id: str, at: datetime) -> None:
        key = self._keys.get(key_id)
        if key and key.revoked_at is None:
            self._keys[key_id] = attrs.evolve(key, revoked_at=at)

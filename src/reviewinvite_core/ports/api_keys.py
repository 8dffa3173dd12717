"""Storage of API keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.shop import Shop


class ApiKeys(Protocol):
    """API keys, stored as hashes."""

    def add(self, key: ApiKey) -> None:
        """Store a new key."""

    def holders(self, key_hashes: Sequence[bytes]) -> Mapping[bytes, tuple[ApiKey, Shop]]:
        """Return the keys with these hashes, revoked or not, and their shops, by hash; unknown hashes are left out."""

    def by_id(self, key_id: str) -> ApiKey | None:
        """Return the key with this id, or None."""

    def of_shop(self, shop_number: int) -> Sequence[ApiKey]:
        """Return a shop's keys, oldest first."""

    def revoke(self, key_id: str, at: datetime) -> None:
        """Mark a key as revoked at this instant; a key that is already revoked keeps its instant."""

"""Where API keys are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.shop import Shop


class ApiKeys(Protocol):
    """The API keys, as hashes."""

    def add(self, key: ApiKey) -> None:
        """Store a new key."""

    def holders(self, key_hashes: Sequence[bytes]) -> Mapping[bytes, tuple[ApiKey, Shop]]:
        """The keys with these hashes, revoked or not, and their shops, by hash; unknown ones are left out."""

    def by_id(self, key_id: str) -> ApiKey | None:
        """The key with this id."""

    def of_shop(self, shop_number: int) -> Sequence[ApiKey]:
        """A shop's keys, the oldest first."""

    def revoke(self, key_id: str, at: datetime) -> None:
        """Mark a key as revoked at this instant; one that is revoked already keeps its own."""

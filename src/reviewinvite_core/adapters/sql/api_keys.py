"""API keys as rows: hashes only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

import attrs

from reviewinvite_core.adapters.sql import shops
from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.rows import instant_or_none, rows_for
from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

FIELDS = ("key_id", "shop", "hash", "last_four", "label", "created_at", "revoked_at")
COLUMNS = ", ".join(FIELDS)
_WIDTH = 7

_ADD = f"""
INSERT INTO api_keys ({COLUMNS})
VALUES (:key_id, :shop, :hash, :last_four, :label, :created_at, :revoked_at)
"""
_HOLDERS = f"""
SELECT {COLUMNS}, {shops.COLUMNS} FROM api_keys JOIN shops ON shops.number = api_keys.shop
WHERE hash IN ({{rows}})
"""
_BY_ID = f"SELECT {COLUMNS} FROM api_keys WHERE key_id = :key_id"
_OF_SHOP = f"""
SELECT {COLUMNS} FROM api_keys WHERE shop = :shop ORDER BY created_at, key_id
"""
_REVOKE = "UPDATE api_keys SET revoked_at = :at WHERE key_id = :key_id AND revoked_at IS NULL"


@attrs.frozen
class SqlApiKeys:
    """Implements `ports.ApiKeys`."""

    _connection: Connection

    def add(self, key: ApiKey) -> None:
        self._connection.execute(
            _ADD,
            {
                "key_id": key.key_id,
                "shop": key.shop_number,
                "hash": key.hash,
                "last_four": key.last_four,
                "label": key.label,
                "created_at": to_microseconds(key.created_at),
                "revoked_at": key.revoked_at and to_microseconds(key.revoked_at),
            },
        )

    def holders(self, key_hashes: Sequence[bytes]) -> Mapping[bytes, tuple[ApiKey, Shop]]:
        found = {}
        for row in rows_for(self._connection, _HOLDERS, ":hash_#", [{"hash": key_hash} for key_hash in key_hashes]):
            key = key_from(row[:_WIDTH])
            found[key.hash] = (key, shops.shop_from(row[_WIDTH:]))
        return found

    def by_id(self, key_id: str) -> ApiKey | None:
        if not key_id.isprintable():  # no key has such an id, and a query cannot contain NUL or a lone surrogate
            return None
        row = self._connection.execute(_BY_ID, {"key_id": key_id}).fetchone()
        return key_from(row) if row else None

    def of_shop(self, shop_number: int) -> Sequence[ApiKey]:
        return [key_from(row) for row in self._connection.execute(_OF_SHOP, {"shop": shop_number}).fetchall()]

    def revoke(self, key_id: str, at: datetime) -> None:
        if key_id.isprintable():
            self._connection.execute(_REVOKE, {"key_id": key_id, "at": to_microseconds(at)})


@lru_cache(maxsize=4096)
def key_from(row: tuple[Any, ...]) -> ApiKey:
    key_id, shop_number, key_hash, last_four, label, created_at, revoked_at = row
    return ApiKey(
        key_id=key_id,
        shop_number=shop_number,
        hash=key_hash,
        last_four=last_four,
        label=label,
        created_at=from_microseconds(created_at),
        revoked_at=instant_or_none(revoked_at),
    )

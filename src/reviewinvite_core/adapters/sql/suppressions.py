"""Suppressed addresses as rows: one table for single shops, one for all shops."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.adapters.sql.rows import ASKED_ADDRESS_ROW, chunks, expand_values, flatten_params
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_COVERS = """
SELECT 1 FROM suppressions WHERE shop = :shop AND address_hash = :address_hash
UNION ALL
SELECT 1 FROM suppressions_everywhere WHERE address_hash = :address_hash
"""
_COVERED = """
WITH asked (place, shop, address_hash) AS (VALUES {rows})
SELECT place FROM asked
WHERE EXISTS (SELECT 1 FROM suppressions AS one WHERE one.shop = asked.shop AND one.address_hash = asked.address_hash)
   OR EXISTS (SELECT 1 FROM suppressions_everywhere AS one WHERE one.address_hash = asked.address_hash)
"""
_ADD = """
INSERT INTO suppressions (shop, address_hash, origin, suppressed_at)
VALUES (:shop, :address_hash, :origin, :suppressed_at) ON CONFLICT (shop, address_hash) DO NOTHING
"""
_ADD_EVERYWHERE = """
INSERT INTO suppressions_everywhere (address_hash, origin, suppressed_at)
VALUES (:address_hash, :origin, :suppressed_at) ON CONFLICT (address_hash) DO NOTHING
"""
_BECOME = "origin = :origin, suppressed_at = :suppressed_at WHERE address_hash = :address_hash AND origin = :before"
_TAKE_OVER = f"UPDATE suppressions SET {_BECOME} AND shop = :shop"
_TAKE_OVER_EVERYWHERE = f"UPDATE suppressions_everywhere SET {_BECOME}"
_COLUMNS = "address_hash, origin, suppressed_at"
_REMOVE = f"DELETE FROM suppressions WHERE shop = :shop AND address_hash = :address_hash RETURNING shop, {_COLUMNS}"
_REMOVE_EVERYWHERE = f"""
DELETE FROM suppressions_everywhere WHERE address_hash = :address_hash RETURNING 0, {_COLUMNS}
"""
# One query per shop, so that the key is used even if the table is distributed over machines by shop.
_OF_ADDRESS = f"""
SELECT 0 AS shop, {_COLUMNS} FROM suppressions_everywhere WHERE address_hash = :address_hash
UNION ALL
SELECT shop, {_COLUMNS} FROM suppressions
WHERE shop IN (SELECT number FROM shops) AND address_hash = :address_hash
ORDER BY shop
"""
_NEWEST = f"""
SELECT 0 AS shop, {_COLUMNS} FROM suppressions_everywhere
UNION ALL
SELECT shop, {_COLUMNS} FROM suppressions
ORDER BY suppressed_at DESC, address_hash DESC LIMIT :most
"""


@attrs.frozen
class SqlSuppressions:
    """Implements `ports.Suppressions`."""

    _connection: Connection

    def covers(self, shop_number: int, address_hash: bytes) -> bool:
        asked = {"shop": shop_number, "address_hash": address_hash}
        return self._connection.execute(_COVERS, asked).fetchone() is not None

    def covered(self, asked: Sequence[tuple[int, bytes]]) -> Collection[tuple[int, bytes]]:
        found: set[tuple[int, bytes]] = set()
        for portion in chunks(asked):
            statement = expand_values(_COVERED, ASKED_ADDRESS_ROW, len(portion))
            parameters = flatten_params([{"shop": shop, "address_hash": hashed} for shop, hashed in portion])
            found.update(portion[place] for (place,) in self._connection.execute(statement, parameters).fetchall())
        return found

    def add(self, suppression: Suppression) -> bool:
        everywhere = suppression.shop_number is None
        new = {
            "shop": suppression.shop_number,
            "address_hash": suppression.address_hash,
            "origin": suppression.by.value,
            "suppressed_at": to_microseconds(suppression.suppressed_at),
        }
        if self._connection.execute(_ADD_EVERYWHERE if everywhere else _ADD, new).rowcount:
            return True
        if suppression.by is SuppressedBy.CUSTOMER:
            statement = _TAKE_OVER_EVERYWHERE if everywhere else _TAKE_OVER
            self._connection.execute(statement, {**new, "before": SuppressedBy.OPERATOR.value})
        return False

    def remove(self, address_hash: bytes, *, shop_number: int | None) -> Suppression | None:
        statement = _REMOVE_EVERYWHERE if shop_number is None else _REMOVE
        rows = self._connection.execute(statement, {"shop": shop_number, "address_hash": address_hash}).fetchall()
        return suppression_from(rows[0]) if rows else None

    def of_address(self, address_hash: bytes) -> Sequence[Suppression]:
        rows = self._connection.execute(_OF_ADDRESS, {"address_hash": address_hash}).fetchall()
        return [suppression_from(row) for row in rows]

    def newest(self, limit: int) -> Sequence[Suppression]:
        return [suppression_from(row) for row in self._connection.execute(_NEWEST, {"most": limit}).fetchall()]


def suppression_from(row: Row) -> Suppression:
    shop, address_hash, origin, suppressed_at = row
    return Suppression(
        address_hash=address_hash,
        shop_number=shop or None,
        by=SuppressedBy(origin),
        suppressed_at=from_microseconds(suppressed_at),
    )

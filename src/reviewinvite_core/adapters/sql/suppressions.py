"""Suppressed addresses as rows: one table for single shops, one for all shops."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.adapters.sql.rows import ASKED_ADDRESS_ROW, ASKED_PERSON_ROW, instant_or_none, placed_rows_for
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.identifiers import id_bytes
from reviewinvite_core.domain.invitation_states import Reason
from reviewinvite_core.domain.suppressions import REPLACED_BY, SuppressedBy, Suppression
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_COVERS = """
SELECT 1 FROM suppressions WHERE shop = :shop AND address_hash = :address_hash
UNION ALL
SELECT 1 FROM suppressions_everywhere
WHERE address_hash = :address_hash AND (expires_at IS NULL OR expires_at > :now)
"""
_IS_DEAD = """
SELECT 1 FROM suppressions_everywhere
WHERE address_hash = :address_hash AND origin = :origin AND expires_at > :now
"""
_IS_COVERED = """
(
    EXISTS (SELECT 1 FROM suppressions AS one WHERE one.shop = asked.shop AND one.address_hash = asked.address_hash)
    OR EXISTS (
        SELECT 1 FROM suppressions_everywhere AS one
        WHERE one.address_hash = asked.address_hash AND (one.expires_at IS NULL OR one.expires_at > :now)
    )
)
"""
_COVERED = f"""
WITH asked (place, shop, address_hash) AS (VALUES {{rows}})
SELECT place FROM asked WHERE {_IS_COVERED}
"""
_REASONS = f"""
WITH asked (place, shop, address_hash, person_hash) AS (VALUES {{rows}})
SELECT place, {_IS_COVERED} FROM asked WHERE {_IS_COVERED} OR EXISTS (
    SELECT 1 FROM memberships AS one WHERE one.shop = asked.shop AND one.opened_as = asked.person_hash
)
"""
_ADD = """
INSERT INTO suppressions (shop, address_hash, origin, suppressed_at)
VALUES (:shop, :address_hash, :origin, :suppressed_at) ON CONFLICT (shop, address_hash) DO NOTHING
"""
_ADD_EVERYWHERE = """
INSERT INTO suppressions_everywhere (address_hash, origin, suppressed_at, expires_at)
VALUES (:address_hash, :origin, :suppressed_at, :expires_at) ON CONFLICT (address_hash) DO NOTHING
"""
_TAKE_OVER = """
UPDATE suppressions SET origin = :origin, suppressed_at = :suppressed_at
WHERE shop = :shop AND address_hash = :address_hash AND origin = :before
"""
_TAKE_OVER_EVERYWHERE = """
UPDATE suppressions_everywhere SET origin = :origin, suppressed_at = :suppressed_at, expires_at = :expires_at
WHERE address_hash = :address_hash AND origin = :before
"""
_OF_ONE = "shop, address_hash, origin, suppressed_at, CAST(NULL AS BIGINT) AS expires_at"
_OF_ALL = "0 AS shop, address_hash, origin, suppressed_at, expires_at"
_HAS_ORIGIN = "(CAST(:origin AS TEXT) IS NULL OR origin = :origin)"
_REMOVE = f"""
DELETE FROM suppressions WHERE shop = :shop AND address_hash = :address_hash AND {_HAS_ORIGIN} RETURNING {_OF_ONE}
"""
_REMOVE_EVERYWHERE = f"""
DELETE FROM suppressions_everywhere WHERE address_hash = :address_hash AND {_HAS_ORIGIN} RETURNING {_OF_ALL}
"""
# One query per shop, so that the key is used even if the table is distributed over machines by shop.
_OF_ADDRESS = f"""
SELECT {_OF_ALL} FROM suppressions_everywhere WHERE address_hash = :address_hash
UNION ALL
SELECT {_OF_ONE} FROM suppressions
WHERE shop IN (SELECT number FROM shops) AND address_hash = :address_hash
ORDER BY shop
"""
_NEWEST = f"""
SELECT {_OF_ALL} FROM suppressions_everywhere
WHERE (expires_at IS NULL OR expires_at > :now) AND (suppressed_at, address_hash) < (:before_at, :before_hash)
UNION ALL
SELECT {_OF_ONE} FROM suppressions WHERE (suppressed_at, address_hash) < (:before_at, :before_hash)
ORDER BY suppressed_at DESC, address_hash DESC LIMIT :most
"""
_NEVER = 2**62  # after every suppression
_SWEEP = """
DELETE FROM suppressions_everywhere WHERE address_hash IN (
    SELECT address_hash FROM suppressions_everywhere WHERE expires_at <= :now LIMIT :most
)
"""


@attrs.frozen
class SqlSuppressions:
    """Implements `ports.Suppressions`."""

    _connection: Connection

    def covers(self, shop_number: int, address_hash: bytes, now: datetime) -> bool:
        asked = {"shop": shop_number, "address_hash": address_hash, "now": to_microseconds(now)}
        return self._connection.execute(_COVERS, asked).fetchone() is not None

    def is_dead(self, address_hash: bytes, now: datetime) -> bool:
        asked = {"address_hash": address_hash, "origin": SuppressedBy.BOUNCE.value, "now": to_microseconds(now)}
        return self._connection.execute(_IS_DEAD, asked).fetchone() is not None

    def covered(self, asked: Sequence[tuple[int, bytes]], now: datetime) -> Collection[tuple[int, bytes]]:
        rows = [{"shop": shop, "address_hash": hashed} for shop, hashed in asked]
        found = placed_rows_for(self._connection, _COVERED, ASKED_ADDRESS_ROW, rows, now=to_microseconds(now))
        return {asked[place] for (place,) in found}

    def reasons_against(self, asked: Sequence[tuple[int, bytes, bytes]], now: datetime) -> Mapping[int, Reason]:
        rows = [
            {"shop": shop, "address_hash": address_hash, "person_hash": person_hash}
            for shop, address_hash, person_hash in asked
        ]
        found = placed_rows_for(self._connection, _REASONS, ASKED_PERSON_ROW, rows, now=to_microseconds(now))
        return {place: Reason.OPTED_OUT if covered else Reason.MEMBER for place, covered in found}

    def add(self, suppression: Suppression) -> bool:
        everywhere = suppression.shop_number is None
        new = {
            "shop": suppression.shop_number,
            "address_hash": suppression.address_hash,
            "origin": suppression.by.value,
            "suppressed_at": to_microseconds(suppression.suppressed_at),
            "expires_at": suppression.expires_at and to_microseconds(suppression.expires_at),
        }
        if self._connection.execute(_ADD_EVERYWHERE if everywhere else _ADD, new).rowcount:
            return True
        for before in REPLACED_BY[suppression.by]:
            statement = _TAKE_OVER_EVERYWHERE if everywhere else _TAKE_OVER
            self._connection.execute(statement, {**new, "before": before.value})
        return False

    def remove(
        self, address_hash: bytes, *, shop_number: int | None, by: SuppressedBy | None = None
    ) -> Suppression | None:
        statement = _REMOVE_EVERYWHERE if shop_number is None else _REMOVE
        asked = {"shop": shop_number, "address_hash": address_hash, "origin": by.value if by else None}
        rows = self._connection.execute(statement, asked).fetchall()
        return suppression_from(rows[0]) if rows else None

    def of_address(self, address_hash: bytes) -> Sequence[Suppression]:
        rows = self._connection.execute(_OF_ADDRESS, {"address_hash": address_hash}).fetchall()
        return [suppression_from(row) for row in rows]

    def newest(self, limit: int, now: datetime, before: Bookmark | None = None) -> Sequence[Suppression]:
        asked = {
            "most": limit,
            "now": to_microseconds(now),
            "before_at": to_microseconds(before.at) if before else _NEVER,
            "before_hash": id_bytes(before.review_id) if before else b"",
        }
        return [suppression_from(row) for row in self._connection.execute(_NEWEST, asked).fetchall()]

    def sweep(self, now: datetime, limit: int) -> int:
        return self._connection.execute(_SWEEP, {"now": to_microseconds(now), "most": limit}).rowcount


def suppression_from(row: Row) -> Suppression:
    shop, address_hash, origin, suppressed_at, expires_at = row
    return Suppression(
        address_hash=address_hash,
        shop_number=shop or None,
        by=SuppressedBy(origin),
        suppressed_at=from_microseconds(suppressed_at),
        expires_at=instant_or_none(expires_at),
    )

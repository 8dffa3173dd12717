"""Members of shops as rows: sealed addresses, keyed hashes and roles."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql import shops
from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.adapters.sql.rows import instant_or_none, microseconds_or_null, rows_for
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.members import Member, Membership, Role
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

FIELDS = ("member_id", "address_hash", "sealed_address", "language", "created_at", "signed_in_at", "left_at")
COLUMNS = ", ".join(f"members.{field}" for field in FIELDS)
MEMBERSHIP_FIELDS = ("shop", "member_id", "role", "opened_as")
_MEMBERSHIP_COLUMNS = ", ".join(f"memberships.{field}" for field in MEMBERSHIP_FIELDS)

_ADD = f"""
INSERT INTO members ({", ".join(FIELDS)})
VALUES (:member_id, :address_hash, :sealed_address, :language, :created_at, :signed_in_at, :left_at)
"""
_CHANGE = """
UPDATE members SET language = :language, signed_in_at = :signed_in_at, left_at = :left_at WHERE member_id = :member_id
"""
_REMOVE = (
    "DELETE FROM sign_in_links WHERE member_id = :member_id",
    "DELETE FROM sessions WHERE member_id = :member_id",
    "DELETE FROM members WHERE member_id = :member_id",
)
_BY_IDS = f"SELECT {COLUMNS} FROM members WHERE member_id IN ({{rows}})"
_BY_ADDRESS = f"SELECT {COLUMNS} FROM members WHERE address_hash = :address_hash"
_OF_SHOP = f"""
SELECT {COLUMNS}, memberships.role FROM memberships JOIN members ON members.member_id = memberships.member_id
WHERE memberships.shop = :shop ORDER BY members.created_at, members.member_id
"""
_SHOPS_OF = f"""
SELECT {_MEMBERSHIP_COLUMNS}, {shops.COLUMNS} FROM memberships JOIN shops ON shops.number = memberships.shop
WHERE memberships.member_id = :member_id
"""
_ROLE_OF = "SELECT role FROM memberships WHERE shop = :shop AND member_id = :member_id"
_JOIN = """
INSERT INTO memberships (shop, member_id, role) VALUES (:shop, :member_id, :role)
ON CONFLICT (shop, member_id) DO UPDATE SET role = excluded.role
"""
_OPEN = """
UPDATE memberships SET opened_as = :opened_as
WHERE shop = :shop AND member_id = :member_id AND opened_as IS NULL
"""
_LEAVE = "DELETE FROM memberships WHERE shop = :shop AND member_id = :member_id"
_GONE = "SELECT member_id FROM members WHERE left_at < :left_before ORDER BY left_at LIMIT :most"


@attrs.frozen
class SqlMembers:
    """Implements `ports.Members`."""

    _connection: Connection

    def add(self, member: Member) -> None:
        self._connection.execute(_ADD, _parameters(member))

    def change(self, member: Member) -> None:
        self._connection.execute(_CHANGE, _parameters(member))

    def remove(self, member_id: str) -> None:
        for statement in _REMOVE:
            self._connection.execute(statement, {"member_id": member_id})

    def by_ids(self, member_ids: Collection[str]) -> Mapping[str, Member]:
        asked = [{"member_id": each} for each in member_ids if each.isprintable()]
        found = map(member_from, rows_for(self._connection, _BY_IDS, ":member_id_#", asked))
        return {member.member_id: member for member in found}

    def by_address(self, address_hash: bytes) -> Member | None:
        row = self._connection.execute(_BY_ADDRESS, {"address_hash": address_hash}).fetchone()
        return member_from(row) if row else None

    def of_shop(self, shop_number: int) -> Sequence[tuple[Member, Role]]:
        rows = self._connection.execute(_OF_SHOP, {"shop": shop_number}).fetchall()
        return [(member_from(row[:-1]), Role(row[-1])) for row in rows]

    def shops_of(self, member_id: str) -> Sequence[tuple[Shop, Membership]]:
        width = len(MEMBERSHIP_FIELDS)
        rows = self._connection.execute(_SHOPS_OF, {"member_id": member_id}).fetchall()
        found = [(shops.shop_from(tuple(row[width:])), membership_from(row[:width])) for row in rows]
        return sorted(found, key=lambda each: each[0].site_id.text)  # databases order by their locale

    def role_of(self, shop_number: int, member_id: str) -> Role | None:
        row = self._connection.execute(_ROLE_OF, {"shop": shop_number, "member_id": member_id}).fetchone()
        return Role(row[0]) if row else None

    def join(self, membership: Membership) -> None:
        new = {"shop": membership.shop_number, "member_id": membership.member_id, "role": membership.role.value}
        self._connection.execute(_JOIN, new)

    def open(self, shop_number: int, member_id: str, person_hash: bytes) -> None:
        opened = {"shop": shop_number, "member_id": member_id, "opened_as": person_hash}
        self._connection.execute(_OPEN, opened)

    def leave(self, shop_number: int, member_id: str) -> bool:
        if not member_id.isprintable():  # no member has such an id, and a query cannot contain NUL or a lone surrogate
            return False
        return self._connection.execute(_LEAVE, {"shop": shop_number, "member_id": member_id}).rowcount > 0

    def sweep(self, left_before: datetime, limit: int) -> int:
        asked = {"left_before": to_microseconds(left_before), "most": limit}
        gone = [member_id for (member_id,) in self._connection.execute(_GONE, asked).fetchall()]
        for member_id in gone:
            self.remove(member_id)
        return len(gone)


def _parameters(member: Member) -> dict[str, object]:
    return {
        "member_id": member.member_id,
        "address_hash": member.address_hash,
        "sealed_address": member.sealed_address,
        "language": member.language.value,
        "created_at": to_microseconds(member.created_at),
        "signed_in_at": microseconds_or_null(member.signed_in_at),
        "left_at": microseconds_or_null(member.left_at),
    }


def member_from(row: Row) -> Member:
    member_id, address_hash, sealed_address, language, created_at, signed_in_at, left_at = row
    return Member(
        member_id=member_id,
        address_hash=bytes(address_hash),
        sealed_address=bytes(sealed_address),
        language=Language(language),
        created_at=from_microseconds(created_at),
        signed_in_at=instant_or_none(signed_in_at),
        left_at=instant_or_none(left_at),
    )


def membership_from(row: Row) -> Membership:
    shop, member_id, role, opened_as = row
    return Membership(
        shop_number=shop, member_id=member_id, role=Role(role), opened_as=bytes(opened_as) if opened_as else None
    )

"""Storage of members, and of their roles at shops."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from reviewinvite_core.domain.members import Member, Membership, Role
from reviewinvite_core.domain.shop import Shop


class Members(Protocol):
    """The people who may act for shops, one row each, and their roles at shops."""

    def add(self, member: Member) -> None:
        """Store a new member; no other has the same address."""

    def change(self, member: Member) -> None:
        """Store changes; id, address and `created_at` never change."""

    def remove(self, member_id: str) -> None:
        """Delete a member, who has no membership, with sign-in links and sessions."""

    def by_ids(self, member_ids: Collection[str]) -> Mapping[str, Member]:
        """Return the members with these ids, by id; unknown ids are left out."""

    def by_address(self, address_hash: bytes) -> Member | None:
        """Return the member with this address, or None."""

    def of_shop(self, shop_number: int) -> Sequence[tuple[Member, Role]]:
        """Return a shop's members and their roles, the member that was created first first."""

    def shops_of(self, member_id: str) -> Sequence[tuple[Shop, Membership]]:
        """Return the shops of a member and the membership of each, ordered by site id."""

    def role_of(self, shop_number: int, member_id: str) -> Role | None:
        """Return a member's role at a shop, or None."""

    def join(self, membership: Membership) -> None:
        """Store a membership, or its new role; that it was opened is stored by `open` only."""

    def open(self, shop_number: int, member_id: str, person_hash: bytes) -> None:
        """Store who has opened the shop's dashboard, if there is such a membership and nobody has; then it stays."""

    def leave(self, shop_number: int, member_id: str) -> bool:
        """Delete a membership; return whether there was one."""

    def sweep(self, left_before: datetime, limit: int) -> int:
        """Delete up to `limit` members who left before this instant; return how many."""

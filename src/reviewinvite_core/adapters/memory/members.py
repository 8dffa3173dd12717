"""Members of shops in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.memory.shops import MemoryShops
from reviewinvite_core.adapters.memory.sign_in import MemorySessions, MemorySignInLinks
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.members import Member, Membership, Role
from reviewinvite_core.domain.shop import Shop


class MemoryMembers:
    """Implements `ports.Members`."""

    def __init__(
        self, undo_log: UndoLog, shops: MemoryShops, links: MemorySignInLinks, sessions: MemorySessions
    ) -> None:
        self._members: Table[str, Member] = Table(undo_log)
        self._memberships: Table[tuple[int, str], Membership] = Table(undo_log)
        self._shops = shops
        self._links = links
        self._sessions = sessions

    def add(self, member: Member) -> None:
        if self.by_address(member.address_hash):
            raise ValueError("another member has this address")
        self._members[member.member_id] = member

    def change(self, member: Member) -> None:
        self._members[member.member_id] = member

    def remove(self, member_id: str) -> None:
        self._links.withdraw(member_id)
        self._sessions.remove_all(member_id)
        self._members.pop(member_id)

    def by_ids(self, member_ids: Collection[str]) -> Mapping[str, Member]:
        return {member.member_id: member for member in self._members.values() if member.member_id in member_ids}

    def by_address(self, address_hash: bytes) -> Member | None:
        return next((member for member in self._members.values() if member.address_hash == address_hash), None)

    def of_shop(self, shop_number: int) -> Sequence[tuple[Member, Role]]:
        roles = {each.member_id: each.role for each in self._memberships.values() if each.shop_number == shop_number}
        members = sorted(self.by_ids(roles).values(), key=lambda member: (member.created_at, member.member_id))
        return [(member, roles[member.member_id]) for member in members]

    def shops_of(self, member_id: str) -> Sequence[tuple[Shop, Membership]]:
        held = {each.shop_number: each for each in self._memberships.values() if each.member_id == member_id}
        shops = sorted(self._shops.by_numbers(held).values(), key=lambda shop: shop.site_id.text)
        return [(shop, held[shop.number]) for shop in shops]

    def role_of(self, shop_number: int, member_id: str) -> Role | None:
        membership = self._memberships.get((shop_number, member_id))
        return membership.role if membership else None

    def join(self, membership: Membership) -> None:
        key = (membership.shop_number, membership.member_id)
        held = self._memberships.get(key)
        self._memberships[key] = attrs.evolve(membership, opened_as=held.opened_as if held else None)

    def open(self, shop_number: int, member_id: str, person_hash: bytes) -> None:
        held = self._memberships.get((shop_number, member_id))
        if held and held.opened_as is None:
            self._memberships[shop_number, member_id] = attrs.evolve(held, opened_as=person_hash)

    def has_opened(self, shop_number: int, person_hash: bytes) -> bool:
        """Return whether this person has opened the dashboard as a member of the shop."""
        return any(
            each.shop_number == shop_number and each.opened_as == person_hash for each in self._memberships.values()
        )

    def leave(self, shop_number: int, member_id: str) -> bool:
        return self._memberships.pop((shop_number, member_id)) is not None

    def sweep(self, left_before: datetime, limit: int) -> int:
        gone = [member for member in self._members.values() if member.left_at and member.left_at < left_before]
        for member in gone[:limit]:
            self.remove(member.member_id)
        return len(gone[:limit])

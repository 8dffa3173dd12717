"""Members of shops, and how they sign in, in memory: only hashes of the secrets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.memory.delivery import MemoryNotices
from reviewinvite_core.adapters.memory.shops import MemoryShops
from reviewinvite_core.adapters.memory.undo_log import Table, UndoLog
from reviewinvite_core.domain.members import Member, Membership, Role
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.sign_in import LinkKind, MailedLink, Session, SignInLink


class MemorySignInLinks:
    """Implements `ports.SignInLinks`."""

    def __init__(self, undo_log: UndoLog, notices: MemoryNotices) -> None:
        self._links: Table[bytes, SignInLink] = Table(undo_log)
        self._notices = notices

    def put(self, link: SignInLink) -> None:
        stored = self._links.get(link.hash) or link
        self._links[link.hash] = attrs.evolve(stored, made_at=link.made_at, expires_at=link.expires_at)

    def find(self, link_hash: bytes) -> SignInLink | None:
        return self._links.get(link_hash)

    def use(self, link_hash: bytes, at: datetime) -> bool:
        link = self._links.get(link_hash)
        if link is None or link.used_at is not None:
            return False
        self._links[link_hash] = attrs.evolve(link, used_at=at)
        return True

    def asked_for(self, member_id: str | None, after: datetime, until: datetime) -> Sequence[MailedLink]:
        requested = (link for link in self._links.values() if link.kind is LinkKind.REQUESTED)
        own = [link for link in requested if link.member_id == member_id and after < link.made_at <= until]
        mails = [(link, self._notices.find(link.message_id or "")) for link in own if member_id is not None]
        mailed = [MailedLink(link, mail.state, mail.changed_at) for link, mail in mails if mail]
        return sorted(mailed, key=lambda each: (each.link.made_at, each.link.hash))

    def count_of_client(self, client_hash: bytes, after: datetime, until: datetime) -> int:
        made = (link.made_at for link in self._links.values() if link.client_hash == client_hash)
        return sum(after < at <= until for at in made)

    def withdraw(self, member_id: str) -> int:
        withdrawn = [link.hash for link in self._links.values() if link.member_id == member_id]
        for link_hash in withdrawn:
            self._links.pop(link_hash)
        return len(withdrawn)

    def withdraw_everyones(self) -> int:
        links = self._links.values()
        for link in links:
            self._links.pop(link.hash)
        return len(links)

    def sweep(self, expired_before: datetime, limit: int) -> int:
        expired = [link.hash for link in self._links.values() if link.expires_at < expired_before][:limit]
        for link_hash in expired:
            self._links.pop(link_hash)
        return len(expired)


class MemorySessions:
    """Implements `ports.Sessions`."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._sessions: Table[bytes, Session] = Table(undo_log)

    def add(self, session: Session) -> None:
        self._sessions[session.hash] = session

    def find(self, session_hash: bytes) -> Session | None:
        return self._sessions.get(session_hash)

    def of_member(self, member_id: str) -> Sequence[Session]:
        by_hash = sorted(self._sessions.values(), key=lambda session: session.hash)
        own = [session for session in by_hash if session.member_id == member_id]
        return sorted(own, key=lambda session: session.signed_in_at, reverse=True)

    def note_seen(self, session_hash: bytes, at: datetime) -> None:
        session = self._sessions.get(session_hash)
        if session:
            self._sessions[session_hash] = attrs.evolve(session, last_seen_at=at)

    def end(self, session_hash: bytes, at: datetime) -> bool:
        session = self._sessions.get(session_hash)
        if session is None or session.ended_at is not None:
            return False
        self._sessions[session_hash] = attrs.evolve(session, ended_at=at)
        return True

    def end_everyones(self, at: datetime) -> int:
        return sum(self.end(session.hash, at) for session in self._sessions.values())

    def remove_all(self, member_id: str) -> int:
        own = self.of_member(member_id)
        for session in own:
            self._sessions.pop(session.hash)
        return len(own)

    def sweep(self, signed_in_before: datetime, limit: int) -> int:
        old = [each.hash for each in self._sessions.values() if each.signed_in_at < signed_in_before][:limit]
        for session_hash in old:
            self._sessions.pop(session_hash)
        return len(old)


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

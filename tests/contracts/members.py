"""Contract tests for the storage of members and their roles at shops."""

from __future__ import annotations

from datetime import timedelta

import attrs
import pytest
from tests.builders import a_member, a_session, a_sign_in_link, added, an_address_hash

from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.members import Member, Membership, Role
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.sign_in import Session, SignInLink
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

HOUR = timedelta(hours=1)
HOSTILE_IDS = ("", "mem_1\0", "mem_%", "' OR 1=1 --", "\udc80", "x" * 9999)


def keep(storage: Storage, *members: Member) -> None:
    """Store these members."""

    def unit(store: Store) -> None:
        for member in members:
            store.members.add(member)

    storage.run(unit)


def keep_sign_ins(storage: Storage, link: SignInLink, session: Session) -> None:
    """Store a link and a session."""

    def unit(store: Store) -> None:
        store.sign_in_links.put(link)
        store.sessions.add(session)

    storage.run(unit)


def join(storage: Storage, shop: Shop, member: Member, role: Role = Role.STAFF) -> None:
    """Store the membership, and the member if new."""
    membership = Membership(member_id=member.member_id, shop_number=shop.number, role=role)

    def unit(store: Store) -> None:
        if not store.members.by_ids([member.member_id]):
            store.members.add(member)
        store.members.join(membership)

    storage.run(unit)


def by_id(storage: Storage, member_id: str) -> Member | None:
    """Return the member with this id, as stored."""
    return storage.read(lambda store: store.members.by_ids([member_id])).get(member_id)


class MembersContract:
    """Part of `StorageContract`: members."""

    def test_a_member_is_found_by_id_and_address_as_it_was_added(self, storage: Storage) -> None:
        member = a_member(language=Language.EN, signed_in_at=NOON + HOUR, left_at=NOON + 2 * HOUR)
        others = [a_member("mem_2"), a_member("mem_3")]
        keep(storage, member, *others)
        assert by_id(storage, "mem_1") == member
        assert storage.read(lambda store: store.members.by_address(member.address_hash)) == member
        assert storage.read(lambda store: store.members.by_address(an_address_hash("nobody"))) is None
        found = storage.read(lambda store: store.members.by_ids(["mem_1", "mem_3", "mem_9"]))
        assert found == {"mem_1": member, "mem_3": others[1]}

    @pytest.mark.parametrize("member_id", HOSTILE_IDS)
    def test_an_id_that_no_member_has_finds_none(self, storage: Storage, member_id: str) -> None:
        shop = added(storage, a_shop())
        join(storage, shop, a_member())
        assert by_id(storage, member_id) is None
        assert not storage.run(lambda store: store.members.leave(shop.number, member_id))

    def test_an_address_belongs_to_one_member(self, storage: Storage) -> None:
        keep(storage, a_member())
        twin = a_member("mem_2", address_hash=a_member().address_hash)
        with pytest.raises(Exception):  # noqa: B017, PT011 - each engine has its own exception
            storage.run(lambda store: store.members.add(twin))
        assert by_id(storage, "mem_2") is None

    def test_a_change_is_kept(self, storage: Storage) -> None:
        keep(storage, a_member(), a_member("mem_2"))
        changed = attrs.evolve(a_member(), language=Language.EN, signed_in_at=NOON + HOUR, left_at=NOON)
        storage.run(lambda store: store.members.change(changed))
        assert by_id(storage, "mem_1") == changed
        assert by_id(storage, "mem_2") == a_member("mem_2")

    def test_a_shops_members_are_listed_with_their_roles_the_first_created_first(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        late, early = a_member("mem_1", created_at=NOON + HOUR), a_member("mem_2")
        join(storage, shop, late, Role.OWNER)
        join(storage, shop, early)
        join(storage, other, late)
        members = storage.read(lambda store: store.members.of_shop(shop.number))
        assert members == [(early, Role.STAFF), (late, Role.OWNER)]
        assert storage.read(lambda store: store.members.of_shop(other.number)) == [(late, Role.STAFF)]

    def test_a_members_shops_are_listed_with_the_role_at_each_by_site_id(self, storage: Storage) -> None:
        second, first, _ = (added(storage, a_shop(site_id)) for site_id in ("b", "a", "c"))
        member = a_member()
        join(storage, second, member)
        join(storage, first, member, Role.OWNER)
        join(storage, first, a_member("mem_2"))
        held = storage.read(lambda store: store.members.shops_of(member.member_id))
        assert [(shop, each.role) for shop, each in held] == [(first, Role.OWNER), (second, Role.STAFF)]
        assert [(each.shop_number, each.member_id) for _, each in held] == [
            (first.number, "mem_1"),
            (second.number, "mem_1"),
        ]
        assert storage.read(lambda store: store.members.shops_of("mem_9")) == []

    def test_a_role_can_change(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        for role in (Role.STAFF, Role.OWNER, Role.STAFF):
            join(storage, shop, a_member(), role)
            assert storage.read(lambda store: store.members.of_shop(shop.number)) == [(a_member(), role)]

    def test_who_first_opened_the_dashboard_stays_whatever_the_role_until_the_member_leaves(
        self, storage: Storage
    ) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        for each in (shop, other):
            join(storage, each, a_member())

        def opened(by: bytes | None = None) -> list[bytes | None]:
            if by:
                storage.run(lambda store: store.members.open(shop.number, "mem_1", by))
            return [held.opened_as for _, held in storage.read(lambda store: store.members.shops_of("mem_1"))]

        storage.run(lambda store: store.members.open(shop.number, "mem_9", b"nobody"))
        assert opened() == [None, None]
        assert opened(b"anna") == opened(b"bert") == [b"anna", None]
        join(storage, shop, a_member(), Role.OWNER)
        assert opened() == [b"anna", None]
        storage.run(lambda store: store.members.leave(shop.number, "mem_1"))
        join(storage, shop, a_member())
        assert opened() == [None, None]

    def test_leaving_a_shop_leaves_the_others(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        for each in (shop, other):
            join(storage, each, a_member())
            join(storage, each, a_member("mem_2"))
        assert storage.run(lambda store: store.members.leave(shop.number, "mem_1"))
        assert not storage.run(lambda store: store.members.leave(shop.number, "mem_1"))
        assert storage.read(lambda store: store.members.of_shop(shop.number)) == [(a_member("mem_2"), Role.STAFF)]
        ((held, _),) = storage.read(lambda store: store.members.shops_of("mem_1"))
        assert held == other
        assert storage.read(lambda store: store.members.role_of(shop.number, "mem_1")) is None
        assert storage.read(lambda store: store.members.role_of(other.number, "mem_1")) is Role.STAFF

    def test_a_removed_member_is_gone_with_links_and_sessions(self, storage: Storage) -> None:
        keep(storage, a_member(), a_member("mem_2"))
        for serial, member_id in enumerate(["mem_1", "mem_2"]):
            keep_sign_ins(storage, a_sign_in_link(member_id, serial), a_session(member_id, serial))
        storage.run(lambda store: store.members.remove("mem_1"))
        assert by_id(storage, "mem_1") is None
        assert by_id(storage, "mem_2") == a_member("mem_2")
        assert storage.read(lambda store: store.sign_in_links.find(a_sign_in_link("mem_1", 0).hash)) is None
        assert storage.read(lambda store: store.sign_in_links.find(a_sign_in_link("mem_2", 1).hash))
        assert storage.read(lambda store: store.sessions.of_member("mem_1")) == []
        assert storage.read(lambda store: store.sessions.of_member("mem_2")) == [a_session("mem_2", 1)]

    def test_those_who_left_before_an_instant_are_swept_a_few_at_a_time(self, storage: Storage) -> None:
        left = [a_member(f"mem_{n}", left_at=NOON + n * HOUR) for n in range(4)]
        keep(storage, *left, a_member("mem_here"))
        swept = [storage.run(lambda store: store.members.sweep(NOON + 3 * HOUR, 2)) for _ in range(3)]
        assert swept == [2, 1, 0]
        found = storage.read(lambda store: store.members.by_ids([*(each.member_id for each in left), "mem_here"]))
        assert set(found) == {"mem_3", "mem_here"}

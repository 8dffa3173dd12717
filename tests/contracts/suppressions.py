"""Contract tests for the storage of suppressed addresses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import attrs
import pytest
from tests.builders import a_member, a_suppression, added, an_address_hash

from reviewinvite_core.domain.invitation_states import Reason
from reviewinvite_core.domain.members import Membership, Role
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

HOUR, TICK = timedelta(hours=1), timedelta(microseconds=1)


def add(storage: Storage, suppression: Suppression) -> bool:
    """Store the suppression; return the storage's answer."""
    return storage.run(lambda store: store.suppressions.add(suppression))


def covers(storage: Storage, shop_number: int, name: str = "anna", *, now: datetime = NOON) -> bool:
    """Return whether the named address is suppressed for the shop."""
    return storage.read(lambda store: store.suppressions.covers(shop_number, an_address_hash(name), now))


def newest(storage: Storage, limit: int = 100, *, now: datetime = NOON) -> list[Suppression]:
    """Return the newest suppressions that hold at this instant."""
    return list(storage.read(lambda store: store.suppressions.newest(limit, now)))


class SuppressionsContract:
    """Part of `StorageContract`: suppressed addresses."""

    def test_a_shops_suppression_covers_that_address_at_that_shop_alone(self, storage: Storage) -> None:
        one, two = (added(storage, a_shop(name)).number for name in ("one", "two"))
        assert add(storage, a_suppression(one))
        assert covers(storage, one)
        assert not covers(storage, two)
        assert not covers(storage, one, "bert")

    def test_a_suppression_everywhere_covers_the_address_at_every_shop(self, storage: Storage) -> None:
        shops = [added(storage, a_shop(name)).number for name in ("one", "two")]
        assert add(storage, a_suppression(None))
        assert all(covers(storage, shop) for shop in shops)
        assert not covers(storage, shops[0], "bert")

    def test_many_are_asked_about_at_once(self, storage: Storage) -> None:
        one, two = (added(storage, a_shop(name)).number for name in ("one", "two"))
        add(storage, a_suppression(one))
        add(storage, a_suppression(None, name="bert"))
        anna, bert, carla = (an_address_hash(name) for name in ("anna", "bert", "carla"))
        asked = [(shop, hashed) for hashed in (anna, bert, carla) for shop in (one, two)]
        many = [(one, an_address_hash(str(each))) for each in range(300)]

        def covered(pairs: list[tuple[int, bytes]]) -> set[tuple[int, bytes]]:
            return set(storage.read(lambda store: store.suppressions.covered(pairs, NOON)))

        assert covered(asked) == {(one, anna), (one, bert), (two, bert)}
        assert covered([*many, *asked, *asked]) == covered(asked)
        assert covered(many) == covered([]) == set()

    def test_a_member_who_has_opened_the_dashboard_is_a_reason_and_a_suppression_the_better_one(
        self, storage: Storage
    ) -> None:
        one, two = (added(storage, a_shop(name)).number for name in ("one", "two"))
        anna, bert, carla = (an_address_hash(name) for name in ("anna", "bert", "carla"))

        def join(store: Store) -> None:
            for member_id, person in (("mem_1", anna), ("mem_2", bert), ("mem_3", carla)):
                store.members.add(a_member(member_id))
                store.members.join(Membership(member_id=member_id, shop_number=one, role=Role.STAFF))
                if person != carla:
                    store.members.open(one, member_id, person)

        storage.run(join)
        add(storage, a_suppression(None, name="bert"))
        tagged = an_address_hash("anna+x")
        asked = [(one, tagged, anna), (two, tagged, anna), (one, bert, bert), (two, bert, bert), (one, carla, carla)]
        many = [(one, an_address_hash(str(each)), an_address_hash(str(each))) for each in range(300)]

        def reasons(asked: list[tuple[int, bytes, bytes]]) -> Mapping[int, Reason]:
            return storage.read(lambda store: store.suppressions.reasons_against(asked, NOON))

        assert reasons(asked) == {0: Reason.MEMBER, 2: Reason.OPTED_OUT, 3: Reason.OPTED_OUT}
        assert reasons([*many, *asked]) == {300 + place: reason for place, reason in reasons(asked).items()}
        assert not reasons([])

    @pytest.mark.parametrize("everywhere", [False, True])
    def test_adding_it_again_changes_nothing(self, storage: Storage, *, everywhere: bool) -> None:
        shop = None if everywhere else added(storage, a_shop()).number
        first = a_suppression(shop)
        assert add(storage, first)
        assert not add(storage, attrs.evolve(first, suppressed_at=NOON + HOUR))
        assert newest(storage) == [first]

    @pytest.mark.parametrize("everywhere", [False, True])
    def test_a_customers_word_replaces_an_operators_and_not_the_other_way(
        self, storage: Storage, *, everywhere: bool
    ) -> None:
        shop = None if everywhere else added(storage, a_shop()).number
        operators = a_suppression(shop, by=SuppressedBy.OPERATOR)
        customers = a_suppression(shop, suppressed_at=NOON + HOUR)
        assert add(storage, operators)
        assert not add(storage, customers)
        assert newest(storage) == [customers]
        assert not add(storage, operators)
        assert newest(storage) == [customers]

    @pytest.mark.parametrize("everywhere", [False, True])
    def test_what_is_removed_covers_nothing_any_more(self, storage: Storage, *, everywhere: bool) -> None:
        number = added(storage, a_shop()).number
        shop = None if everywhere else number
        of_anna, others = a_suppression(shop), a_suppression(shop, name="bert")
        add(storage, of_anna)
        add(storage, others)

        def remove() -> Suppression | None:
            return storage.run(lambda store: store.suppressions.remove(of_anna.address_hash, shop_number=shop))

        assert remove() == of_anna
        assert remove() is None
        assert not covers(storage, number)
        assert newest(storage) == [others]

    def test_removing_a_shops_leaves_the_one_for_all_shops_and_the_other_way(self, storage: Storage) -> None:
        shop = added(storage, a_shop()).number
        for_one, for_all = a_suppression(shop), a_suppression(None)
        add(storage, for_one)
        assert storage.run(lambda store: store.suppressions.remove(for_one.address_hash, shop_number=None)) is None
        add(storage, for_all)
        assert storage.run(lambda store: store.suppressions.remove(for_one.address_hash, shop_number=shop)) == for_one
        assert covers(storage, shop)

    def test_all_that_stand_for_an_address_are_found_those_for_all_shops_first(self, storage: Storage) -> None:
        shops = [added(storage, a_shop(f"shop-{each}")).number for each in range(3)]
        expected = [a_suppression(shop) for shop in (None, *shops)]
        for suppression in reversed(expected):
            add(storage, suppression)
        add(storage, a_suppression(shops[0], name="bert"))
        assert storage.read(lambda store: store.suppressions.of_address(an_address_hash())) == expected

    def test_the_newest_come_first_and_no_more_than_asked_for(self, storage: Storage) -> None:
        shop = added(storage, a_shop()).number
        old = a_suppression(shop, suppressed_at=NOON - HOUR)
        new = a_suppression(None, suppressed_at=NOON + HOUR)
        middle = a_suppression(shop, name="bert")
        for suppression in (middle, new, old):
            add(storage, suppression)
        assert newest(storage) == [new, middle, old]
        assert newest(storage, 2) == [new, middle]
        for at, each in enumerate(expected := [new, middle, old]):
            after = storage.read(lambda store, place=each.bookmark: store.suppressions.newest(9, NOON, place))  # type: ignore[misc]
            assert list(after) == expected[at + 1 :]

    def test_one_that_expires_covers_the_address_until_then(self, storage: Storage) -> None:
        shop = added(storage, a_shop()).number
        bounced = Suppression.of_dead_mailbox(an_address_hash(), NOON)
        assert bounced.expires_at == NOON + 180 * 24 * HOUR
        assert add(storage, bounced)
        assert newest(storage) == [bounced]
        pair = (shop, an_address_hash())
        for now, holds in ((NOON, True), (bounced.expires_at - TICK, True), (bounced.expires_at, False)):

            def seen(store: Store, now: datetime = now) -> tuple[bool, bool]:
                return store.suppressions.is_dead(pair[1], now), pair in store.suppressions.covered([pair], now)

            assert storage.read(seen) == (holds, holds)
            assert covers(storage, shop, now=now) == holds

    def test_those_that_have_expired_take_no_place_among_the_newest(self, storage: Storage) -> None:
        shop = added(storage, a_shop()).number
        stay = [a_suppression(None, name="bert"), a_suppression(shop, suppressed_at=NOON - HOUR)]
        for each in (*stay, Suppression.of_dead_mailbox(an_address_hash("carla"), NOON + HOUR)):
            add(storage, each)
        end = NOON + HOUR + 180 * 24 * HOUR
        assert newest(storage, 2, now=end - TICK)[1:] == stay[:1]
        assert newest(storage, 2, now=end) == stay

    def test_a_persons_word_is_no_dead_mailbox_and_does_not_expire(self, storage: Storage) -> None:
        shop = added(storage, a_shop()).number
        add(storage, a_suppression(None, by=SuppressedBy.OPERATOR))
        assert not storage.read(lambda store: store.suppressions.is_dead(an_address_hash(), NOON))
        assert covers(storage, shop, now=NOON + 3650 * 24 * HOUR)

    @pytest.mark.parametrize("by", [SuppressedBy.OPERATOR, SuppressedBy.CUSTOMER])
    def test_a_persons_word_replaces_a_dead_mailbox_and_not_the_other_way(
        self, storage: Storage, by: SuppressedBy
    ) -> None:
        bounced = Suppression.of_dead_mailbox(an_address_hash(), NOON)
        said = a_suppression(None, by=by, suppressed_at=NOON + HOUR)
        assert add(storage, bounced)
        assert not add(storage, said)
        assert newest(storage) == [said]
        assert not add(storage, Suppression.of_dead_mailbox(an_address_hash(), NOON + 2 * HOUR))
        assert newest(storage) == [said]

    def test_a_mailbox_that_is_found_dead_again_is_suppressed_from_then(self, storage: Storage) -> None:
        again = Suppression.of_dead_mailbox(an_address_hash(), NOON + HOUR)
        add(storage, Suppression.of_dead_mailbox(an_address_hash(), NOON))
        assert not add(storage, again)
        assert newest(storage) == [again]

    def test_one_of_another_origin_than_asked_for_is_not_removed(self, storage: Storage) -> None:
        add(storage, a_suppression(None))

        def remove(by: SuppressedBy) -> Suppression | None:
            return storage.run(lambda store: store.suppressions.remove(an_address_hash(), shop_number=None, by=by))

        assert remove(SuppressedBy.BOUNCE) is None
        assert remove(SuppressedBy.CUSTOMER) == a_suppression(None)

    def test_those_that_have_expired_are_deleted_a_few_at_a_time(self, storage: Storage) -> None:
        for name in ("anna", "bert", "carla"):
            add(storage, Suppression.of_dead_mailbox(an_address_hash(name), NOON))
        stay = [Suppression.of_dead_mailbox(an_address_hash("dirk"), NOON + TICK), a_suppression(None, name="eva")]
        for each in stay:
            add(storage, each)
        over = NOON + 180 * 24 * HOUR
        assert [storage.run(lambda store: store.suppressions.sweep(over, 2)) for _ in range(3)] == [2, 1, 0]
        assert newest(storage) == stay

    def test_what_a_failed_unit_removed_is_there_again(self, storage: Storage) -> None:
        shop = added(storage, a_shop()).number
        add(storage, a_suppression(shop))

        def remove_and_fail(store: Store) -> None:
            store.suppressions.remove(an_address_hash(), shop_number=shop)
            raise KeyError

        with pytest.raises(KeyError):
            storage.run(remove_and_fail)
        assert covers(storage, shop)

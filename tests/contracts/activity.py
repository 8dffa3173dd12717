"""Contract tests for the storage of shops' activity logs."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from tests.builders import added, an_activity

from reviewinvite_core.domain.activity import Action, Activity, first_id_at
from reviewinvite_core.domain.actor import ActorKind, ActorRef
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

MINUTE = timedelta(minutes=1)
TICK = timedelta(microseconds=1)
MEMBER, OPERATOR = ActorRef(ActorKind.MEMBER, "mem_1"), ActorRef(ActorKind.OPERATOR)


def keep(storage: Storage, *entries: Activity) -> None:
    """Store these entries."""

    def unit(store: Store) -> None:
        for each in entries:
            store.activity.add(each)

    storage.run(unit)


def newest(
    storage: Storage, shop: Shop, *, after: Activity | None = None, since: datetime | None = None, limit: int = 100
) -> list[Activity]:
    """Return a shop's newest entries, as stored."""
    place = after.activity_id if after else None
    return list(storage.read(lambda store: store.activity.newest(shop.number, after=place, since=since, limit=limit)))


class ActivityContract:
    """Part of `StorageContract`: activity logs."""

    @pytest.mark.parametrize("kind", ActorKind)
    def test_an_entry_comes_back_as_it_was_added(self, storage: Storage, kind: ActorKind) -> None:
        shop = added(storage, a_shop())
        actor = ActorRef(kind, None if kind is ActorKind.OPERATOR else "an_id")
        entry = an_activity(shop, actor=actor, action=Action.KEY_CREATED, subject="Käse 🧀")
        keep(storage, entry)
        assert newest(storage, shop) == [entry]

    def test_entries_are_listed_the_newest_first_each_shops_own(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        entries = [an_activity(shop, n, at=NOON + n * MINUTE) for n in range(3)]
        of_other = an_activity(other, 9)
        keep(storage, *entries, of_other)
        assert newest(storage, shop) == entries[::-1]
        assert newest(storage, other) == [of_other]
        assert newest(storage, shop, limit=2) == [entries[2], entries[1]]

    def test_a_list_goes_on_after_an_entry_and_misses_nothing_at_the_same_instant(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        entries = [an_activity(shop, n) for n in range(4)]
        keep(storage, *entries)
        page = newest(storage, shop, limit=2)
        assert page + newest(storage, shop, after=page[-1]) == entries[::-1]

    def test_a_list_ends_at_an_instant(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        entries = [an_activity(shop, n, at=NOON + n * MINUTE) for n in range(4)]
        keep(storage, *entries)
        assert newest(storage, shop, since=NOON + 2 * MINUTE) == [entries[3], entries[2]]
        assert newest(storage, shop, after=entries[3], since=NOON + MINUTE) == [entries[2], entries[1]]
        assert newest(storage, shop, since=EPOCH - MINUTE) == entries[::-1]

    def test_the_entries_of_one_millisecond_are_found_between_ids_that_no_entry_has(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        millisecond = timedelta(milliseconds=1)
        entries = [an_activity(shop, n, at=NOON + n * millisecond // 2) for n in range(6)]
        keep(storage, *entries)
        end = first_id_at(NOON + 2 * millisecond)
        since = NOON + millisecond + timedelta(microseconds=999)
        found = storage.read(lambda store: store.activity.newest(shop.number, after=end, since=since, limit=9))
        assert list(found) == [entries[3], entries[2]]

    def test_what_members_did_that_others_are_mailed_about_is_found_by_its_instant(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        settings = Action.SHOP_SETTINGS_CHANGED
        mailed = [
            *((Action.MEMBER_ADDED, "mem_2 staff"), (Action.KEY_CREATED, "a key"), (settings, "language, replyTo")),
            (Action.MEMBER_ROLE_CHANGED, "mem_2 owner"),
        ]
        unmailed = [(settings, "language"), (Action.MEMBER_REMOVED, "mem_2 staff"), (Action.SHOP_RENAMED, "replyTo")]
        keep(
            storage,
            *(_by(MEMBER, shop, n, action, subject) for n, (action, subject) in enumerate(mailed)),
            *(_by(MEMBER, shop, 10 + n, action, subject) for n, (action, subject) in enumerate(unmailed)),
            *(_by(each, shop, 20, Action.KEY_CREATED) for each in (OPERATOR, ActorRef(ActorKind.API_KEY, "key_1"))),
            _by(MEMBER, other, 30, Action.KEY_CREATED),
        )

        def nth_newest(
            nth: int, after: datetime = NOON - TICK, until: datetime = NOON + 99 * MINUTE
        ) -> datetime | None:
            return storage.read(
                lambda store: store.activity.nth_newest_notice(shop.number, nth, after=after, until=until)
            )

        assert [nth_newest(nth) for nth in range(1, 6)] == [*(NOON + n * MINUTE for n in (3, 2, 1, 0)), None]
        assert [nth_newest(nth, after=NOON) for nth in (3, 4)] == [NOON + MINUTE, None]
        assert [nth_newest(nth, until=NOON + MINUTE) for nth in (1, 2)] == [NOON + MINUTE, NOON]

    def test_additions_of_a_person_by_members_are_found_by_their_instants(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        keep(
            storage,
            _by(MEMBER, shop, 0, Action.MEMBER_ADDED, "mem_2 staff"),
            _by(MEMBER, other, 1, Action.MEMBER_ADDED, "mem_2 owner"),
            _by(MEMBER, shop, 2, Action.MEMBER_ADDED, "mem_22 staff"),
            _by(MEMBER, shop, 3, Action.MEMBER_REMOVED, "mem_2 staff"),
            _by(OPERATOR, shop, 4, Action.MEMBER_ADDED, "mem_2 staff"),
        )

        def nth_newest(
            nth: int, after: datetime = NOON - TICK, until: datetime = NOON + 99 * MINUTE
        ) -> datetime | None:
            return storage.read(
                lambda store: store.activity.nth_newest_addition("mem_2", nth, after=after, until=until)
            )

        assert [nth_newest(nth) for nth in (1, 2, 3)] == [NOON + MINUTE, NOON, None]
        assert [nth_newest(1, after=NOON + MINUTE), nth_newest(1, until=NOON)] == [None, NOON]

    def test_entries_are_swept_from_before_an_instant_a_few_at_a_time(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        old = [an_activity(each, at=NOON - MINUTE) for each in (shop, other)] + [an_activity(shop, 2, at=NOON - MINUTE)]
        kept = an_activity(shop, 3)
        keep(storage, *old, kept)
        assert [storage.run(lambda store: store.activity.sweep(NOON, 2)) for _ in range(3)] == [2, 1, 0]
        assert newest(storage, shop) == [kept]
        assert newest(storage, other) == []


def _by(actor: ActorRef, shop: Shop, minutes: int, action: Action, subject: str = "") -> Activity:
    """Return an entry that is `minutes` after noon; its serial tells it from that of another actor."""
    serial = 100 * list(ActorKind).index(actor.kind) + minutes
    return an_activity(shop, serial, at=NOON + minutes * MINUTE, actor=actor, action=action, subject=subject)

"""What a storage has to keep about orders and their invitations."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta

import attrs
import pytest

from reviewinvite_core.domain.invitations import Change, Claim, Invitation, Reason, State
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import (
    NOON,
    a_dedup_key,
    a_shop,
    added,
    an_invitation,
    scheduled,
)

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
LEASE_END = NOON + timedelta(minutes=15)


def claimed(
    storage: Storage, invitation: Invitation, token: bytes = b"token", until: datetime = LEASE_END
) -> Invitation:
    """The invitation in a worker's hands, stored."""
    after = invitation.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=Claim(token=token, lease_until=until))
    assert change(storage, invitation, after)
    return after


def change(storage: Storage, before: Invitation, after: Invitation) -> bool:
    """What the storage says to it."""
    return storage.run(lambda store: store.invitations.change(before, after))


def cancelled(invitation: Invitation) -> Invitation:
    """The invitation, cancelled."""
    return invitation.moved(State.CANCELLED, Reason.CANCELLED, NOON)


def found(storage: Storage, invitation: Invitation) -> Invitation | None:
    """The invitation as it is stored now."""
    return storage.read(lambda store: store.invitations.find(invitation.shop_number, invitation.invite_id))


class OrdersContract:
    """See `StorageContract`."""

    def test_a_new_orders_invitation_is_stored_as_it_is(self, storage: Storage) -> None:
        new = an_invitation(added(storage, a_shop()), order_number="Ünï-1 🎁", sealed_address=bytes(range(256)))
        assert scheduled(storage, new) == new
        assert found(storage, new) == new

    def test_an_order_without_a_number_is_stored_without_one(self, storage: Storage) -> None:
        new = an_invitation(added(storage, a_shop()), order_number=None)
        scheduled(storage, new, a_dedup_key(numbered=False))
        stored = found(storage, new)
        assert stored is not None
        assert stored.order_number is None

    @pytest.mark.parametrize("later", [timedelta(0), 60 * DAY, 3650 * DAY])
    def test_a_numbered_order_is_known_for_ever(self, storage: Storage, later: timedelta) -> None:
        shop = added(storage, a_shop())
        first = scheduled(storage, an_invitation(shop), a_dedup_key())
        again = an_invitation(shop, 2, reported_at=NOON + later)
        assert scheduled(storage, again, a_dedup_key()) == first
        assert found(storage, again) is None

    def test_an_unnumbered_order_is_known_until_just_before_60_days(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        first = scheduled(storage, an_invitation(shop), a_dedup_key(numbered=False))
        again = an_invitation(shop, 2, reported_at=NOON + 60 * DAY - MICROSECOND)
        assert scheduled(storage, again, a_dedup_key(numbered=False)) == first

    def test_an_unnumbered_order_is_a_new_one_60_days_after_the_first(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        first = scheduled(storage, an_invitation(shop), a_dedup_key(numbered=False))
        scheduled(storage, an_invitation(shop, 2, reported_at=NOON + 59 * DAY), a_dedup_key(numbered=False))
        next_one = an_invitation(shop, 3, reported_at=NOON + 60 * DAY)
        assert scheduled(storage, next_one, a_dedup_key(numbered=False)) == next_one
        assert found(storage, first) == first

    def test_a_new_unnumbered_order_begins_60_days_of_its_own(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        scheduled(storage, an_invitation(shop), a_dedup_key(numbered=False))
        second = scheduled(storage, an_invitation(shop, 2, reported_at=NOON + 60 * DAY), a_dedup_key(numbered=False))
        third = an_invitation(shop, 3, reported_at=NOON + 119 * DAY)
        assert scheduled(storage, third, a_dedup_key(numbered=False)) == second

    def test_one_dedup_key_at_two_shops_is_two_orders(self, storage: Storage) -> None:
        one, two = added(storage, a_shop("one")), added(storage, a_shop("two"))
        scheduled(storage, an_invitation(one, 1), a_dedup_key())
        other = an_invitation(two, 2)
        assert scheduled(storage, other, a_dedup_key()) == other

    def test_a_repeat_gets_the_invitation_as_it_is_now(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        first = scheduled(storage, an_invitation(shop), a_dedup_key())
        change(storage, first, cancelled(first))
        assert scheduled(storage, an_invitation(shop, 2), a_dedup_key()) == cancelled(first)

    def test_two_reports_in_one_unit_of_work_are_one_order(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        first, second = an_invitation(shop, 1), an_invitation(shop, 2)

        def both(store: Store) -> list[Invitation]:
            return list(store.invitations.schedule([(each, a_dedup_key()) for each in (first, second)]))

        assert storage.run(both) == [first, first]


class InvitationsContract:
    """See `StorageContract`."""

    def test_an_invitation_is_not_found_under_another_shop(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop("one")), added(storage, a_shop("two"))
        mine = scheduled(storage, an_invitation(shop))
        assert storage.read(lambda store: store.invitations.find(other.number, mine.invite_id)) is None

    def test_an_invitation_is_located_without_its_shop(self, storage: Storage) -> None:
        shops = [added(storage, a_shop(f"shop-{each}")) for each in range(3)]
        mine = [scheduled(storage, an_invitation(shop, each)) for each, shop in enumerate(shops)]
        assert storage.read(lambda store: store.invitations.locate(mine[1].invite_id)) == mine[1]
        unknown = an_invitation(shops[0], 99).invite_id
        assert storage.read(lambda store: store.invitations.locate(unknown)) is None

    def test_the_newest_invitations_come_first_with_their_shops(self, storage: Storage) -> None:
        one, two = added(storage, a_shop("one")), added(storage, a_shop("two"))
        old = scheduled(storage, an_invitation(one, 9))
        low = scheduled(storage, an_invitation(two, 1, reported_at=NOON + DAY))
        high = scheduled(storage, an_invitation(one, 2, reported_at=NOON + DAY))
        listed = storage.read(lambda store: store.invitations.newest(shop=None, state=None, limit=10))
        assert list(listed) == [(one, high), (two, low), (one, old)]

    def test_the_newest_invitations_are_chosen_by_shop_state_and_number(self, storage: Storage) -> None:
        one, two = added(storage, a_shop("one")), added(storage, a_shop("two"))
        first, second, third = (
            scheduled(storage, an_invitation(shop, each, reported_at=NOON + each * DAY))
            for each, shop in enumerate((one, one, two))
        )
        change(storage, second, cancelled(second))
        change(storage, third, cancelled(third))

        def newest(**chosen: object) -> list[Invitation]:
            query = {"shop": None, "state": None, "limit": 10, **chosen}
            rows = storage.read(lambda store: store.invitations.newest(**query))  # type: ignore[arg-type]
            return [invitation for _, invitation in rows]

        assert newest(shop=one) == [cancelled(second), first]
        assert newest(state=State.CANCELLED) == [cancelled(third), cancelled(second)]
        assert newest(shop=two, state=State.SCHEDULED) == []
        assert newest(limit=1) == [cancelled(third)]

    def test_the_history_begins_with_the_report(self, storage: Storage) -> None:
        new = scheduled(storage, an_invitation(added(storage, a_shop())))
        history = storage.read(lambda store: store.invitations.history(new))
        assert list(history) == [Change(state=State.SCHEDULED, reason=Reason.REPORTED, at=NOON)]

    def test_the_history_holds_every_change_oldest_first(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        other = scheduled(storage, an_invitation(shop, 2))
        change(storage, other, cancelled(other))
        ours = claimed(storage, scheduled(storage, an_invitation(shop, 1)))
        back = ours.moved(State.SCHEDULED, Reason.REFUSED_FOR_NOW, NOON, reply="451 4.7.1")
        assert change(storage, ours, back)
        history = storage.read(lambda store: store.invitations.history(back))
        assert list(history) == [
            Change(state=State.SCHEDULED, reason=Reason.REPORTED, at=NOON),
            Change(state=State.CLAIMED, reason=Reason.CLAIMED, at=NOON),
            Change(state=State.SCHEDULED, reason=Reason.REFUSED_FOR_NOW, at=NOON, reply="451 4.7.1"),
        ]

    def test_what_is_due_comes_longest_due_first(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        late, early, middle, _ = (
            scheduled(storage, an_invitation(shop, each, due_after=timedelta(hours=hours)))
            for each, hours in enumerate((3, 1, 2, 4))
        )
        due = _due(storage, NOON + timedelta(hours=3))
        assert due == [early, middle, late]
        assert _due(storage, NOON + timedelta(hours=3), limit=2) == [early, middle]

    def test_an_invitation_is_due_from_its_own_instant_on(self, storage: Storage) -> None:
        mine = scheduled(storage, an_invitation(added(storage, a_shop())))
        assert _due(storage, mine.due_at - MICROSECOND) == []
        assert _due(storage, mine.due_at) == [mine]

    def test_what_was_due_before_the_span_is_not_given(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        early, late = (scheduled(storage, an_invitation(shop, each, due_after=each * DAY)) for each in (1, 2))
        assert _due(storage, late.due_at, since=early.due_at) == [early, late]
        assert _due(storage, late.due_at, since=early.due_at + MICROSECOND) == [late]
        assert _due(storage, late.due_at, since=early.due_at + MICROSECOND, limit=1) == [late]

    def test_only_scheduled_invitations_are_due(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        first, second = (scheduled(storage, an_invitation(shop, each)) for each in (1, 2))
        change(storage, first, cancelled(first))
        claimed(storage, second)
        assert _due(storage, NOON + 10 * DAY) == []

    def test_invitations_of_an_inactive_shop_are_not_due_but_can_be_overdue(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        mine = scheduled(storage, an_invitation(shop))
        storage.run(lambda store: store.shops.change(attrs.evolve(shop, active=False)))
        assert _due(storage, mine.due_at) == []
        assert _overdue(storage, mine.due_at + MICROSECOND) == [mine]
        storage.run(lambda store: store.shops.change(shop))
        assert _due(storage, mine.due_at) == [mine]

    def test_what_is_overdue_was_to_be_sent_before_the_instant(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        early, late = (scheduled(storage, an_invitation(shop, each, due_after=each * DAY)) for each in (1, 2))
        gone = scheduled(storage, an_invitation(shop, 3, due_after=DAY))
        change(storage, gone, cancelled(gone))
        assert _overdue(storage, early.due_at) == []
        assert _overdue(storage, late.due_at) == [early]
        assert len(_overdue(storage, NOON + 9 * DAY, limit=1)) == 1

    def test_what_is_due_is_counted_up_to_a_most(self, storage: Storage) -> None:
        shop, closed = added(storage, a_shop()), added(storage, a_shop("closed"))
        for serial in range(1, 4):
            scheduled(storage, an_invitation(shop, serial, due_after=serial * DAY))
        scheduled(storage, an_invitation(closed, 9, due_after=DAY))
        storage.run(lambda store: store.shops.change(attrs.evolve(closed, active=False)))

        def count(at: datetime, most: int) -> int:
            return storage.read(lambda store: store.invitations.count_due(at, most))

        assert [count(NOON, 9), count(NOON + 2 * DAY, 9), count(NOON + 3 * DAY, 2)] == [0, 2, 2]

    def test_in_doubt_is_what_is_held_and_what_was_to_be_sent_or_is_due_by_then(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        held, past, later, sooner, future, gone = (
            scheduled(storage, an_invitation(shop, serial, due_after=days * DAY))
            for serial, days in enumerate((9, 1, 1, 9, 9, 1), start=1)
        )
        held = claimed(storage, held)
        taken = claimed(storage, later)
        change(storage, taken, taken.moved(State.SCHEDULED, Reason.UNREACHABLE, NOON, due_at=NOON + 9 * DAY))
        taken = claimed(storage, sooner)
        change(storage, taken, taken.moved(State.SCHEDULED, Reason.UNREACHABLE, NOON, due_at=NOON))
        change(storage, gone, cancelled(gone))
        expected = {each.invite_id for each in (held, past, later, sooner)}
        assert _in_doubt(storage, NOON + DAY) == expected
        assert _in_doubt(storage, NOON + 9 * DAY) == {future.invite_id}

    def test_what_is_abandoned_is_held_under_a_lease_that_has_run_out(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        _, taken, fenced, doubtful = (scheduled(storage, an_invitation(shop, each)) for each in range(4))
        taken, fenced, doubtful = (claimed(storage, each) for each in (taken, fenced, doubtful))
        handing_over = fenced.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=fenced.claim)
        change(storage, fenced, handing_over)
        over = doubtful.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=doubtful.claim)
        change(storage, doubtful, over)
        change(storage, over, over.moved(State.UNCERTAIN, Reason.ANSWER_LOST, NOON, claim=over.claim))
        assert _abandoned(storage, LEASE_END - MICROSECOND) == []
        assert {each.invite_id for each in _abandoned(storage, LEASE_END)} == {taken.invite_id, handing_over.invite_id}
        assert len(_abandoned(storage, LEASE_END, limit=1)) == 1

    def test_a_changed_invitation_is_found_with_all_that_has_changed(self, storage: Storage) -> None:
        ours = claimed(storage, scheduled(storage, an_invitation(added(storage, a_shop()))), bytes(range(16)))
        back = ours.moved(State.SCHEDULED, Reason.REFUSED_FOR_NOW, LEASE_END, due_at=NOON + 9 * DAY, reply="451")
        again = back.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=Claim(token=b"\0" * 16, lease_until=NOON))
        for before, after in ((ours, back), (back, again)):
            assert found(storage, before) == before
            assert change(storage, before, after)
            assert found(storage, after) == after
        assert again.attempts == 2

    def test_a_change_from_another_state_is_not_made_and_not_in_the_history(self, storage: Storage) -> None:
        mine = scheduled(storage, an_invitation(added(storage, a_shop())))
        assert change(storage, mine, cancelled(mine))
        late = mine.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=Claim(token=b"t", lease_until=LEASE_END))
        assert not change(storage, mine, late)
        assert found(storage, mine) == cancelled(mine)
        assert len(storage.read(lambda store: store.invitations.history(mine))) == 2

    def test_a_change_under_another_claim_is_not_made(self, storage: Storage) -> None:
        mine = scheduled(storage, an_invitation(added(storage, a_shop())))
        theirs = claimed(storage, mine, b"theirs")
        for claim in (Claim(token=b"ours", lease_until=LEASE_END), None):
            ours = attrs.evolve(theirs, claim=claim)
            assert not change(storage, ours, cancelled(ours))
        assert found(storage, mine) == theirs

    def test_a_change_of_an_unknown_invitation_is_not_made(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop("one")), added(storage, a_shop("two"))
        mine = scheduled(storage, an_invitation(shop))
        foreign = attrs.evolve(mine, shop_number=other.number)
        assert not change(storage, foreign, cancelled(foreign))
        assert found(storage, mine) == mine

    def test_no_invitation_is_claimed_by_two_workers(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        for each in range(12):
            scheduled(storage, an_invitation(shop, each))
        taken: list[str] = []

        def claim_two(store: Store) -> list[str]:
            names = []
            for due in store.invitations.due(NOON, NOON + 9 * DAY, 2):
                claim = Claim(token=threading.current_thread().name.encode(), lease_until=LEASE_END)
                if store.invitations.change(due, due.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=claim)):
                    names.append(due.invite_id)
            return names

        def work() -> None:
            while names := storage.run(claim_two):
                taken.extend(names)

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert len(taken) == len(set(taken)) == 12


def _due(storage: Storage, now: datetime, limit: int = 10, *, since: datetime = NOON) -> Sequence[Invitation]:
    return list(storage.run(lambda store: store.invitations.due(since, now, limit)))


def _overdue(storage: Storage, before: datetime, limit: int = 10) -> Sequence[Invitation]:
    return list(storage.run(lambda store: store.invitations.overdue(before, limit)))


def _abandoned(storage: Storage, now: datetime, limit: int = 10) -> Sequence[Invitation]:
    return list(storage.run(lambda store: store.invitations.abandoned(now, limit)))


def _in_doubt(storage: Storage, until: datetime) -> set[str]:
    """The ids of all that is in doubt, settled one by one until nothing is."""
    ids: set[str] = set()
    while found := storage.run(lambda store: store.invitations.in_doubt(until, 1)):
        ids.add(found[0].invite_id)
        for doubtful in storage.run(lambda store: store.invitations.in_doubt(until, 9)):
            ids.add(doubtful.invite_id)
            change(storage, doubtful, doubtful.moved(State.UNCERTAIN, Reason.RECONCILED, NOON))
    return ids

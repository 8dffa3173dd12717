"""Contract tests for finding a worker's work: invitations due, overdue, abandoned or in doubt."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

import attrs
from tests.builders import added, an_invitation, scheduled
from tests.contracts.invitations import DAY, LEASE_END, MICROSECOND, cancelled, change, claimed

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop


class DueContract:
    """Part of `StorageContract`: a worker's work."""

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

    def test_the_oldest_due_is_that_of_an_active_shop_and_due_by_then(self, storage: Storage) -> None:
        shop, closed = added(storage, a_shop()), added(storage, a_shop("closed"))
        assert storage.read(lambda store: store.invitations.oldest_due(NOON + 9 * DAY)) is None
        late, early, gone = (scheduled(storage, an_invitation(shop, n, due_after=n * DAY)) for n in (4, 2, 1))
        scheduled(storage, an_invitation(closed, 9, due_after=DAY))
        storage.run(lambda store: store.shops.change(attrs.evolve(closed, active=False)))
        change(storage, gone, cancelled(gone))

        def oldest(at: datetime) -> datetime | None:
            return storage.read(lambda store: store.invitations.oldest_due(at))

        assert [oldest(early.due_at - MICROSECOND), oldest(early.due_at), oldest(late.due_at)] == [
            *(None, early.due_at, early.due_at)
        ]

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

    def test_without_an_instant_in_doubt_is_only_what_has_passed_the_fence(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        _, taken, fenced = (scheduled(storage, an_invitation(shop, each)) for each in range(3))
        taken, fenced = (claimed(storage, each) for each in (taken, fenced))
        handing_over = fenced.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=fenced.claim)
        change(storage, fenced, handing_over)
        assert list(storage.run(lambda store: store.invitations.in_doubt(None, 9))) == [handing_over]

    def test_what_is_uncertain_is_found_by_shop_and_reason_in_order_of_their_ids(self, storage: Storage) -> None:
        one, other = added(storage, a_shop("one")), added(storage, a_shop("other"))
        scheduled(storage, an_invitation(one, 9))
        lost, died, elsewhere = (
            scheduled(storage, an_invitation(shop, serial)) for shop, serial in ((one, 2), (one, 1), (other, 3))
        )
        lost = _uncertain(storage, lost, Reason.ANSWER_LOST)
        died = _uncertain(storage, died, Reason.PROCESS_DIED)
        elsewhere = _uncertain(storage, elsewhere, Reason.ANSWER_LOST)

        def found(shop: Shop | None, reason: Reason | None, after: Invitation | None = None) -> list[Invitation]:
            unit = partial(_find_uncertain, shop=shop, reason=reason, after=after)
            return list(storage.read(unit))

        assert found(None, None) == [died, lost, elsewhere]
        assert found(None, None, died) == [lost, elsewhere]
        assert found(one, None) == [died, lost]
        assert found(None, Reason.ANSWER_LOST) == [lost, elsewhere]
        assert found(other, Reason.PROCESS_DIED) == []
        assert found(one, None, elsewhere) == []

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

    def test_what_is_held_for_longer_than_any_lease_is_abandoned_too(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        taken = claimed(storage, scheduled(storage, an_invitation(shop)))
        long_before = LEASE_END - 30 * DAY
        assert _abandoned(storage, long_before, longest=LEASE_END) == []
        assert _abandoned(storage, long_before, longest=LEASE_END - MICROSECOND) == [taken]
        assert _abandoned(storage, LEASE_END + DAY, limit=10) == [taken]

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


def _uncertain(storage: Storage, waiting: Invitation, reason: Reason) -> Invitation:
    """Return the same invitation after a hand-over whose outcome is unknown."""
    taken = claimed(storage, waiting)
    fenced = taken.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=taken.claim)
    change(storage, taken, fenced)
    doubtful = fenced.moved(State.UNCERTAIN, reason, NOON)
    change(storage, fenced, doubtful)
    return doubtful


def _find_uncertain(
    store: Store, *, shop: Shop | None, reason: Reason | None, after: Invitation | None
) -> Sequence[Invitation]:
    return store.invitations.uncertain(shop=shop, reason=reason, after=after, limit=9)


def _due(storage: Storage, now: datetime, limit: int = 10, *, since: datetime = NOON) -> Sequence[Invitation]:
    return list(storage.run(lambda store: store.invitations.due(since, now, limit)))


def _overdue(storage: Storage, before: datetime, limit: int = 10) -> Sequence[Invitation]:
    return list(storage.run(lambda store: store.invitations.overdue(before, limit)))


def _abandoned(
    storage: Storage, now: datetime, limit: int = 10, *, longest: datetime | None = None
) -> Sequence[Invitation]:
    return list(storage.run(lambda store: store.invitations.abandoned(now, longest or now + DAY, limit)))


def _in_doubt(storage: Storage, until: datetime) -> set[str]:
    """Return the ids of all invitations in doubt, resolving one at a time until there are none."""
    ids: set[str] = set()
    while found := storage.run(lambda store: store.invitations.in_doubt(until, 1)):
        ids.add(found[0].invite_id)
        for doubtful in storage.run(lambda store: store.invitations.in_doubt(until, 9)):
            ids.add(doubtful.invite_id)
            change(storage, doubtful, doubtful.moved(State.UNCERTAIN, Reason.RECONCILED, NOON))
    return ids

"""Contract tests for statements over many rows: each gives what the form for one row gives, row by row (ADR-50)."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import pytest
from tests.builders import a_review, added, an_invitation, scheduled
from tests.contracts.invitations import DAY, LEASE_END, cancelled, change, claimed, found

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Change, Invitation
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

MANY = 150  # more than one statement holds


class BatchBroken(Exception):
    """Raised by a unit of work to undo its changes."""


class BatchesContract:
    """Part of `StorageContract`: many rows at once."""

    def test_many_invitations_are_found_by_their_keys(self, storage: Storage) -> None:
        one, two = added(storage, a_shop("one")), added(storage, a_shop("two"))
        held = claimed(storage, scheduled(storage, an_invitation(one, 1, order_number=None)), bytes(range(16)))
        others = [scheduled(storage, an_invitation(shop, each)) for shop, each in ((one, 2), (two, 3))]
        asked = [_key(each) for each in (held, *others)]
        unknown = [(two.number, held.invite_id), (99, held.invite_id)]
        found_all = storage.read(lambda store: store.invitations.find_all([*asked, *unknown]))
        assert found_all == dict(zip(asked, (held, *others), strict=True))
        assert storage.read(lambda store: store.invitations.find_all([])) == {}

    def test_changes_of_many_invitations_are_stored_with_all_that_has_changed(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        waiting = [scheduled(storage, an_invitation(shop, each)) for each in range(4)]
        held = [_claim(each, bytes([number]) * 16) for number, each in enumerate(waiting)]
        assert _change_all(storage, waiting, held) == [True] * 4
        assert [found(storage, each) for each in waiting] == held
        fenced = held[0].moved(State.HANDING_OVER, Reason.FENCED, LEASE_END, claim=held[0].claim)
        later = [
            fenced,
            held[1].moved(State.SCHEDULED, Reason.REFUSED_FOR_NOW, LEASE_END, due_at=NOON + 9 * DAY, reply="451"),
            held[2].moved(State.REJECTED, Reason.REFUSED, LEASE_END, reply=""),
            held[3].moved(State.SCHEDULED, Reason.LEASE_EXPIRED, LEASE_END),
        ]
        assert _change_all(storage, held, later) == [True] * 4
        assert [found(storage, each) for each in waiting] == later
        assert _history(storage, later[1]) == [
            Change(state=State.SCHEDULED, reason=Reason.REPORTED, at=NOON),
            Change(state=State.CLAIMED, reason=Reason.CLAIMED, at=NOON),
            Change(state=State.SCHEDULED, reason=Reason.REFUSED_FOR_NOW, at=LEASE_END, reply="451"),
        ]
        assert [len(_history(storage, each)) for each in later] == [3] * 4

    def test_of_many_changes_those_are_made_whose_invitation_is_as_before(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop("one")), added(storage, a_shop("two"))
        gone, theirs, mine, unclaimed = (scheduled(storage, an_invitation(shop, each)) for each in range(4))
        foreign = attrs.evolve(unclaimed, shop_number=other.number)
        change(storage, gone, cancelled(gone))
        taken = claimed(storage, theirs, b"theirs")
        ours = attrs.evolve(taken, claim=Claim(token=b"ours", lease_until=LEASE_END))
        before = [gone, ours, mine, foreign]
        after = [_claim(gone), cancelled(ours), _claim(mine), cancelled(foreign)]
        assert _change_all(storage, before, after) == [False, False, True, False]
        stored = [found(storage, each) for each in (gone, theirs, mine, unclaimed)]
        assert stored == [cancelled(gone), taken, _claim(mine), unclaimed]
        assert [len(_history(storage, each)) for each in (gone, theirs, mine, unclaimed)] == [2, 2, 2, 1]
        assert _change_all(storage, before, after) == [False] * 4

    def test_a_change_of_many_does_not_bring_an_erased_address_back(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        waiting = [scheduled(storage, an_invitation(shop, each)) for each in range(2)]
        storage.run(lambda store: store.invitations.forget_address(waiting[0]))
        held = [_claim(each) for each in waiting]
        assert _change_all(storage, waiting, held) == [True, True]
        assert [found(storage, each) for each in waiting] == [attrs.evolve(held[0], sealed_address=None), held[1]]

    def test_more_are_found_and_changed_than_one_statement_holds(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        waiting = [scheduled(storage, an_invitation(shop, each)) for each in range(MANY)]
        held = [_claim(each) for each in waiting]
        assert _change_all(storage, waiting, held) == [True] * MANY
        found_all = storage.read(lambda store: store.invitations.find_all([_key(each) for each in waiting]))
        assert found_all == {_key(each): each for each in held}
        assert _change_all(storage, [], []) == []

    def test_changes_of_a_unit_that_fails_are_undone(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        waiting = [scheduled(storage, an_invitation(shop, each)) for each in range(2)]

        def change_and_fail(store: Store) -> None:
            store.invitations.change_all([(each, _claim(each)) for each in waiting])
            raise BatchBroken

        with pytest.raises(BatchBroken):
            storage.run(change_and_fail)
        assert [found(storage, each) for each in waiting] == waiting
        assert [len(_history(storage, each)) for each in waiting] == [1, 1]

    def test_many_shops_are_found_by_their_numbers(self, storage: Storage) -> None:
        shops = [added(storage, a_shop(site_id)) for site_id in ("one", "two", "three")]
        asked = {shops[0].number, shops[2].number, 99}
        by_numbers = {each.number: each for each in (shops[0], shops[2])}
        assert storage.read(lambda store: store.shops.by_numbers(asked)) == by_numbers
        assert storage.read(lambda store: store.shops.by_numbers([])) == {}

    def test_a_fence_is_raised_by_many_at_once(self, storage: Storage) -> None:
        storage.run(lambda store: store.hosts.register("a"))
        numbers = storage.run(lambda store: [store.hosts.raise_fence("a", count)[0] for count in (1, 64, 3)])
        assert numbers == [1, 65, 68]
        assert storage.run(lambda store: store.hosts.raise_fence("a")[0]) == 69

    def test_those_are_reviewed_through_which_a_review_was_written(self, storage: Storage) -> None:
        one, two = added(storage, a_shop("one")), added(storage, a_shop("two"))
        mine, other = (scheduled(storage, an_invitation(one, each)) for each in range(2))
        storage.run(lambda store: store.reviews.add(a_review(mine)))
        asked = [_key(mine), _key(other), (two.number, mine.invite_id)]
        assert storage.read(lambda store: store.reviews.reviewed(asked)) == {_key(mine)}
        assert storage.read(lambda store: store.reviews.reviewed([])) == set()


def _key(invitation: Invitation) -> tuple[int, str]:
    return invitation.shop_number, invitation.invite_id


def _claim(invitation: Invitation, token: bytes = b"token") -> Invitation:
    return invitation.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=Claim(token=token, lease_until=LEASE_END))


def _change_all(storage: Storage, before: Sequence[Invitation], after: Sequence[Invitation]) -> list[bool]:
    changes = list(zip(before, after, strict=True))
    return list(storage.run(lambda store: store.invitations.change_all(changes)))


def _history(storage: Storage, invitation: Invitation) -> list[Change]:
    return list(storage.read(lambda store: store.invitations.history(invitation)))

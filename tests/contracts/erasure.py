"""Contract tests for finding a person's invitations, and for forgetting addresses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import attrs
import pytest
from tests.builders import a_dedup_key, added, an_address_hash, an_invitation, scheduled
from tests.contracts.invitations import DAY, MICROSECOND, cancelled, change, claimed, found

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.provenance import OPEN_SNIPPET
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop


def forget(storage: Storage, invitation: Invitation) -> bool:
    """Forget the invitation's address; return the storage's answer."""
    return storage.run(lambda store: store.invitations.forget_address(invitation))


def without_address(invitation: Invitation) -> Invitation:
    """Return the invitation with its address erased."""
    return attrs.evolve(invitation, sealed_address=None)


class ErasureContract:
    """Part of `StorageContract`: a person's invitations."""

    def test_an_addresss_invitations_are_found_at_one_shop_or_at_all(self, storage: Storage) -> None:
        one, two = added(storage, a_shop("one")), added(storage, a_shop("two"))
        mine = [scheduled(storage, an_invitation(shop, each)) for each, shop in enumerate((one, one, two), start=1)]
        scheduled(storage, an_invitation(one, 4, address_hash=an_address_hash("bert")))
        assert _of_address(storage, None) == mine
        assert _of_address(storage, one.number) == mine[:2]
        assert _of_address(storage, two.number) == mine[2:]
        assert _of_address(storage, None, "carla") == []

    def test_they_are_found_in_every_state_and_after_their_erasure(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        first, second = (scheduled(storage, an_invitation(shop, each)) for each in (1, 2))
        change(storage, first, cancelled(first))
        forget(storage, second)
        assert _of_address(storage, None) == [cancelled(first), without_address(second)]

    def test_those_of_an_order_that_became_a_new_one_are_all_found(self, storage: Storage) -> None:
        shop, hashed = added(storage, a_shop()), an_address_hash()
        mine = [
            scheduled(
                storage,
                an_invitation(shop, each, reported_at=NOON + each * 60 * DAY, provenance=OPEN_SNIPPET),
                a_dedup_key(numbered=False),
            )
            for each in range(3)
        ]
        assert _of_address(storage, None) == _of_address(storage, shop.number) == mine
        asked = [(shop.number, hashed)]
        contacts = storage.read(lambda store: store.invitations.contacts(asked))[asked[0]]
        assert {each.invite_id for each in contacts} == {each.invite_id for each in mine}

    def test_a_forgotten_address_is_gone_and_all_else_stays(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        mine, other = (scheduled(storage, an_invitation(shop, each)) for each in (1, 2))
        assert forget(storage, mine)
        assert found(storage, mine) == without_address(mine)
        assert found(storage, other) == other
        assert not forget(storage, mine)

    def test_an_address_can_be_forgotten_in_any_state(self, storage: Storage) -> None:
        ours = claimed(storage, scheduled(storage, an_invitation(added(storage, a_shop()))))
        handed = ours.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=ours.claim)
        change(storage, ours, handed)
        assert forget(storage, ours)
        assert found(storage, ours) == without_address(handed)

    def test_an_unknown_invitation_has_no_address_to_forget(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop("one")), added(storage, a_shop("two"))
        mine = scheduled(storage, an_invitation(shop))
        assert not forget(storage, attrs.evolve(mine, shop_number=other.number))
        assert found(storage, mine) == mine

    def test_a_later_change_does_not_bring_a_forgotten_address_back(self, storage: Storage) -> None:
        mine = scheduled(storage, an_invitation(added(storage, a_shop())))
        forget(storage, mine)
        assert change(storage, mine, cancelled(mine))
        assert found(storage, mine) == without_address(cancelled(mine))

    def test_a_change_does_not_take_an_address_away(self, storage: Storage) -> None:
        mine = scheduled(storage, an_invitation(added(storage, a_shop())))
        assert change(storage, mine, without_address(cancelled(mine)))
        assert found(storage, mine) == cancelled(mine)

    def test_an_order_may_come_without_an_address(self, storage: Storage) -> None:
        mine = an_invitation(added(storage, a_shop()), sealed_address=None)
        assert scheduled(storage, mine, a_dedup_key()) == mine
        assert found(storage, mine) == mine
        assert scheduled(storage, an_invitation(added(storage, a_shop("two"))), a_dedup_key("other")).sealed_address

    def test_what_is_to_be_erased_has_an_address_and_was_to_be_sent_before_the_instant(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        late, early, middle, gone = (
            scheduled(storage, an_invitation(shop, each, due_after=days * DAY))
            for each, days in enumerate((3, 1, 2, 1), start=1)
        )
        forget(storage, gone)
        assert _to_erase(storage, early.scheduled_for) == []
        assert _to_erase(storage, early.scheduled_for + MICROSECOND) == [early]
        assert _to_erase(storage, NOON + 9 * DAY) == [early, middle, late]
        assert _to_erase(storage, NOON + 9 * DAY, limit=2) == [early, middle]

    def test_it_counts_from_what_the_shop_was_told_and_not_from_the_next_try(self, storage: Storage) -> None:
        ours = claimed(storage, scheduled(storage, an_invitation(added(storage, a_shop()))))
        later = ours.moved(State.SCHEDULED, Reason.REFUSED_FOR_NOW, NOON, due_at=NOON + timedelta(days=50))
        change(storage, ours, later)
        assert _to_erase(storage, later.scheduled_for + MICROSECOND) == [later]

    def test_all_states_are_to_be_erased_but_the_one_of_being_handed_over(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        waiting, ended, taken, leaving = (scheduled(storage, an_invitation(shop, each)) for each in range(1, 5))
        change(storage, ended, cancelled(ended))
        taken, leaving = claimed(storage, taken), claimed(storage, leaving)
        handed = leaving.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=leaving.claim)
        change(storage, leaving, handed)
        assert _to_erase(storage, NOON + 9 * DAY) == [waiting, cancelled(ended), taken]
        doubtful = handed.moved(State.UNCERTAIN, Reason.ANSWER_LOST, NOON, claim=handed.claim)
        change(storage, handed, doubtful)
        assert _to_erase(storage, NOON + 9 * DAY)[-1] == doubtful

    def test_what_a_failed_unit_forgot_is_there_again(self, storage: Storage) -> None:
        mine = scheduled(storage, an_invitation(added(storage, a_shop())))

        def forget_and_fail(store: Store) -> None:
            store.invitations.forget_address(mine)
            raise KeyError

        with pytest.raises(KeyError):
            storage.run(forget_and_fail)
        assert found(storage, mine) == mine

    def test_storage_that_was_compacted_holds_what_it_held(self, storage: Storage) -> None:
        mine = scheduled(storage, an_invitation(added(storage, a_shop())))
        forget(storage, mine)
        storage.compact()
        storage.compact()
        assert found(storage, mine) == without_address(mine)
        assert change(storage, mine, cancelled(mine))


def _of_address(storage: Storage, shop_number: int | None, name: str = "anna") -> Sequence[Invitation]:
    asked = an_address_hash(name)
    return list(storage.read(lambda store: store.invitations.of_address(asked, shop_number=shop_number)))


def _to_erase(storage: Storage, before: datetime, limit: int = 10) -> Sequence[Invitation]:
    return list(storage.read(lambda store: store.invitations.to_erase(before, limit)))

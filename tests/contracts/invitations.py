"""Contract tests for the storage of orders and their invitations."""

from __future__ import annotations

from datetime import datetime, timedelta

import attrs
import pytest
from tests.builders import a_dedup_key, added, an_invitation, scheduled

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Change, Invitation
from reviewinvite_core.domain.provenance import OPEN_SNIPPET, Confirmation, Provenance, Source
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
LEASE_END = NOON + timedelta(minutes=15)


def claimed(
    storage: Storage, invitation: Invitation, token: bytes = b"token", until: datetime = LEASE_END
) -> Invitation:
    """Store the invitation as claimed by a worker and return it."""
    after = invitation.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=Claim(token=token, lease_until=until))
    assert change(storage, invitation, after)
    return after


def change(storage: Storage, before: Invitation, after: Invitation) -> bool:
    """Change the invitation; return the storage's answer."""
    return storage.run(lambda store: store.invitations.change(before, after))


def settle(storage: Storage, invitation: Invitation, confirmation: Confirmation) -> bool:
    """Settle the order's confirmation; return the storage's answer."""
    return storage.run(lambda store: store.invitations.settle(invitation, confirmation))


def cancelled(invitation: Invitation) -> Invitation:
    """Return the invitation, cancelled."""
    return invitation.moved(State.CANCELLED, Reason.CANCELLED, NOON)


def found(storage: Storage, invitation: Invitation) -> Invitation | None:
    """Return the invitation as stored now."""
    return storage.read(lambda store: store.invitations.find(invitation.shop_number, invitation.invite_id))


class OrdersContract:
    """Part of `StorageContract`: orders."""

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

    @pytest.mark.parametrize("source", Source)
    def test_the_provenance_is_stored_as_it_is(self, storage: Storage, source: Source) -> None:
        new = an_invitation(added(storage, a_shop()), provenance=Provenance(source=source, key_id="key_ünï"))
        scheduled(storage, new)
        assert found(storage, new) == new

    @pytest.mark.parametrize("first", [Confirmation.GIVEN, Confirmation.TOO_LATE])
    def test_a_missing_confirmation_is_settled_once(self, storage: Storage, first: Confirmation) -> None:
        new = scheduled(storage, an_invitation(added(storage, a_shop()), provenance=OPEN_SNIPPET))
        assert settle(storage, new, first)
        assert not any(settle(storage, new, each) for each in Confirmation)
        settled = attrs.evolve(new, provenance=attrs.evolve(OPEN_SNIPPET, confirmation=first))
        assert found(storage, new) == settled
        assert change(storage, new, cancelled(new)), "whoever read it before may still change it"
        assert found(storage, new) == cancelled(settled)

    @pytest.mark.parametrize("source", [source for source in Source if source is not Source.SNIPPET])
    def test_what_no_snippet_reported_is_confirmed_for_ever(self, storage: Storage, source: Source) -> None:
        new = an_invitation(added(storage, a_shop()), provenance=Provenance(source=source))
        scheduled(storage, new)
        assert not settle(storage, new, Confirmation.TOO_LATE)
        assert found(storage, new) == new

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
    """Part of `StorageContract`: invitations."""

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

    def test_the_newest_invitations_are_chosen_by_place_and_order_number(self, storage: Storage) -> None:
        one, two = added(storage, a_shop("one")), added(storage, a_shop("two"))
        first, second, third = (
            scheduled(storage, an_invitation(shop, each, order_number=number, reported_at=NOON + each * DAY))
            for each, (shop, number) in enumerate(((one, "7"), (two, "7"), (one, "70")))
        )

        def newest(**chosen: object) -> list[Invitation]:
            query = {"shop": None, "state": None, "limit": 10, **chosen}
            rows = storage.read(lambda store: store.invitations.newest(**query))  # type: ignore[arg-type]
            return [invitation for _, invitation in rows]

        assert newest(before=third.invite_id) == [second, first]
        assert newest(order_number="7") == [second, first]
        assert newest(shop=one, order_number="7", before=third.invite_id) == [first]
        assert newest(state=State.UNCERTAIN, order_number="7") == []
        assert newest(before=first.invite_id) == []

    @pytest.mark.parametrize("number", ["\0", "7\0", "\udc80"])
    def test_no_order_has_a_number_that_cannot_be_stored(self, storage: Storage, number: str) -> None:
        shop = added(storage, a_shop())
        scheduled(storage, an_invitation(shop, order_number="7"))
        of_any = storage.read(
            lambda store: store.invitations.newest(shop=None, state=None, order_number=number, limit=10)
        )
        of_shop = storage.read(
            lambda store: store.invitations.of_shop(shop.number, before=None, order_number=number, limit=10)
        )
        assert (list(of_any), list(of_shop)) == ([], [])

    def test_what_is_uncertain_is_listed_the_newest_first_whenever_it_became_so(self, storage: Storage) -> None:
        one, two = added(storage, a_shop("one")), added(storage, a_shop("two"))
        doubtful = []
        for each, shop in enumerate((one, two, one)):
            new = scheduled(storage, an_invitation(shop, each, reported_at=NOON + each * DAY))
            doubtful.append(attrs.evolve(new, state=State.UNCERTAIN, changed_at=NOON - each * DAY))
            change(storage, new, doubtful[-1])
        scheduled(storage, an_invitation(one, 9, reported_at=NOON + 9 * DAY))

        def uncertain(shop: Shop | None, limit: int = 10) -> list[Invitation]:
            query = {"shop": shop, "state": State.UNCERTAIN, "limit": limit}
            rows = storage.read(lambda store: store.invitations.newest(**query))  # type: ignore[arg-type]
            return [invitation for _, invitation in rows]

        assert uncertain(None) == doubtful[::-1]
        assert uncertain(None, limit=1) == doubtful[2:]
        assert uncertain(one) == [doubtful[2], doubtful[0]]

    def test_a_shops_own_are_listed_by_their_ids_from_any_place_on(self, storage: Storage) -> None:
        one, two = added(storage, a_shop("one")), added(storage, a_shop("two"))
        first, second, third = (
            scheduled(storage, an_invitation(one, each, order_number=number, reported_at=NOON + each * DAY))
            for each, number in enumerate(("7", "70", "7"))
        )
        scheduled(storage, an_invitation(two, 9, order_number="7"))
        unnumbered = scheduled(storage, an_invitation(one, 4, order_number=None, reported_at=NOON + 4 * DAY))

        def listed(**chosen: object) -> list[Invitation]:
            query = {"before": None, "order_number": None, "limit": 10, **chosen}
            rows = storage.read(lambda store: store.invitations.of_shop(one.number, **query))  # type: ignore[arg-type]
            return list(rows)

        assert listed() == [unnumbered, third, second, first]
        assert listed(limit=2) == [unnumbered, third]
        assert listed(before=third.invite_id) == [second, first]
        assert listed(order_number="7") == [third, first]
        assert listed(order_number="7", before=third.invite_id) == [first]
        assert listed(order_number="8") == []
        assert listed(before=first.invite_id) == []
        change(storage, second, cancelled(second))
        assert listed(state=State.SCHEDULED, limit=2) == [unnumbered, third]
        assert listed(state=State.CANCELLED, order_number="70") == [cancelled(second)]

    def test_pages_of_each_state_have_all_that_are_in_it(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        one, two, three, four, five, six = (scheduled(storage, an_invitation(shop, each)) for each in range(6))
        scheduled(storage, an_invitation(other, 7))
        claimed(storage, scheduled(storage, an_invitation(other, 8)))
        expected = {
            State.SCHEDULED: [six, four, one],
            State.CLAIMED: [claimed(storage, two)],
            State.CANCELLED: [cancelled(five), cancelled(three)],
        }
        for each in (three, five):
            change(storage, each, cancelled(each))
        for state in State:
            pages: list[Invitation] = []
            last = None
            while page := storage.read(
                lambda store, s=state, b=last: store.invitations.of_shop(  # type: ignore[misc]
                    shop.number, before=b, order_number=None, state=s, limit=2
                )
            ):
                pages += page
                last = page[-1].invite_id
            assert pages == expected.get(state, [])

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

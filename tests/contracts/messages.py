"""Contract tests for the storage of messages (ADR-57)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta

import attrs
import pytest
from tests.builders import a_message, an_address_hash

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import SHOP_OF_NOTICES, Notice, NoticeKind
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON

MINUTE = timedelta(minutes=1)
MICROSECOND = timedelta(microseconds=1)
LEASE_END = NOON + 5 * MINUTE


class MessageBroken(Exception):
    """Exception that a unit raises here."""


class MessagesContract:
    """Part of `StorageContract`: messages."""

    def test_a_message_comes_back_as_it_was_stored(self, storage: Storage) -> None:
        (message,) = _added(storage, a_message())
        assert _found(storage, message) == message
        assert _found(storage, a_message(2)) is None

    def test_a_message_that_is_not_sent_yet_can_be_renewed_with_its_content(self, storage: Storage) -> None:
        (message,) = _added(storage, a_message())
        renewed = attrs.evolve(message, sealed=b"other", attempts=9, expires_at=message.expires_at + MINUTE)
        assert storage.run(lambda store: store.notices.add_or_renew(renewed))
        expected = attrs.evolve(message, expires_at=renewed.expires_at)
        assert _found(storage, message) == expected
        claimed = _claimed(storage, message)  # as it was read before
        assert _found(storage, message) == attrs.evolve(claimed, expires_at=renewed.expires_at)
        for state, reason, is_renewed in (
            (State.HANDING_OVER, Reason.FENCED, True),
            (State.UNCERTAIN, Reason.ANSWER_LOST, False),
            (State.SENT, Reason.ACCEPTED, False),
        ):
            before = storage.read(lambda store: store.notices.of_address(an_address_hash()))[0]
            after = before.moved(state, reason, NOON, claim=before.claim)
            assert _change(storage, before, after)
            later = attrs.evolve(after, expires_at=after.expires_at + MINUTE)
            assert storage.run(lambda store, it=later: store.notices.add_or_renew(it)) is is_renewed  # type: ignore[misc]
            assert _found(storage, message) == (later if is_renewed else after)

    def test_a_message_can_be_stored_in_one_step_whether_or_not_it_is_new(self, storage: Storage) -> None:
        message = a_message()
        assert storage.run(lambda store: store.notices.add_or_renew(message))
        assert _found(storage, message) == message

    def test_a_message_stays_about_its_shop(self, storage: Storage) -> None:
        of_shop, of_none = _added(storage, a_message(1, shop_number=7), a_message(2, queued_at=NOON + MINUTE))
        claimed = _claimed(storage, of_shop)
        assert storage.read(lambda store: store.notices.of_address(an_address_hash())) == [claimed, of_none]
        assert (claimed.shop_number, of_none.shop_number) == (7, None)

    def test_a_unit_that_fails_queues_nothing(self, storage: Storage) -> None:
        message = a_message()

        def add_and_fail(store: Store) -> None:
            store.notices.add(message)
            raise MessageBroken

        with pytest.raises(MessageBroken):
            storage.run(add_and_fail)
        assert _found(storage, message) is None

    def test_links_come_before_notices_and_the_longest_due_before_others(self, storage: Storage) -> None:
        notice, late, early = _added(
            storage, a_message(1, kind=NoticeKind.KEY_CREATED), a_message(2, due_at=NOON + MINUTE), a_message(3)
        )
        assert _due(storage, NOON + MINUTE) == [early, late, notice]
        assert _due(storage, NOON + MINUTE, limit=2) == [early, late]
        assert _due(storage, NOON) == [early, notice]

    def test_a_message_is_due_until_it_expires_and_overdue_from_then_on(self, storage: Storage) -> None:
        (message,) = _added(storage, a_message(expires_after=3 * MINUTE))
        end = NOON + 3 * MINUTE
        assert (_due(storage, NOON - MICROSECOND), _due(storage, end - MICROSECOND)) == ([], [message])
        assert _overdue(storage, end - MICROSECOND) == []
        assert (_due(storage, end), _overdue(storage, end)) == ([], [message])

    def test_what_expired_first_is_overdue_first(self, storage: Storage) -> None:
        later, sooner = _added(storage, a_message(1, expires_after=2 * MINUTE), a_message(2, expires_after=MINUTE))
        assert _overdue(storage, NOON + 2 * MINUTE) == [sooner, later]
        assert _overdue(storage, NOON + 2 * MINUTE, limit=1) == [sooner]

    def test_a_claimed_message_is_neither_due_nor_overdue(self, storage: Storage) -> None:
        (message,) = _added(storage, a_message())
        _claimed(storage, message)
        assert (_due(storage, NOON), _overdue(storage, message.expires_at)) == ([], [])

    def test_a_change_is_kept_with_its_claim_and_its_reply(self, storage: Storage) -> None:
        (message,) = _added(storage, a_message())
        claimed = _claimed(storage, message)
        assert _found(storage, message) == claimed
        back = claimed.moved(
            State.SCHEDULED, Reason.REFUSED_FOR_NOW, NOON + MINUTE, due_at=NOON + 2 * MINUTE, reply="451 4.7.1"
        )
        assert _change(storage, claimed, back)
        assert _found(storage, message) == back

    def test_a_change_from_another_state_or_claim_is_not_made(self, storage: Storage) -> None:
        message, unknown = a_message(), a_message(2)
        _added(storage, message)
        claimed = _claimed(storage, message)
        ours = attrs.evolve(claimed, claim=Claim(token=b"another", lease_until=LEASE_END))
        for before in (message, ours):
            assert not _change(storage, before, attrs.evolve(before, state=State.HANDING_OVER))
        assert not _change(storage, unknown, attrs.evolve(unknown, state=State.CLAIMED))
        assert _found(storage, message) == claimed

    def test_the_content_goes_when_a_message_has_ended(self, storage: Storage) -> None:
        (message,) = _added(storage, a_message())
        fenced = _handing_over(storage, message)
        assert fenced.sealed
        sent = fenced.moved(State.SENT, Reason.ACCEPTED, NOON, reply="250 2.0.0")
        assert _change(storage, fenced, sent)
        assert _found(storage, message) == sent
        assert sent.sealed is None

    def test_content_that_was_forgotten_does_not_come_back_with_a_change(self, storage: Storage) -> None:
        (message,) = _added(storage, a_message())
        assert storage.run(lambda store: store.notices.forget_content(message.message_id))
        assert not storage.run(lambda store: store.notices.forget_content(message.message_id))
        claimed = _claimed(storage, message)
        assert _found(storage, message) == attrs.evolve(claimed, sealed=None)

    def test_abandoned_is_what_is_held_beyond_its_lease_or_for_too_long(self, storage: Storage) -> None:
        _, claimed, fenced, far = _added(storage, *(a_message(serial) for serial in range(4)))
        claimed, fenced = _claimed(storage, claimed), _handing_over(storage, fenced)
        far = _claimed(storage, far, until=NOON + 99 * MINUTE)
        longest = NOON + 50 * MINUTE
        assert _abandoned(storage, LEASE_END - MICROSECOND, longest) == [far]
        assert _abandoned(storage, LEASE_END, NOON + 99 * MINUTE) == [claimed, fenced]
        assert _abandoned(storage, LEASE_END, longest) == [claimed, fenced, far]
        assert _abandoned(storage, LEASE_END, longest, limit=1) == [claimed]

    def test_in_doubt_is_what_is_held_and_what_was_queued_by_then(self, storage: Storage) -> None:
        early, late, claimed, fenced = _added(
            storage, a_message(1), a_message(2, queued_at=NOON + MINUTE), a_message(3), a_message(4)
        )
        claimed, fenced = _claimed(storage, claimed), _handing_over(storage, fenced)
        assert _in_doubt(storage, None) == [fenced]
        assert _in_doubt(storage, NOON) == [early, claimed, fenced]
        assert _in_doubt(storage, NOON + MINUTE) == [early, claimed, fenced, late]
        assert _in_doubt(storage, NOON, limit=1) == [early]

    def test_all_are_found_by_their_keys_which_name_no_shop(self, storage: Storage) -> None:
        first, second, _ = _added(storage, a_message(1), a_message(2, shop_number=7), a_message(3))
        asked = [first.key, second.key, (7, first.message_id), (SHOP_OF_NOTICES, a_message(4).message_id)]
        found = storage.run(lambda store: store.notices.find_all(asked))
        assert found == {(SHOP_OF_NOTICES, each.message_id): each for each in (first, second)}

    def test_an_address_has_all_messages_to_it_the_oldest_first(self, storage: Storage) -> None:
        late, early, _ = _added(
            storage,
            a_message(1, queued_at=NOON + MINUTE),
            a_message(2),
            a_message(3, address_hash=an_address_hash("bert")),
        )
        found = storage.read(lambda store: store.notices.of_address(an_address_hash()))
        assert found == [early, late]

    def test_a_sweep_deletes_what_expired_long_ago_but_nothing_in_hand_over(self, storage: Storage) -> None:
        old, fenced, young = _added(
            storage, a_message(1), a_message(2), a_message(3, expires_after=15 * MINUTE + MICROSECOND)
        )
        fenced = _handing_over(storage, fenced)
        before = NOON + 15 * MINUTE + MICROSECOND

        def sweep(limit: int) -> int:
            return storage.run(lambda store: store.notices.sweep(before, limit))

        assert sweep(0) == 0
        assert (sweep(9), sweep(9)) == (1, 0)
        assert [_found(storage, each) for each in (old, fenced, young)] == [None, fenced, young]

    def test_no_two_units_get_the_same_message(self, storage: Storage) -> None:
        _added(storage, *(a_message(serial) for serial in range(20)))
        taken: list[str] = []

        def take(store: Store) -> Sequence[str]:
            due = store.notices.due(NOON, 3)
            for each in due:
                store.notices.change(each, _with_claim(each))
            return [each.message_id for each in due]

        def take_all() -> None:
            while some := storage.run(take):
                taken.extend(some)

        threads = [threading.Thread(target=take_all) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(taken) == len(set(taken)) == 20


def _added(storage: Storage, *messages: Notice) -> Sequence[Notice]:
    for message in messages:
        storage.run(lambda store, message=message: store.notices.add(message))  # type: ignore[misc]
    return messages


def _found(storage: Storage, message: Notice) -> Notice | None:
    return storage.read(lambda store: store.notices.find(message.message_id))


def _due(storage: Storage, now: datetime, limit: int = 50) -> Sequence[Notice]:
    due = storage.run(lambda store: store.notices.due(now, limit))
    assert storage.read(lambda store: store.notices.is_any_due(now)) is bool(due)
    return due


def _overdue(storage: Storage, now: datetime, limit: int = 50) -> Sequence[Notice]:
    return storage.run(lambda store: store.notices.overdue(now, limit))


def _abandoned(storage: Storage, now: datetime, longest: datetime, limit: int = 50) -> Sequence[Notice]:
    return storage.run(lambda store: store.notices.abandoned(now, longest, limit))


def _in_doubt(storage: Storage, until: datetime | None, limit: int = 50) -> Sequence[Notice]:
    return storage.run(lambda store: store.notices.in_doubt(until, limit))


def _change(storage: Storage, before: Notice, after: Notice) -> bool:
    return storage.run(lambda store: store.notices.change(before, after))


def _with_claim(message: Notice, until: datetime = LEASE_END) -> Notice:
    claim = Claim(token=b"token", lease_until=until)
    return message.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=claim)


def _claimed(storage: Storage, message: Notice, until: datetime = LEASE_END) -> Notice:
    after = _with_claim(message, until)
    assert _change(storage, message, after)
    return after


def _handing_over(storage: Storage, message: Notice) -> Notice:
    claimed = _claimed(storage, message)
    after = claimed.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=claimed.claim)
    assert _change(storage, claimed, after)
    return after

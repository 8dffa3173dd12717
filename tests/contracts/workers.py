"""Contract tests for the heartbeats of workers, and for what they hold or will try again (ADR-70)."""

from __future__ import annotations

from datetime import timedelta

import attrs
from tests.builders import a_message, added, an_invitation, scheduled
from tests.contracts.invitations import change

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import Notice
from reviewinvite_core.domain.workers import Heartbeat
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

SECOND = timedelta(seconds=1)
OURS, THEIRS = b"worker a", b"\xff" * 8


class WorkersContract:
    """Part of `StorageContract`: workers."""

    def test_each_beat_raises_the_counter_of_its_worker_alone(self, storage: Storage) -> None:
        for worker, host, seconds in ((THEIRS, "b", 0), (OURS, "", 0), (OURS, "a", 1)):
            storage.run(lambda store, w=worker, h=host, s=seconds: store.workers.beat(w, h, NOON + s * SECOND))  # type: ignore[misc]
        ours = Heartbeat(worker=OURS, host="a", counter=2, at=NOON + SECOND)
        assert list(storage.read(lambda store: store.workers.every())) == [
            *(ours, Heartbeat(worker=THEIRS, host="b", counter=1, at=NOON))
        ]
        for _ in range(2):
            storage.run(lambda store: store.workers.remove(THEIRS))
        assert list(storage.read(lambda store: store.workers.every())) == [ours]

    def test_claims_are_found_by_their_worker_and_hand_overs_are_not(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        late, early, fenced, other, _ = (scheduled(storage, an_invitation(shop, serial)) for serial in range(1, 6))
        late = _claimed(storage, late, OURS + b"\xff" * 8, 2)
        early = _claimed(storage, early, OURS + b"\x00" * 8, 1)
        fenced = _claimed(storage, fenced, OURS + b"\x01" * 8, 1)
        change(storage, fenced, fenced.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=fenced.claim))
        other = _claimed(storage, other, THEIRS + b"\xff" * 8, 1)
        message = _claimed_message(storage, OURS + b"\x02" * 8)
        assert _claims(storage, OURS) == ([early, late], [message])
        assert _claims(storage, OURS, limit=1) == ([early], [message])
        assert _claims(storage, THEIRS) == ([other], [])

    def test_held_is_what_was_claimed_or_handed_over_before_the_instant(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        first, second, _ = (scheduled(storage, an_invitation(shop, serial)) for serial in range(1, 4))
        fenced = _claimed(storage, first, OURS + bytes(8), 1)
        change(storage, fenced, fenced.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=fenced.claim))
        _claimed(storage, second, OURS + bytes(8), 1)
        _claimed_message(storage, OURS + bytes(8))

        def count(seconds: int, most: int = 9) -> int:
            return storage.read(lambda store: store.workers.count_held(NOON + seconds * SECOND, most))

        assert [count(0), count(1), count(1, most=1)] == [0, 3, 2]

    def test_retrying_is_what_waits_after_an_attempt_at_an_active_shop(self, storage: Storage) -> None:
        shop, closed = added(storage, a_shop()), added(storage, a_shop("closed"))
        assert _retrying(storage) == (0, None)
        later, sooner, away, _ = (
            scheduled(storage, an_invitation(at, serial, due_after=hours * timedelta(hours=1)))
            for serial, (at, hours) in enumerate([(shop, 3), (shop, 2), (closed, 1), (shop, 1)], start=1)
        )
        for each in (later, sooner, away):
            _postpone(storage, _claimed(storage, each, OURS + bytes(8), 1))
        storage.run(lambda store: store.shops.change(attrs.evolve(closed, active=False)))
        message = _claimed_message(storage, OURS + bytes(8))
        assert _retrying(storage) == (2, sooner.scheduled_for)
        after = message.moved(State.SCHEDULED, Reason.UNREACHABLE, NOON)
        storage.run(lambda store: store.notices.change(message, after))
        assert _retrying(storage) == (3, sooner.scheduled_for)
        assert _retrying(storage, most=1) == (2, sooner.scheduled_for)


def _claimed(storage: Storage, waiting: Invitation, token: bytes, lease: int) -> Invitation:
    claim = Claim(token=token, lease_until=NOON + lease * SECOND)
    claimed = waiting.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=claim)
    change(storage, waiting, claimed)
    return claimed


def _postpone(storage: Storage, claimed: Invitation) -> None:
    change(storage, claimed, claimed.moved(State.SCHEDULED, Reason.UNREACHABLE, NOON, due_at=NOON + 9 * SECOND))


def _claimed_message(storage: Storage, token: bytes) -> Notice:
    waiting = a_message()
    claim = Claim(token=token, lease_until=NOON + SECOND)
    claimed = waiting.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=claim)

    def store_both(store: Store) -> None:
        store.notices.add(waiting)
        store.notices.change(waiting, claimed)

    storage.run(store_both)
    return claimed


def _claims(storage: Storage, worker: bytes, limit: int = 9) -> tuple[list[Invitation], list[Notice]]:
    return storage.run(
        lambda store: (list(store.invitations.claimed_by(worker, limit)), list(store.notices.claimed_by(worker, limit)))
    )


def _retrying(storage: Storage, most: int = 9) -> tuple[int, object]:
    return storage.read(lambda store: (store.workers.count_retrying(most), store.workers.oldest_retrying()))

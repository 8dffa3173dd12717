"""Contract tests for what is known about the mail server (ADR-69)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

import attrs
import pytest
from tests.builders import added, an_invitation, scheduled

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.relay import Relay
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

SECOND = timedelta(seconds=1)
KNOWN = Relay(
    epoch=2**63 - 1,
    accepted_at=NOON,
    refused_at=NOON + 3 * SECOND,
    refused_since=NOON + SECOND,
    tries=7,
    outage_since=NOON + 2 * SECOND,
    probe_at=NOON + 30 * SECOND,
)


class RelayBroken(Exception):
    """Exception that a unit raises here."""


class RelayContract:
    """Part of `StorageContract`: the mail server."""

    def test_nothing_is_known_at_first_and_then_what_was_kept(self, storage: Storage) -> None:
        assert storage.read(lambda store: store.relay.state()) == Relay()
        assert storage.run(lambda store: store.relay.lock()) == Relay()
        for known in (KNOWN, Relay(epoch=1)):
            _keep(storage, known)
            assert storage.read(lambda store: store.relay.state()) == known
            assert storage.run(lambda store: store.relay.lock()) == known

    def test_a_unit_that_fails_notes_nothing(self, storage: Storage) -> None:
        def note_and_fail(store: Store) -> None:
            _note(store, KNOWN, {(1, b"a" * 16)}, NOON)
            raise RelayBroken

        with pytest.raises(RelayBroken):
            storage.run(note_and_fail)
        assert storage.read(lambda store: (store.relay.state(), [*store.relay.refused_mail()])) == (Relay(), [])

    def test_refused_mail_is_noted_once_for_a_shop_and_a_domain_the_longest_ago_first(self, storage: Storage) -> None:
        for place, refused in enumerate(((1, b"a"), (0, b"b"), (1, b"b"), (1, b"a"))):
            at = NOON + place * SECOND
            storage.run(lambda store, refused=refused, at=at: store.relay.note_mail({refused}, at))  # type: ignore[misc]
        noted = storage.read(lambda store: store.relay.refused_mail())
        assert [(each.shop_number, each.domain, each.at - NOON) for each in noted] == [
            (0, b"b", SECOND),
            (1, b"b", 2 * SECOND),
            (1, b"a", 3 * SECOND),
        ]
        storage.run(lambda store: store.relay.forget_mail())
        assert list(storage.read(lambda store: store.relay.refused_mail())) == []

    def test_of_very_many_shops_and_domains_64_are_noted_and_these_stay_up_to_date(self, storage: Storage) -> None:
        storage.run(lambda store: store.relay.note_mail([(1, bytes([each])) for each in range(70)], NOON))
        storage.run(lambda store: store.relay.note_mail([(1, b"\0"), (1, b"x")], NOON + SECOND))
        noted = storage.read(lambda store: store.relay.refused_mail())
        assert (len(noted), noted[-1].domain, noted[-1].at) == (64, b"\0", NOON + SECOND)

    def test_the_fence_tells_whether_an_acceptance_is_awaited(self, storage: Storage) -> None:
        storage.run(lambda store: store.hosts.register("a"))
        before = NOON - SECOND
        for refused_at, accepted_at, awaited in (
            (None, None, False),
            (NOON, None, True),
            (NOON, before, True),
            (NOON, NOON, True),  # at the same instant it may have come first
            (before, NOON, False),
        ):
            known = Relay(refused_at=refused_at, accepted_at=accepted_at)
            _keep(storage, known)
            assert storage.run(lambda store: store.hosts.raise_fence("a"))[1] == awaited
            assert known.is_acceptance_awaited == awaited

    def test_in_an_outage_nothing_is_due_but_the_mail_of_a_shop_or_of_those_not_refused(self, storage: Storage) -> None:
        one, other = added(storage, a_shop()), added(storage, a_shop("other"))
        mine = scheduled(storage, an_invitation(one))
        others = [scheduled(storage, an_invitation(other, place)) for place in (1, 2)]
        storage.run(lambda store: _note(store, KNOWN, {(one.number, b"a")}, NOON))
        assert list(storage.run(lambda store: store.invitations.due(NOON, mine.due_at, 9))) == []

        def found(shop_number: int | None, limit: int = 9) -> list[str]:
            due = storage.run(
                lambda store: store.invitations.due_in_outage(NOON, mine.due_at, limit, shop_number=shop_number)
            )
            return [each.invite_id for each in due]

        assert found(None) == found(other.number) == [each.invite_id for each in others]
        assert found(None, limit=1) == [others[0].invite_id]
        assert found(one.number) == [mine.invite_id]
        _keep(storage, attrs.evolve(KNOWN, outage_since=None))
        assert len(storage.run(lambda store: store.invitations.due(NOON, mine.due_at, 9))) == 3

    def test_a_change_keeps_when_it_was_refused_and_the_epoch_of_its_rejection(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        pairs = []
        for place in range(3):
            waiting = scheduled(storage, an_invitation(shop, place))
            claimed = waiting.moved(State.CLAIMED, Reason.CLAIMED, NOON)
            refused_at = NOON - place * SECOND if place else None
            pairs.append((waiting, attrs.evolve(claimed, refused_at=refused_at, epoch=place or None)))
        storage.run(lambda store: store.invitations.change(*pairs[0]))
        storage.run(lambda store: store.invitations.change_all(pairs[1:]))
        keys = [(shop.number, after.invite_id) for _, after in pairs]
        stored = storage.read(lambda store: store.invitations.find_all(keys))
        assert [stored[key] for key in keys] == [after for _, after in pairs]

    def test_what_is_scheduled_again_is_due_and_has_no_epoch(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        pairs: list[tuple[Invitation, Invitation]] = []
        for place in range(3):
            waiting = scheduled(storage, an_invitation(shop, place))
            claimed = waiting.moved(State.CLAIMED, Reason.CLAIMED, NOON)
            rejected = attrs.evolve(claimed.moved(State.REJECTED, Reason.REFUSED, NOON, reply="554"), epoch=7)
            again = rejected.moved(State.SCHEDULED, Reason.RETRIED, NOON + SECOND, due_at=NOON + SECOND)
            pairs += [(waiting, claimed), (claimed, rejected), (rejected, again)]
        for change in pairs[:3]:
            storage.run(lambda store, pair=change: store.invitations.change(*pair))  # type: ignore[misc]
        for step in range(3):
            storage.run(lambda store, many=pairs[3 + step :: 3]: store.invitations.change_all(many))  # type: ignore[misc]
        due = storage.run(lambda store: store.invitations.due(NOON, NOON + SECOND, 9))
        assert list(due) == [again for _, again in pairs[2::3]]
        assert {(each.epoch, each.attempts, each.reason) for each in due} == {(None, 1, Reason.RETRIED)}
        history = storage.read(lambda store: store.invitations.history(due[0]))
        assert [change.reply for change in history] == [None, None, "554", None]


def _keep(storage: Storage, known: Relay) -> None:
    storage.run(lambda store: _note(store, known, (), NOON))


def _note(store: Store, known: Relay, refused: Collection[tuple[int, bytes]], at: datetime) -> None:
    store.relay.lock()
    store.relay.keep(known)
    store.relay.note_mail(refused, at)

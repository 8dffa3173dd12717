"""Contract tests for the storage of figures about invitations (ADR-58)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise

import pytest
from tests.builders import added, an_invitation, scheduled

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_figures import ANY_WEEK, Aside, InvitationFigures
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.provenance import OPEN_SNIPPET, Confirmation
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports import Done, Failed, LockedUnit, Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop

WEEK = timedelta(days=7)
MONDAY = date(2026, 3, 2)
LAST_INSTANT = datetime.combine(MONDAY + WEEK, time(), tzinfo=UTC) - timedelta(microseconds=1)


class FigureBroken(Exception):
    """Raised by a unit of work to undo its changes."""


class InvitationFiguresContract:
    """Part of `StorageContract`: figures about invitations."""

    def test_what_waits_or_is_on_its_way_is_not_counted(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        fenced(storage, scheduled(storage, an_invitation(shop)))
        scheduled(storage, an_invitation(shop, 2))
        assert figures(storage, shop) == recounted(storage, shop) == {}

    def test_a_state_is_counted_in_the_week_in_which_it_was_reached(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        for serial, at in enumerate((NOON, LAST_INSTANT, LAST_INSTANT + timedelta(microseconds=1))):
            sent(storage, fenced(storage, scheduled(storage, an_invitation(shop, serial))), at)
        cancelled(storage, scheduled(storage, an_invitation(shop, 3)))
        sent(storage, fenced(storage, scheduled(storage, an_invitation(other, 4))), NOON)
        expected = {(State.SENT, MONDAY): 2, (State.SENT, MONDAY + WEEK): 1, **cancelled_ones(1)}
        assert figures(storage, shop) == recounted(storage, shop) == expected
        assert figures(storage, shop, MONDAY + WEEK) == {(State.SENT, MONDAY + WEEK): 1}
        assert figures(storage, other) == recounted(storage, other) == {(State.SENT, MONDAY): 1}

    def test_what_is_uncertain_is_counted_until_it_is_resolved(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        doubtful = uncertain(storage, fenced(storage, scheduled(storage, an_invitation(shop))))
        assert figures(storage, shop, MONDAY + 9 * WEEK) == recounted(storage, shop) == {(State.UNCERTAIN, ANY_WEEK): 1}
        sent(storage, doubtful, NOON + 2 * WEEK)
        assert figures(storage, shop) == recounted(storage, shop) == {(State.SENT, MONDAY + 2 * WEEK): 1}

    def test_what_is_tried_again_is_counted_where_it_ends(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        rejected = []
        for serial, provenance in enumerate((OPEN_SNIPPET, an_invitation(shop).provenance)):
            held = fenced(storage, scheduled(storage, an_invitation(shop, serial, provenance=provenance)))
            rejected.append(_stored(storage, held, held.moved(State.REJECTED, Reason.REFUSED, NOON)))
        assert figures(storage, shop) == recounted(storage, shop)
        assert figures(storage, shop) == {(State.REJECTED, MONDAY): 2, (Aside.WEBSITE, MONDAY): 1}
        again = [(each, each.moved(State.SCHEDULED, Reason.RETRIED, NOON + 2 * WEEK)) for each in rejected]
        assert list(storage.run(lambda store: store.invitations.change_all(again))) == [True, True]
        assert figures(storage, shop) == recounted(storage, shop) == {}
        for _, each in again:
            sent(storage, fenced(storage, each), NOON + 2 * WEEK)
        weeks: InvitationFigures = {(State.SENT, MONDAY + 2 * WEEK): 2, (Aside.WEBSITE, MONDAY + 2 * WEEK): 1}
        assert figures(storage, shop) == recounted(storage, shop) == weeks

    def test_a_change_that_is_not_made_is_not_counted(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        first, second = (scheduled(storage, an_invitation(shop, serial)) for serial in (1, 2))
        cancelled(storage, first)
        changes = [(each, each.moved(State.CANCELLED, Reason.CANCELLED, NOON)) for each in (first, second)]
        assert not storage.run(lambda store: store.invitations.change(*changes[0]))
        assert list(storage.run(lambda store: store.invitations.change_all(changes))) == [False, True]
        assert figures(storage, shop) == recounted(storage, shop) == cancelled_ones(2)

    def test_a_unit_sees_what_it_has_counted(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        waiting = scheduled(storage, an_invitation(shop))

        def change(store: Store) -> InvitationFigures:
            store.invitations.change(waiting, waiting.moved(State.CANCELLED, Reason.CANCELLED, NOON))
            return store.invitation_figures.figures(shop.number)

        assert storage.run(change) == figures(storage, shop) == cancelled_ones(1)

    def test_what_a_unit_that_fails_has_changed_is_not_counted(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        waiting = [scheduled(storage, an_invitation(shop, serial)) for serial in range(3)]

        def unit(invitation: Invitation, *, fails: bool) -> LockedUnit[None]:
            def change(store: Store) -> None:
                store.invitations.change(invitation, invitation.moved(State.CANCELLED, Reason.CANCELLED, NOON))
                if fails:
                    raise FigureBroken

            return LockedUnit(change, frozenset({hash(invitation.invite_id) % 1000}))

        with pytest.raises(FigureBroken):
            storage.run(unit(waiting[0], fails=True))
        outcomes = storage.run_all([unit(each, fails=each is waiting[1]) for each in waiting])
        assert [type(outcome) for outcome in outcomes] == [Done, Failed, Done]
        assert figures(storage, shop) == recounted(storage, shop) == cancelled_ones(2)

    def test_invitations_of_unconfirmed_orders_are_counted_apart_until_these_are_confirmed(
        self, storage: Storage
    ) -> None:
        shop = added(storage, a_shop())
        each = [scheduled(storage, an_invitation(shop, serial, provenance=OPEN_SNIPPET)) for serial in range(4)]
        on_its_way = fenced(storage, each[0])
        cancelled(storage, each[1])
        suppressed(storage, each[2])
        doubtful = uncertain(storage, fenced(storage, each[3]))
        apart: InvitationFigures = {
            (State.UNCERTAIN, ANY_WEEK): 1,
            (State.SUPPRESSED, MONDAY): 1,
            (State.CANCELLED, MONDAY): 1,
        }
        website: InvitationFigures = {(Aside.WEBSITE, MONDAY): 2, (Aside.WEBSITE_CANCELLED, MONDAY): 1}
        assert figures(storage, shop) == recounted(storage, shop) == {**apart, **website}
        for invitation in (on_its_way, each[1], each[2]):
            assert storage.run(
                lambda store, one=invitation: store.invitations.settle(one, Confirmation.GIVEN)  # type: ignore[misc]
            )
        assert storage.run(lambda store: store.invitations.settle(doubtful, Confirmation.TOO_LATE))
        assert not storage.run(lambda store: store.invitations.settle(doubtful, Confirmation.GIVEN))
        confirmed: InvitationFigures = {(Aside.CONFIRMED_CANCELLED, MONDAY): 1, (Aside.CONFIRMED_MEMBER, MONDAY): 1}
        assert figures(storage, shop) == recounted(storage, shop) == {**apart, **confirmed}
        sent(storage, on_its_way, NOON)  # read before it was confirmed
        assert list(storage.run(lambda store: store.invitations.change_all([resolved(doubtful)]))) == [True]
        ended: InvitationFigures = {
            (State.SENT, MONDAY): 2,
            (State.SUPPRESSED, MONDAY): 1,
            (State.CANCELLED, MONDAY): 1,
        }
        expected: InvitationFigures = {**ended, **confirmed, (Aside.WEBSITE, MONDAY): 1}
        assert figures(storage, shop) == recounted(storage, shop) == expected
        totals = storage.read(lambda store: store.invitation_figures.totals(shop.number, MONDAY))
        assert totals == {counted: number for (counted, _), number in expected.items()}
        assert not storage.read(lambda store: store.invitation_figures.totals(shop.number, MONDAY + WEEK))

    def test_stored_figures_are_replaced(self, storage: Storage) -> None:
        shop, other = added(storage, a_shop()), added(storage, a_shop("other"))
        for serial, each in enumerate((shop, other)):
            cancelled(storage, scheduled(storage, an_invitation(each, serial)))
        wrong: InvitationFigures = {(State.SENT, MONDAY): 7, (State.UNCERTAIN, ANY_WEEK): 1}
        storage.run(lambda store: store.invitation_figures.keep(shop.number, wrong))
        assert figures(storage, shop) == wrong
        assert figures(storage, other) == recounted(storage, other)
        storage.run(lambda store: _correct(store, shop))
        assert figures(storage, shop) == recounted(storage, shop)


def cancelled_ones(number: int) -> InvitationFigures:
    """Return the figures of a shop that has cancelled some invitations of confirmed orders this week."""
    return {(State.CANCELLED, MONDAY): number, (Aside.CONFIRMED_CANCELLED, MONDAY): number}


def resolved(invitation: Invitation) -> tuple[Invitation, Invitation]:
    """Return an uncertain invitation, and as an operator resolves it."""
    return invitation, invitation.moved(State.SENT, Reason.OPERATOR, NOON)


def suppressed(storage: Storage, invitation: Invitation) -> Invitation:
    """Store the invitation as suppressed because it is a member's own, and return it."""
    return _stored(storage, invitation, invitation.moved(State.SUPPRESSED, Reason.MEMBER, NOON))


def figures(storage: Storage, shop: Shop, since: date = ANY_WEEK) -> InvitationFigures:
    """Return a shop's stored figures."""
    return storage.read(lambda store: store.invitation_figures.figures(shop.number, since))


def recounted(storage: Storage, shop: Shop) -> InvitationFigures:
    """Return a shop's figures as counted."""
    return storage.read(lambda store: store.invitation_figures.recount(shop.number))


def fenced(storage: Storage, invitation: Invitation) -> Invitation:
    """Store the invitation as past the fence, and return it."""
    claim = Claim(token=b"token", lease_until=NOON + WEEK)
    held = invitation.moved(State.CLAIMED, Reason.CLAIMED, NOON, claim=claim)
    return _stored(storage, invitation, held, held.moved(State.HANDING_OVER, Reason.FENCED, NOON, claim=claim))


def sent(storage: Storage, invitation: Invitation, at: datetime) -> Invitation:
    """Store the invitation as sent, and return it."""
    return _stored(storage, invitation, invitation.moved(State.SENT, Reason.ACCEPTED, at))


def uncertain(storage: Storage, invitation: Invitation) -> Invitation:
    """Store the invitation as uncertain, and return it."""
    return _stored(storage, invitation, invitation.moved(State.UNCERTAIN, Reason.ANSWER_LOST, NOON))


def cancelled(storage: Storage, invitation: Invitation) -> Invitation:
    """Store the invitation as cancelled, and return it."""
    return _stored(storage, invitation, invitation.moved(State.CANCELLED, Reason.CANCELLED, NOON))


def _stored(storage: Storage, *versions: Invitation) -> Invitation:
    for before, after in pairwise(versions):
        assert storage.run(lambda store, pair=(before, after): store.invitations.change(*pair))  # type: ignore[misc]
    return versions[-1]


def _correct(store: Store, shop: Shop) -> None:
    store.invitation_figures.freeze()
    store.invitation_figures.keep(shop.number, store.invitation_figures.recount(shop.number))

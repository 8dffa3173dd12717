"""Contract tests for what the storage finds for the frequency rule."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

import attrs
from tests.builders import added, an_address_hash, an_invitation, scheduled

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.frequency import Contact, Contacts, Recipient
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.provenance import OPEN_SNIPPET, UNKNOWN, Confirmation
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import NOON, a_shop

HOUR = timedelta(hours=1)
CLAIM = Claim(token=b"token", lease_until=NOON + HOUR)

Move = tuple[State, Reason]

FENCED: Sequence[Move] = ((State.CLAIMED, Reason.CLAIMED), (State.HANDING_OVER, Reason.FENCED))


def moved(storage: Storage, invitation: Invitation, *moves: Move, hours: int = 0) -> Invitation:
    """Move the stored invitation, an hour apart, the first time `hours` after noon; return it."""
    for place, (state, reason) in enumerate(moves):
        claim = CLAIM if state in {State.CLAIMED, State.HANDING_OVER} else None
        after = invitation.moved(state, reason, NOON + (hours + place) * HOUR, claim=claim)
        assert storage.run(lambda store, pair=(invitation, after): store.invitations.change(*pair))  # type: ignore[misc]
        invitation = after
    return invitation


def contacts(storage: Storage, asked: Collection[Recipient]) -> Contacts:
    """Return the storage's answer."""
    return storage.read(lambda store: store.invitations.contacts(asked))


class ContactsContract:
    """Part of `StorageContract`: invitations that count for the frequency rule."""

    def of_anna(self, storage: Storage, shop_number: int) -> list[tuple[datetime, bool]]:
        """Return when the shop wrote or will write to the address, in order, and whether it was handed over."""
        found = contacts(storage, [(shop_number, an_address_hash())]).get((shop_number, an_address_hash()), ())
        return sorted((each.at, each.handed_over) for each in found)

    def test_what_waits_counts_at_its_due_time(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        waiting = scheduled(storage, an_invitation(shop, due_at=NOON + 5 * HOUR))
        recipient = (shop.number, waiting.address_hash)
        expected = Contact(invite_id=waiting.invite_id, at=NOON + 5 * HOUR, handed_over=False)
        assert contacts(storage, [recipient]) == {recipient: [expected]}
        moved(storage, waiting, (State.CLAIMED, Reason.CLAIMED))
        assert contacts(storage, [recipient]) == {recipient: [expected]}

    def test_it_is_known_which_orders_are_confirmed(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        recipient = (shop.number, an_address_hash())
        given = attrs.evolve(OPEN_SNIPPET, confirmation=Confirmation.GIVEN)
        late = attrs.evolve(OPEN_SNIPPET, confirmation=Confirmation.TOO_LATE)
        for serial, provenance in enumerate((UNKNOWN, given, OPEN_SNIPPET, late), start=1):
            scheduled(storage, an_invitation(shop, serial, provenance=provenance))
        found = sorted(contacts(storage, [recipient])[recipient], key=lambda each: each.invite_id)
        assert [each.confirmed for each in found] == [True, True, False, False]

    def test_what_was_handed_over_counts_at_its_last_hand_over(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        again = (*FENCED, (State.SCHEDULED, Reason.REFUSED_FOR_NOW), *FENCED)
        endings: Sequence[Sequence[Move]] = (
            (),
            ((State.SENT, Reason.ACCEPTED),),
            ((State.UNCERTAIN, Reason.ANSWER_LOST),),
            ((State.UNCERTAIN, Reason.ANSWER_LOST), (State.SENT, Reason.OPERATOR)),
        )
        for serial, ending in enumerate(endings):
            invitation = scheduled(storage, self.to_anna(an_invitation(shop, serial)))
            moved(storage, invitation, *again, *ending, hours=10 * serial)
        assert self.of_anna(storage, shop.number) == [(NOON + (10 * each + 4) * HOUR, True) for each in range(4)]

    def test_what_an_older_copy_does_not_know_counts_since_it_is_in_doubt(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        doubtful = scheduled(storage, self.to_anna(an_invitation(shop)))
        moved(storage, doubtful, (State.UNCERTAIN, Reason.RECONCILED), (State.SENT, Reason.LINK_OPENED), hours=3)
        assert self.of_anna(storage, shop.number) == [(NOON + 3 * HOUR, True)]

    def test_what_never_left_does_not_count(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        endings: Sequence[Sequence[Move]] = (
            ((State.CANCELLED, Reason.CANCELLED),),
            ((State.SUPPRESSED, Reason.OPTED_OUT),),
            ((State.EXPIRED, Reason.OVERDUE),),
            (*FENCED, (State.REJECTED, Reason.REFUSED)),
        )
        for serial, ending in enumerate(endings):
            moved(storage, scheduled(storage, self.to_anna(an_invitation(shop, serial))), *ending)
        assert contacts(storage, [(shop.number, an_address_hash())]) == {}

    def test_an_erased_address_counts_by_its_hash(self, storage: Storage) -> None:
        shop = added(storage, a_shop())
        invitation = scheduled(storage, self.to_anna(an_invitation(shop)))
        moved(storage, invitation, *FENCED, (State.SENT, Reason.ACCEPTED))
        assert storage.run(lambda store: store.invitations.forget_address(invitation))
        assert self.of_anna(storage, shop.number) == [(NOON + HOUR, True)]

    def test_many_are_asked_about_at_once_each_shop_and_address_apart(self, storage: Storage) -> None:
        one, two = (added(storage, a_shop(name)) for name in ("one", "two"))
        to_anna = scheduled(storage, self.to_anna(an_invitation(one, 1)))
        scheduled(storage, self.to_anna(an_invitation(two, 2)))
        bert = an_address_hash("bert")
        scheduled(storage, attrs.evolve(an_invitation(one, 3), address_hash=bert))
        many = [(one.number, an_address_hash(str(each))) for each in range(300)]
        asked = [*many, (one.number, an_address_hash()), (two.number, bert)]
        found = contacts(storage, asked)
        assert {recipient: [each.invite_id for each in every] for recipient, every in found.items()} == {
            (one.number, an_address_hash()): [to_anna.invite_id]
        }
        assert contacts(storage, []) == {}

    def to_anna(self, invitation: Invitation) -> Invitation:
        """Return the invitation with the address that is asked about."""
        return attrs.evolve(invitation, address_hash=an_address_hash())

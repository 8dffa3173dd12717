"""Messages: what their kinds need, what is sealed of them, and how their states follow each other."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

import attrs
import pytest
from tests.builders import a_message
from tests.messages import VALUES, a_new_message

from reviewinvite_core.domain import invitation_states
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.invitation_states import Reason, State, TransitionForbidden
from reviewinvite_core.domain.notices import ENDED, TRANSITIONS, NoticeContent, NoticeKind
from reviewinvite_core.domain.sealing import NONCE_BYTES, ContentDecryptionError, KeyRing
from reviewinvite_core.testing.builders import NOON

RING = KeyRing.make(bytes(range(128)))


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in NoticeKind for name in VALUES[kind]])
def test_a_message_without_a_value_that_its_text_has_is_a_bug(kind: NoticeKind, name: str) -> None:
    whole = a_new_message(kind, expires_at=NOON)
    lacking = {each: value for each, value in whole.values.items() if each != name}
    with pytest.raises(ValueError, match=name):
        attrs.evolve(whole, values=lacking)


def test_a_link_is_valid_for_minutes_or_for_hours() -> None:
    link = a_new_message(expires_at=NOON)
    assert attrs.evolve(link, values={"link": link.values["link"], "hours": "72"}).values["hours"] == "72"


def test_what_is_sealed_opens_with_the_ring_and_shows_nothing_without_it() -> None:
    content = NoticeContent(recipient=EmailAddress("anna@example.com"), values={"shop": "Bäckerij 🍞", "odd": "\ud800"})
    sealed = content.seal(RING, bytes(NONCE_BYTES))
    assert NoticeContent.open(RING, sealed) == content
    assert b"anna" not in sealed
    for other, damaged in ((KeyRing.make(bytes(128)), sealed), (RING, sealed[:-1]), (RING, b"")):
        with pytest.raises(ContentDecryptionError):
            NoticeContent.open(other, damaged)


def test_a_sealed_address_is_no_content() -> None:
    sealed = RING.seal_address(EmailAddress("anna@example.com"), bytes(NONCE_BYTES))
    with pytest.raises(ContentDecryptionError):
        NoticeContent.open(RING, sealed)


def test_the_table_decides_about_every_move() -> None:
    for before, after, reason in product(State, State, Reason):
        message = a_message(state=before)
        if reason in TRANSITIONS.get((before, after), ()):
            assert message.moved(after, reason, NOON).state is after
        else:
            with pytest.raises(TransitionForbidden):
                message.moved(after, reason, NOON)


def test_a_message_moves_only_as_an_invitation_may_too_but_expires_also_when_claimed() -> None:
    moves = {(*pair, reason) for pair, reasons in TRANSITIONS.items() for reason in reasons}
    known = {(*pair, reason) for pair, reasons in invitation_states.TRANSITIONS.items() for reason in reasons}
    assert moves - known == {(State.CLAIMED, State.EXPIRED, Reason.OVERDUE)}


def test_a_message_that_has_ended_keeps_no_content_and_moves_no_more() -> None:
    fenced = a_message(state=State.HANDING_OVER)
    assert fenced.moved(State.SENT, Reason.ACCEPTED, NOON).sealed is None
    assert fenced.moved(State.UNCERTAIN, Reason.ANSWER_LOST, NOON).sealed == fenced.sealed
    assert not any(before in ENDED for before, _ in TRANSITIONS)


def test_each_claim_counts_as_an_attempt_and_a_later_time_is_kept() -> None:
    claimed = a_message(attempts=1).moved(State.CLAIMED, Reason.CLAIMED, NOON)
    later = NOON + timedelta(minutes=2)
    back = claimed.moved(State.SCHEDULED, Reason.REFUSED_FOR_NOW, NOON, due_at=later)
    assert (claimed.attempts, back.attempts, back.due_at) == (2, 2, later)

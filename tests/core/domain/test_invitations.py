"""An invitation's life never leaves the table of transitions."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from typing import Any

import attrs
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.builders import an_invitation

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import TRANSITIONS, Reason, State, TransitionForbidden
from reviewinvite_core.domain.invitations import Change, Invitation, NotRetried, obstacle_to_retry
from reviewinvite_core.testing.builders import NOON, a_shop

SHOP = a_shop().numbered(1)
CLAIM = Claim(token=b"token", lease_until=NOON + timedelta(minutes=15))
FINAL = {State.SENT, State.CANCELLED, State.SUPPRESSED, State.EXPIRED}

# the specification's own list, written a second time: a change of the table has to be made here too
SPECIFIED = {
    "scheduled": {"claimed", "cancelled", "suppressed", "expired", "scheduled", "uncertain", "sent"},
    "claimed": {"scheduled", "rejected", "cancelled", "suppressed", "handing_over", "uncertain", "sent"},
    "handing_over": {"sent", "rejected", "scheduled", "uncertain"},
    "uncertain": {"sent", "rejected", "scheduled"},
    "rejected": {"scheduled", "uncertain"},
}


def in_state(state: State) -> Invitation:
    return an_invitation(SHOP, state=state)


def test_the_table_is_the_one_that_is_specified() -> None:
    table: dict[str, set[str]] = {}
    for before, after in TRANSITIONS:
        table.setdefault(before.value, set()).add(after.value)
    assert table == SPECIFIED


@pytest.mark.parametrize(("before", "after"), list(itertools.product(State, State)))
def test_every_pair_of_states_moves_for_the_reasons_of_the_table_and_no_other(before: State, after: State) -> None:
    for reason in Reason:
        allowed = reason in TRANSITIONS.get((before, after), frozenset())
        assert in_state(before).can_move(after, reason) == allowed
        if allowed:
            moved = in_state(before).moved(after, reason, NOON)
            assert (moved.state, moved.reason, moved.changed_at) == (after, reason, NOON)
        else:
            with pytest.raises(TransitionForbidden):
                in_state(before).moved(after, reason, NOON)


@pytest.mark.parametrize("state", list(State))
def test_what_is_final_is_left_by_nothing(state: State) -> None:
    assert state.final == (state in FINAL)
    if state.final:
        for to, reason in itertools.product(State, Reason):
            assert not in_state(state).can_move(to, reason)


def test_what_is_uncertain_is_not_sent_again_by_itself() -> None:
    assert TRANSITIONS[State.UNCERTAIN, State.SCHEDULED] == {Reason.REFUSED_FOR_NOW, Reason.OPERATOR}
    assert (State.UNCERTAIN, State.CLAIMED) not in TRANSITIONS
    assert (State.UNCERTAIN, State.HANDING_OVER) not in TRANSITIONS


def test_what_is_rejected_is_scheduled_again_by_an_operator_only() -> None:
    assert TRANSITIONS[State.REJECTED, State.SCHEDULED] == {Reason.RETRIED}
    assert TRANSITIONS[State.REJECTED, State.UNCERTAIN] == {Reason.RECONCILED}


REFUSED = Change(state=State.REJECTED, reason=Reason.REFUSED, at=NOON, reply="554 5.7.1")


@pytest.mark.parametrize(
    ("changes", "history", "suppressed", "obstacle"),
    [
        ({}, [REFUSED], False, None),
        ({"state": State.SENT}, [REFUSED], False, NotRetried.NOT_REJECTED),
        ({"sealed_address": None}, [REFUSED], True, NotRetried.ERASED),
        ({}, [attrs.evolve(REFUSED, reply="550 5.1.1")], True, NotRetried.NO_MAILBOX),
        ({}, [REFUSED], True, NotRetried.SUPPRESSED),
        ({}, [attrs.evolve(REFUSED, state=State.UNCERTAIN), REFUSED], False, NotRetried.UNCERTAIN),
        ({"epoch": 6}, [REFUSED], False, NotRetried.OLDER),
        ({"epoch": None}, [REFUSED], False, NotRetried.OLDER),
    ],
)
def test_only_what_may_be_sent_and_certainly_never_left_is_tried_again(
    changes: dict[str, Any], history: list[Change], suppressed: bool, obstacle: NotRetried | None
) -> None:
    rejected = attrs.evolve(in_state(State.REJECTED), **{"epoch": 7, **changes})
    assert obstacle_to_retry(rejected, history, epoch=7, suppressed=suppressed) is obstacle


def test_the_hand_over_begins_at_the_fence_only() -> None:
    into = [pair for pair in TRANSITIONS if pair[1] is State.HANDING_OVER]
    assert into == [(State.CLAIMED, State.HANDING_OVER)]


class Life(RuleBasedStateMachine):
    """Any sequence of moves, allowed or not, with any claims and times."""

    def __init__(self) -> None:
        super().__init__()
        self.invitation = an_invitation(SHOP)
        self.first = self.invitation
        self.path = [State.SCHEDULED]
        self.claims = 0
        self.now = NOON

    @rule(
        to=st.sampled_from(State),
        reason=st.sampled_from(Reason),
        claim=st.none() | st.just(CLAIM),
        later=st.integers(0, 10**9),
    )
    def move(self, to: State, reason: Reason, claim: Claim | None, later: int) -> None:
        self.now += timedelta(microseconds=later)
        before = self.invitation
        try:
            self.invitation = before.moved(to, reason, self.now, claim=claim)
        except TransitionForbidden:
            return
        self.path.append(to)
        self.claims += to is State.CLAIMED
        assert self.invitation.claim == claim

    @rule(data=st.data())
    def move_as_allowed(self, data: st.DataObject) -> None:
        ways = [
            (to, reason) for (frm, to), why in TRANSITIONS.items() if frm is self.path[-1] for reason in sorted(why)
        ]
        if ways:
            to, reason = data.draw(st.sampled_from(ways))
            self.move(to, reason, CLAIM if to in (State.CLAIMED, State.HANDING_OVER) else None, 1)

    @invariant()
    def the_path_is_in_the_table(self) -> None:
        for before, after in itertools.pairwise(self.path):
            assert after.value in SPECIFIED[before.value]
        assert self.invitation.state is self.path[-1]

    @invariant()
    def the_final_state_is_the_last(self) -> None:
        assert not FINAL.intersection(self.path[:-1])

    @invariant()
    def what_never_changes_is_as_it_was(self) -> None:
        for name in ("invite_id", "shop_number", "order_number", "scheduled_for", "reported_at", "language"):
            assert getattr(self.invitation, name) == getattr(self.first, name)

    @invariant()
    def each_claim_is_an_attempt(self) -> None:
        assert self.invitation.attempts == self.claims
        if self.invitation.first_tried_at is None:
            assert self.claims == 0 or State.SCHEDULED in self.path[1:]
        else:
            assert self.claims


TestLife = Life.TestCase


def test_the_first_try_is_remembered_through_all_others() -> None:
    invitation = an_invitation(SHOP)
    for hours in (1, 2, 3):
        invitation = invitation.moved(State.CLAIMED, Reason.CLAIMED, NOON + timedelta(hours=hours), claim=CLAIM)
        invitation = invitation.moved(State.SCHEDULED, Reason.UNREACHABLE, NOON, due_at=NOON, reply="451")
        assert (invitation.claim, invitation.due_at, invitation.reply) == (None, NOON, "451")
    assert invitation.first_tried_at == NOON + timedelta(hours=1)
    assert invitation.attempts == 3
    assert invitation.moved(State.CLAIMED, Reason.CLAIMED, NOON).reply is None


def test_a_claim_holds_for_its_token_until_its_lease_ends() -> None:
    ours = attrs.evolve(in_state(State.CLAIMED), claim=CLAIM)
    end, hair = CLAIM.lease_until, timedelta(microseconds=1)
    assert ours.held_by(b"token", end - hair)
    assert not ours.held_by(b"token", end)
    assert not ours.held_by(b"other", end - hair)
    assert not attrs.evolve(ours, claim=None).held_by(b"token", NOON)
    for state in set(State) - {State.CLAIMED}:
        assert not attrs.evolve(ours, state=state).held_by(b"token", NOON)


def test_neither_token_nor_sealed_address_shows_in_a_log() -> None:
    ours = attrs.evolve(in_state(State.CLAIMED), claim=CLAIM, sealed_address=b"sealed-address")
    assert "token" not in repr(ours)
    assert "sealed-address" not in repr(ours)


TRIED: dict[str, Any] = {"attempts": 5, "first_tried_at": NOON - timedelta(days=1)}


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (State.CLAIMED, Reason.LEASE_EXPIRED),
        (State.CLAIMED, Reason.SHOP_INACTIVE),
        (State.CLAIMED, Reason.SHUTDOWN),
        (State.CLAIMED, Reason.PAUSED),
        (State.HANDING_OVER, Reason.MARK_UNWRITTEN),
        (State.UNCERTAIN, Reason.OPERATOR),
    ],
)
def test_what_comes_back_untried_begins_its_tries_again(before: State, reason: Reason) -> None:
    back = an_invitation(SHOP, state=before, **TRIED).moved(State.SCHEDULED, reason, NOON)
    assert back.first_tried_at is None


@pytest.mark.parametrize("reason", [Reason.REFUSED_FOR_NOW, Reason.UNREACHABLE])
def test_a_temporary_refusal_goes_on_with_the_series(reason: Reason) -> None:
    back = an_invitation(SHOP, state=State.CLAIMED, **TRIED).moved(State.SCHEDULED, reason, NOON)
    assert back.first_tried_at == TRIED["first_tried_at"]


@pytest.mark.parametrize(
    ("late", "first_tried_at"),
    [
        (timedelta(hours=8), NOON - timedelta(days=1)),
        (timedelta(hours=8, microseconds=1), NOON + timedelta(hours=8, microseconds=1)),
    ],
)
def test_a_try_more_than_8_hours_after_it_was_due_begins_a_new_series(
    late: timedelta, first_tried_at: datetime
) -> None:
    waiting = attrs.evolve(an_invitation(SHOP, **TRIED), due_at=NOON)
    claimed = waiting.moved(State.CLAIMED, Reason.CLAIMED, NOON + late, claim=CLAIM)
    assert claimed.first_tried_at == first_tried_at

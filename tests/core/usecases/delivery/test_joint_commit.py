"""The fences and outcomes of several deliveries in one unit of work, and the mark that follows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import attrs
import pytest
from tests.core.usecases.delivery.stepped_delivery import InMemoryMark
from tests.core.usecases.harness import AppHarness, invitation_of
from tests.messages import queue

from reviewinvite_core import State
from reviewinvite_core.domain.errors import ConfigurationError, StorageUnavailable
from reviewinvite_core.domain.handovers import HandOver, HighWaterMark
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import MailItem, Notice
from reviewinvite_core.ports import Accepted, Done, Failed, HighWaterMarkUnwritten
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.claim import claim_due
from reviewinvite_core.usecases.delivery.committer import (
    HighWaterMarkUnread,
    JointCommit,
    Requests,
    unwrap_fenced,
    unwrap_recorded,
)
from reviewinvite_core.usecases.delivery.fence import FenceRequest
from reviewinvite_core.usecases.delivery.outcomes import OutcomeRequest
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard

T = TypeVar("T")


@attrs.define
class CountedTransactions:
    """Runs steps on another runner and keeps the locks of those that are batched; while `away`, storage is.

    It also is for the batches of these numbers.
    """

    runner: TransactionRunner
    batched: list[frozenset[int]] = attrs.field(factory=list)
    away: bool = False
    away_at: tuple[int, ...] = ()

    def run(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        return self.runner.run(step, locks=locks)

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        self.batched.append(locks)
        if self.away or len(self.batched) in self.away_at:
            raise StorageUnavailable("away")
        return self.runner.run_batched(step, locks=locks)


class WatchedMark(InMemoryMark):
    """A mark that keeps how many hand-overs each write names, and fails as a test has it."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[int] = []
        self.error: Exception | None = None
        self.damaged = False

    def read(self) -> HighWaterMark | None:
        if self.damaged:
            raise ConfigurationError("damaged")
        return super().read()

    def advance(self, hand_overs: Sequence[HandOver]) -> None:
        self.writes.append(len(hand_overs))
        if self.error:
            raise self.error
        super().advance(hand_overs)


class Deliveries:
    """A shop with claimed invitations, and joint commits on its storage."""

    def __init__(self, count: int) -> None:
        self.mark = WatchedMark()
        self.harness = AppHarness(mark=self.mark)
        for number in range(count):
            self.harness.report_due(f"c{number}@example.com")
        claimed = self.harness.transactions.run(
            lambda ctx: claim_due(ctx, "https://x", count, since=None, high_water_mark=None)
        )
        self.claimed = [invitation_of(each.item) for each in claimed.assignments]
        self.transactions = CountedTransactions(self.harness.transactions)
        self.joint = JointCommit(self.transactions, RestoreGuard(store=self.mark, one_host=True))

    def fences(self, *invitations: Invitation) -> tuple[FenceRequest, ...]:
        return tuple(FenceRequest(item=each) for each in invitations)

    def fenced(self, *invitations: Invitation) -> list[Invitation]:
        """Take these through the fence."""
        committed = self.joint.commit(Requests(fences=self.fences(*invitations)))
        passed = [invitation_of(unwrap_fenced(each).item) for each in self.joint.advance(committed.fences)]
        self.transactions.batched.clear()
        self.mark.writes.clear()
        return passed

    def states(self) -> list[State]:
        return [self.harness.invitation(each.invite_id).state for each in self.claimed]


def broken(_: UnitContext) -> Invitation:
    message = "broken"
    raise ValueError(message)


def test_outcomes_and_fences_share_a_unit_of_work_and_the_fences_a_write_of_the_mark() -> None:
    deliveries = Deliveries(6)
    out = deliveries.fenced(*deliveries.claimed[:2])
    requests = Requests(
        outcomes=tuple(OutcomeRequest(item=each, answer=Accepted("250")) for each in out),
        fences=deliveries.fences(*deliveries.claimed[2:]),
    )
    committed = deliveries.joint.commit(requests)
    assert deliveries.states() == [State.SENT] * 2 + [State.HANDING_OVER] * 4
    assert [unwrap_recorded(each).state for each in committed.outcomes] == [State.SENT] * 2
    assert [unwrap_fenced(each).number for each in committed.fences] == [3, 4, 5, 6]
    assert len(deliveries.transactions.batched) == 1
    assert deliveries.mark.writes == []
    assert deliveries.joint.advance(committed.fences) == committed.fences
    assert deliveries.mark.writes == [4]
    assert [each.invite_id for each in deliveries.mark.recall().named] == [
        each.invite_id for each in deliveries.claimed
    ]


def test_one_step_that_raises_harms_no_other() -> None:
    deliveries = Deliveries(3)
    (out,) = deliveries.fenced(deliveries.claimed[0])
    requests = Requests(
        outcomes=(OutcomeRequest(item=out, answer=Accepted()), OutcomeRequest(item=deliveries.claimed[1], step=broken)),
        fences=deliveries.fences(deliveries.claimed[2]),
    )
    committed = deliveries.joint.commit(requests)
    assert deliveries.states() == [State.SENT, State.CLAIMED, State.HANDING_OVER]
    assert isinstance(committed.outcomes[0], Done)
    assert isinstance(committed.outcomes[1], Failed)
    assert isinstance(committed.outcomes[1].error, ValueError)
    assert unwrap_fenced(committed.fences[0]).number == 2


def test_storage_that_is_away_fails_all_and_is_asked_once() -> None:
    deliveries = Deliveries(2)
    (out,) = deliveries.fenced(deliveries.claimed[0])
    deliveries.transactions.away = True
    committed = deliveries.joint.commit(
        Requests(outcomes=(OutcomeRequest(item=out),), fences=deliveries.fences(deliveries.claimed[1]))
    )
    for outcome in (*committed.outcomes, *committed.fences):
        assert isinstance(outcome, Failed)
        assert isinstance(outcome.error, StorageUnavailable)
    assert len(deliveries.transactions.batched) == 1


def test_storage_that_goes_away_for_an_outcome_alone_lets_no_fence_of_that_commit_pass() -> None:
    deliveries = Deliveries(3)
    out = deliveries.fenced(*deliveries.claimed[:1])
    requests = Requests(
        outcomes=(
            OutcomeRequest(item=deliveries.claimed[1], step=broken),  # so that each is committed alone
            *(OutcomeRequest(item=each, answer=Accepted()) for each in out),
        ),
        fences=deliveries.fences(deliveries.claimed[2]),
    )
    deliveries.transactions.away_at = (3,)  # all, the broken one alone, and then the answer alone
    committed = deliveries.joint.commit(requests)
    assert deliveries.states() == [State.HANDING_OVER, State.CLAIMED, State.CLAIMED]
    for outcome in (committed.outcomes[1], *committed.fences):
        assert isinstance(outcome, Failed)
        assert isinstance(outcome.error, StorageUnavailable)


def test_nothing_is_committed_if_it_may_not_begin_once_the_mark_is_read() -> None:
    deliveries = Deliveries(1)

    def begin() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        deliveries.joint.commit(Requests(fences=deliveries.fences(*deliveries.claimed)), begin=begin)
    assert deliveries.transactions.batched == []


def test_a_mark_that_cannot_be_read_stops_the_fences_and_no_outcome() -> None:
    deliveries = Deliveries(2)
    (out,) = deliveries.fenced(deliveries.claimed[0])
    deliveries.mark.damaged = True
    committed = deliveries.joint.commit(
        Requests(
            outcomes=(OutcomeRequest(item=out, answer=Accepted()),), fences=deliveries.fences(deliveries.claimed[1])
        )
    )
    assert deliveries.states() == [State.SENT, State.CLAIMED]
    with pytest.raises(HighWaterMarkUnread, match="damaged"):
        unwrap_fenced(committed.fences[0])


@pytest.mark.parametrize("error", [HighWaterMarkUnwritten("full"), ValueError("a fault")])
def test_a_mark_that_cannot_be_written_is_told_to_those_that_passed_and_to_no_other(error: Exception) -> None:
    deliveries = Deliveries(2)
    passing, stopped = deliveries.claimed
    deliveries.harness.app.invitations.cancel(deliveries.harness.caller, stopped.invite_id)
    committed = deliveries.joint.commit(Requests(fences=deliveries.fences(passing, stopped)))
    deliveries.mark.error = error
    unwritten = [unwrap_fenced(each) for each in deliveries.joint.advance(committed.fences)]
    assert [each.number for each in unwritten] == [1, None]
    assert [each.unwritten for each in unwritten] == [error, None]


def test_a_message_and_invitations_share_a_commit_and_a_write_of_the_mark() -> None:
    deliveries = Deliveries(2)
    queued = queue(deliveries.harness.app)
    claimed = deliveries.harness.transactions.run(
        lambda ctx: claim_due(ctx, "https://x", 0, since=None, high_water_mark=None)
    )
    (ours,) = (each.item for each in claimed.assignments)
    first, second = deliveries.fences(*deliveries.claimed)
    committed = deliveries.joint.commit(Requests(fences=(first, FenceRequest(item=ours), second)))
    passed = [unwrap_fenced(each) for each in deliveries.joint.advance(committed.fences)]
    assert [item_of(each.item) for each in passed] == [
        deliveries.claimed[0].invite_id,
        queued.message_id,
        deliveries.claimed[1].invite_id,
    ]
    assert sorted(each.number or 0 for each in passed) == [1, 2, 3]
    assert (len(deliveries.transactions.batched), deliveries.mark.writes) == (1, [3])
    outcomes = tuple(OutcomeRequest(item=each.item, answer=Accepted("250")) for each in passed)
    recorded = [unwrap_recorded(each) for each in deliveries.joint.commit(Requests(outcomes=outcomes)).outcomes]
    assert [(item_of(each), each.state) for each in recorded] == [(item_of(each.item), State.SENT) for each in passed]


def item_of(item: MailItem) -> str:
    return item.message_id if isinstance(item, Notice) else item.invite_id

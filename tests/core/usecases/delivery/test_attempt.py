"""The fence: nothing leaves that was withdrawn meanwhile, and nothing leaves twice (ADR-7)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import cast

import attrs
import pytest
from tests.builders import a_suppression
from tests.core.usecases.delivery.stepped_delivery import InMemoryMark
from tests.core.usecases.harness import LEASE, AppHarness, MailScript, deliver_till_killed, invitation_of, kill, present

from reviewinvite_core import OPERATOR
from reviewinvite_core.domain.deliveries import ItemKey
from reviewinvite_core.domain.handovers import HandOver
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    Invitations,
    Notices,
    RefusedForNow,
    Rejected,
    Store,
    Unreachable,
)
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.dispatcher import deliver_due
from reviewinvite_core.usecases.delivery.outcomes import record_outcome

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def test_cancelled_while_it_is_staged_nothing_goes_out() -> None:
    harness = AppHarness(MailScript(while_staged=lambda: harness.app.invitations.cancel(OPERATOR, invite_id)))
    invite_id = harness.report_due()
    assert [each.state for each in harness.deliver()] == [State.CANCELLED]
    assert (len(harness.mailer.staged), len(harness.mailer.abandoned), harness.mailer.committed) == (1, 1, [])
    assert harness.reasons(invite_id) == [Reason.REPORTED, Reason.CLAIMED, Reason.CANCELLED]


def test_a_shop_that_became_inactive_while_it_is_staged_sends_nothing_until_it_is_active_again() -> None:
    harness = AppHarness(
        MailScript(while_staged=lambda: harness.app.shops.update("bakkerij-1", ShopChanges(active=False)))
    )
    harness.report_due()
    (left,) = harness.deliver()
    assert (left.state, left.reason, left.claim) == (State.SCHEDULED, Reason.SHOP_INACTIVE, None)
    assert harness.mailer.committed == []
    assert len(harness.mailer.abandoned) == 1
    harness.clock.advance(DAY)
    assert harness.deliver() == []
    harness.app.shops.update("bakkerij-1", ShopChanges(active=True))
    assert [each.state for each in harness.deliver()] == [State.SENT]


@pytest.mark.parametrize("everywhere", [False, True])
def test_an_address_suppressed_while_it_is_staged_is_not_written_to(everywhere: bool) -> None:
    def suppress() -> None:
        shop = None if everywhere else 1
        suppression = a_suppression(shop, address_hash=harness.invitation(invite_id).address_hash)
        harness.in_transaction(lambda store: store.suppressions.add(suppression))

    harness = AppHarness(MailScript(while_staged=suppress))
    invite_id = harness.report_due()
    other = harness.report_due("bert@example.com")
    left = harness.deliver()
    assert [(each.invite_id, each.state, each.reason) for each in left] == [
        (invite_id, State.SUPPRESSED, Reason.OPTED_OUT),
        (other, State.SENT, Reason.ACCEPTED),
    ]
    assert [message.recipient for message in harness.mailer.committed] == ["bert@example.com"]
    assert len(harness.mailer.abandoned) == 1


def test_an_address_erased_while_it_is_staged_is_not_written_to() -> None:
    def erase() -> None:
        harness.in_transaction(lambda store: store.invitations.forget_address(harness.invitation(invite_id)))

    harness = AppHarness(MailScript(while_staged=erase))
    invite_id = harness.report_due()
    (left,) = harness.deliver()
    assert (left.state, left.reason) == (State.CANCELLED, Reason.ERASED)
    assert (harness.mailer.committed, len(harness.mailer.abandoned)) == ([], 1)


def test_a_lease_that_ran_out_while_it_was_staged_sends_nothing() -> None:
    harness = AppHarness(MailScript(while_staged=lambda: harness.clock.advance(LEASE)))
    invite_id = harness.report_due()
    delivered = list(deliver_due(harness.delivery_context()))
    assert [each.state for each in delivered] == [State.CLAIMED]
    assert harness.mailer.committed == []
    assert len(harness.mailer.abandoned) == 1
    assert [each.state for each in harness.deliver()] == [State.SCHEDULED, State.SENT]
    assert len(harness.mailer.committed) == 1
    assert Reason.LEASE_EXPIRED in harness.reasons(invite_id)


def test_a_fence_passed_by_another_worker_lets_nothing_of_ours_out() -> None:
    def another_worker_takes_over() -> None:
        harness.clock.advance(LEASE)
        deliver_till_killed(harness)  # killed after the end of the message, before its answer: still handing over
        assert harness.invitation(invite_id).state is State.HANDING_OVER

    harness = AppHarness(MailScript(while_staged=another_worker_takes_over), MailScript(while_handed_over=kill))
    invite_id = harness.report_due()
    harness.deliver()
    assert len(harness.mailer.staged) == 2
    assert len(harness.mailer.committed) == 1  # the other worker's; ours would be the second e-mail
    assert len(harness.mailer.abandoned) == 1
    assert harness.invitation(invite_id).state is State.HANDING_OVER


@pytest.mark.parametrize("answer", [Rejected("550"), RefusedForNow("451"), Unreachable()])
def test_an_answer_that_comes_after_another_worker_took_over_changes_nothing(
    answer: Rejected | RefusedForNow | Unreachable,
) -> None:
    theirs: list[Invitation] = []

    def another_worker_takes_over() -> None:
        harness.clock.advance(LEASE)
        deliver_till_killed(harness)
        theirs.append(harness.invitation(invite_id))

    harness = AppHarness(
        MailScript(while_staged=another_worker_takes_over, at_stage=answer), MailScript(while_staged=kill)
    )
    invite_id = harness.report_due()
    harness.deliver()
    assert theirs[0].state is State.CLAIMED
    assert harness.invitation(invite_id) == theirs[0]


def test_an_invitation_that_another_worker_has_sent_is_not_sent_again() -> None:
    def another_worker_takes_over() -> None:
        harness.clock.advance(LEASE)
        harness.deliver()

    harness = AppHarness(MailScript(while_staged=another_worker_takes_over))
    invite_id = harness.report_due()
    harness.deliver()
    assert len(harness.mailer.committed) == 1
    assert harness.reasons(invite_id).count(Reason.FENCED) == 1
    assert harness.invitation(invite_id).state is State.SENT


def test_killed_before_the_fence_it_is_sent_once_after_the_lease() -> None:
    harness = AppHarness(MailScript(while_staged=kill))
    invite_id = harness.report_due()
    deliver_till_killed(harness)
    assert harness.invitation(invite_id).state is State.CLAIMED
    assert harness.deliver() == []
    harness.clock.advance(LEASE)
    assert [each.reason for each in harness.deliver()] == [Reason.LEASE_EXPIRED, Reason.ACCEPTED]
    assert len(harness.mailer.committed) == 1


def test_killed_after_the_fence_it_is_uncertain_after_the_lease_and_never_sent_again() -> None:
    harness = AppHarness(MailScript(while_handed_over=kill))
    invite_id = harness.report_due()
    deliver_till_killed(harness)
    assert harness.invitation(invite_id).state is State.HANDING_OVER
    harness.clock.advance(LEASE - SECOND)
    assert harness.deliver() == []
    harness.clock.advance(SECOND)
    assert [(each.state, each.reason) for each in harness.deliver()] == [(State.UNCERTAIN, Reason.PROCESS_DIED)]
    harness.clock.advance(30 * DAY)
    assert harness.deliver() == []
    assert len(harness.mailer.committed) == 1


def test_the_lease_is_renewed_at_the_fence() -> None:
    leases = []
    harness = AppHarness(
        MailScript(
            while_staged=lambda: harness.clock.advance(LEASE - SECOND),
            while_handed_over=lambda: leases.append(
                present(harness.invitation(invite_id).claim).lease_until - harness.clock.now()
            ),
        )
    )
    invite_id = harness.report_due()
    harness.deliver()
    assert leases == [LEASE]


class SlowMark(InMemoryMark):
    """A mark that lets something happen while it is written, once."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] = lambda: None

    def advance(self, hand_overs: Sequence[HandOver]) -> None:
        super().advance(hand_overs)
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()


def test_a_hand_over_that_others_have_put_in_doubt_while_the_mark_hung_sends_one_message_and_no_second() -> None:
    mark = SlowMark()
    harness = AppHarness(mark=mark)
    invite_id = harness.report_due()

    def meanwhile() -> None:
        harness.clock.advance(LEASE)
        harness.deliver()
        assert harness.state(invite_id) == (State.UNCERTAIN, Reason.PROCESS_DIED)

    mark.meanwhile = meanwhile
    harness.deliver()
    harness.clock.advance(LEASE)
    assert harness.deliver() == []
    assert harness.state(invite_id) == (State.SENT, Reason.ACCEPTED)
    assert len(harness.mailer.committed) == 1


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (Accepted("250"), State.SENT),
        (Rejected("550 5.2.1"), State.REJECTED),
        (RefusedForNow("451"), State.SCHEDULED),
        (AnswerLost(), State.UNCERTAIN),
    ],
)
def test_a_late_answer_of_the_worker_that_holds_the_token_wins_over_uncertain(
    answer: Accepted | Rejected | RefusedForNow | AnswerLost, state: State
) -> None:
    def meanwhile() -> None:
        harness.clock.advance(LEASE)
        harness.deliver()  # another worker's tidying finds the lease run out
        assert harness.invitation(invite_id).state is State.UNCERTAIN

    harness = AppHarness(MailScript(while_handed_over=meanwhile, answer=answer))
    invite_id = harness.report_due()
    (left,) = harness.deliver()
    assert left.state is harness.invitation(invite_id).state is state
    assert harness.reasons(invite_id)[3] is Reason.PROCESS_DIED


def test_a_late_answer_loses_against_a_decision_that_was_made_meanwhile() -> None:
    def meanwhile() -> None:
        harness.clock.advance(LEASE)
        harness.deliver()
        uncertain = harness.invitation(invite_id)
        decided = uncertain.moved(State.SENT, Reason.OPERATOR, harness.clock.now())
        assert harness.in_transaction(lambda store: store.invitations.change(uncertain, decided))

    harness = AppHarness(MailScript(while_handed_over=meanwhile, answer=Rejected("550 5.2.1")))
    invite_id = harness.report_due()
    harness.deliver()
    assert harness.state(invite_id) == (State.SENT, Reason.OPERATOR)


@attrs.frozen
class Overtaken:
    """Invitations that another transaction finds abandoned just before a change of theirs is recorded."""

    inner: Invitations

    def find_all(self, asked: Collection[ItemKey]) -> Mapping[ItemKey, Invitation]:
        return self.inner.find_all(asked)

    def change_all(self, changes: Sequence[tuple[Invitation, Invitation]]) -> Sequence[bool]:
        for before, _ in changes:
            if before.state is State.HANDING_OVER:
                assert self.inner.change(before, before.moved(State.UNCERTAIN, Reason.PROCESS_DIED, before.changed_at))
        return self.inner.change_all(changes)


@attrs.frozen
class OvertakenStore:
    invitations: Overtaken
    notices: Notices


def test_an_answer_wins_over_a_lease_that_ends_between_its_look_and_its_word() -> None:
    harness = AppHarness(MailScript(while_handed_over=kill))
    invite_id = harness.report_due()
    deliver_till_killed(harness)
    item = harness.invitation(invite_id)
    assert item.state is State.HANDING_OVER

    def overtaken(work: UnitContext) -> Invitation:
        store = OvertakenStore(Overtaken(work.store.invitations), work.store.notices)
        recorded = record_outcome(attrs.evolve(work, store=cast(Store, store)), item, State.SENT, Reason.ACCEPTED)
        return invitation_of(recorded)

    assert harness.transactions.run(overtaken).state is State.SENT
    assert harness.reasons(invite_id)[-2:] == [Reason.PROCESS_DIED, Reason.ACCEPTED]

"""What is due leaves once, whatever happens on the way (ADR-7)."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import attrs
import pytest
from tests.core.usecases.stage import LEASE, Killed, Play, Scene, kill

from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.domain.errors import LimitReached, StorageUnavailable
from reviewinvite_core.domain.invitations import Claim, Invitation, Reason, State, invitation_lock
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    Invitations,
    Letter,
    Locking,
    Message,
    NotRenderable,
    Refused,
    RefusedForNow,
    Unreachable,
)
from reviewinvite_core.testing.builders import NOON, a_suppression, an_order_report
from reviewinvite_core.usecases.claim_due import claim_due
from reviewinvite_core.usecases.deliver_due import LEAST_A_HAND, MOST_A_HAND, Hands, deliver_due
from reviewinvite_core.usecases.hand_over import Left
from reviewinvite_core.usecases.manage_invitations import InvitationQuery
from reviewinvite_core.usecases.report_order import Reported
from reviewinvite_core.usecases.settle import settle
from reviewinvite_core.usecases.tidy_up import MOST_AT_ONCE, recover_abandoned
from reviewinvite_core.usecases.work import Work

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


def deliver_till_killed(play: Play) -> None:
    with contextlib.suppress(Killed):
        play.deliver()


def test_a_due_invitation_leaves_once() -> None:
    play = Play()
    invite_id = play.report_due(order_number="1001")
    delivered = play.deliver()
    assert [(each.invite_id, each.state, each.reason, each.reply) for each in delivered] == [
        (invite_id, State.SENT, Reason.ACCEPTED, "250 2.0.0")
    ]
    assert play.deliver() == []
    (message,) = play.mailer.out
    assert message.recipient == "anna@example.com"
    assert message.message_id == f"<{invite_id}@localhost>"
    assert b"1001" in message.content
    assert play.reasons(invite_id) == [Reason.REPORTED, Reason.CLAIMED, Reason.FENCED, Reason.ACCEPTED]


def test_nothing_leaves_before_it_is_due() -> None:
    play = Play()
    reported = play.report()
    play.clock.set(reported.scheduled_for - timedelta(microseconds=1))
    assert play.deliver() == []
    play.clock.set(reported.scheduled_for)
    assert [each.state for each in play.deliver()] == [State.SENT]


def test_all_that_is_due_leaves_longest_due_first() -> None:
    play = Play()
    for number in range(120):  # more than one claim takes
        play.report(f"c{number}@example.com", delay=(number * 7 % 120) / 100)
    play.clock.advance(2 * DAY)
    delivered = play.deliver()
    assert len(delivered) == len(play.mailer.out) == 120
    assert [each.due_at for each in delivered] == sorted(each.due_at for each in delivered)


@pytest.mark.parametrize("answer", [Unreachable("gaierror"), RefusedForNow("451 4.7.1")])
def test_what_fails_before_the_end_is_tried_again_later(answer: Unreachable | RefusedForNow) -> None:
    play = Play(Scene(at_stage=answer))
    invite_id = play.report_due()
    (left,) = play.deliver()
    assert left.state is State.SCHEDULED
    assert left.reason is (Reason.UNREACHABLE if isinstance(answer, Unreachable) else Reason.REFUSED_FOR_NOW)
    assert left.reply == ("gaierror" if isinstance(answer, Unreachable) else "451 4.7.1")
    assert play.app.show_invitation(invite_id).history[-1].reply == left.reply
    assert left.claim is None
    assert timedelta(seconds=45) <= left.due_at - play.clock.now() <= timedelta(seconds=60)
    assert left.scheduled_for < left.due_at
    assert play.deliver() == []
    play.clock.set(left.due_at)
    assert [each.state for each in play.deliver()] == [State.SENT]
    assert len(play.mailer.out) == 1
    assert play.now(invite_id).attempts == 2


def test_pauses_grow_from_try_to_try() -> None:
    play = Play(*[Scene(at_stage=Unreachable())] * 5)
    play.report_due()
    pauses = []
    for _ in range(5):
        (left,) = play.deliver()
        pauses.append(left.due_at - play.clock.now())
        play.clock.set(left.due_at)
    for shorter, longer in itertools.pairwise(pauses):
        assert longer > shorter


@pytest.mark.parametrize("scene", [Scene(at_stage=Refused("550 5.1.1")), Scene(answer=Refused("550 5.1.1"))])
def test_a_permanent_refusal_is_the_end(scene: Scene) -> None:
    play = Play(scene)
    play.report_due()
    (left,) = play.deliver()
    assert (left.state, left.reason, left.reply) == (State.REJECTED, Reason.REFUSED, "550 5.1.1")
    play.clock.advance(30 * DAY)
    assert play.deliver() == []
    assert len(play.mailer.staged) == 1


def test_a_temporary_refusal_of_the_end_is_tried_again_later() -> None:
    play = Play(Scene(answer=RefusedForNow("452 4.2.2")))
    play.report_due()
    (left,) = play.deliver()
    assert (left.state, left.reason, left.reply) == (State.SCHEDULED, Reason.REFUSED_FOR_NOW, "452 4.2.2")
    play.clock.set(left.due_at)
    assert [each.state for each in play.deliver()] == [State.SENT]


def test_a_lost_answer_is_uncertain_and_never_sent_again() -> None:
    play = Play(Scene(answer=AnswerLost()))
    invite_id = play.report_due()
    (left,) = play.deliver()
    assert (left.state, left.reason) == (State.UNCERTAIN, Reason.ANSWER_LOST)
    play.clock.advance(30 * DAY)
    assert play.deliver() == []
    assert len(play.mailer.out) == 1
    assert play.now(invite_id).state is State.UNCERTAIN


@pytest.mark.parametrize("at_the_end", [False, True])
def test_after_three_days_of_tries_it_is_given_up(at_the_end: bool) -> None:
    failing = Scene(answer=RefusedForNow("451")) if at_the_end else Scene(at_stage=RefusedForNow("451"))
    play = Play(*[failing] * 200)
    play.report_due()
    begun, left = play.clock.now(), None
    while left is None or left.state is State.SCHEDULED:
        (left,) = play.deliver()
        last_try = play.clock.now()
        play.clock.set(max(left.due_at, play.clock.now() + SECOND))
    assert (left.state, left.reason, left.reply) == (State.REJECTED, Reason.RETRIES_EXHAUSTED, "451")
    assert 3 * DAY <= last_try - begun <= 3 * DAY + timedelta(hours=4)
    assert left.attempts > 15
    assert play.deliver() == []


REFUSED_FOR_NOW = Scene(at_stage=RefusedForNow("451"))


def let_pass_inactive(play: Play) -> None:
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    play.clock.advance(10 * DAY)
    play.app.set_shop("bakkerij-1", ShopChanges(active=True))


def let_pass_without_worker(play: Play) -> None:
    play.clock.advance(10 * DAY)


def let_a_worker_die(play: Play) -> None:
    play.mailer.scenes.insert(0, Scene(while_staged=kill))
    play.clock.advance(HOUR)
    deliver_till_killed(play)
    play.clock.advance(3 * DAY)
    recovered = list(play.perform(recover_abandoned))
    assert [each.reason for each in recovered] == [Reason.LEASE_EXPIRED]


@pytest.mark.parametrize("let_pass", [let_pass_inactive, let_pass_without_worker, let_a_worker_die])
def test_time_in_which_nothing_was_tried_is_not_counted_as_trying(let_pass: Callable[[Play], None]) -> None:
    play = Play(*[REFUSED_FOR_NOW] * 2)
    play.report_due()
    assert [each.reason for each in play.deliver()] == [Reason.REFUSED_FOR_NOW]
    let_pass(play)
    (left,) = play.deliver()
    assert (left.state, left.reason) == (State.SCHEDULED, Reason.REFUSED_FOR_NOW)
    assert left.first_tried_at == play.clock.now()


def test_found_inactive_at_the_fence_its_tries_begin_anew() -> None:
    become_inactive = Scene(while_staged=lambda: play.app.set_shop("bakkerij-1", ShopChanges(active=False)))
    play = Play(REFUSED_FOR_NOW, become_inactive, REFUSED_FOR_NOW)
    play.report_due()
    play.deliver()
    play.clock.advance(HOUR)
    (left,) = play.deliver()
    assert (left.reason, left.first_tried_at) == (Reason.SHOP_INACTIVE, None)


def test_cancelled_while_it_is_staged_nothing_goes_out() -> None:
    play = Play(Scene(while_staged=lambda: play.app.cancel_invitation(invite_id)))
    invite_id = play.report_due()
    assert [each.state for each in play.deliver()] == [State.CANCELLED]
    assert (len(play.mailer.staged), len(play.mailer.abandoned), play.mailer.out) == (1, 1, [])
    assert play.reasons(invite_id) == [Reason.REPORTED, Reason.CLAIMED, Reason.CANCELLED]


def test_a_shop_that_became_inactive_while_it_is_staged_sends_nothing_until_it_is_active_again() -> None:
    play = Play(Scene(while_staged=lambda: play.app.set_shop("bakkerij-1", ShopChanges(active=False))))
    play.report_due()
    (left,) = play.deliver()
    assert (left.state, left.reason, left.claim) == (State.SCHEDULED, Reason.SHOP_INACTIVE, None)
    assert play.mailer.out == []
    assert len(play.mailer.abandoned) == 1
    play.clock.advance(DAY)
    assert play.deliver() == []
    play.app.set_shop("bakkerij-1", ShopChanges(active=True))
    assert [each.state for each in play.deliver()] == [State.SENT]


@pytest.mark.parametrize("everywhere", [False, True])
def test_an_address_suppressed_while_it_is_staged_is_not_written_to(everywhere: bool) -> None:
    def suppress() -> None:
        shop = None if everywhere else 1
        suppression = a_suppression(shop, address_hash=play.now(invite_id).address_hash)
        play.inside(lambda store: store.suppressions.add(suppression))

    play = Play(Scene(while_staged=suppress))
    invite_id = play.report_due()
    other = play.report_due("bert@example.com")
    left = play.deliver()
    assert [(each.invite_id, each.state, each.reason) for each in left] == [
        (invite_id, State.SUPPRESSED, Reason.OPTED_OUT),
        (other, State.SENT, Reason.ACCEPTED),
    ]
    assert [message.recipient for message in play.mailer.out] == ["bert@example.com"]
    assert len(play.mailer.abandoned) == 1


def test_an_address_erased_while_it_is_staged_is_not_written_to() -> None:
    play = Play(Scene(while_staged=lambda: replace_address(play, invite_id, None)))
    invite_id = play.report_due()
    (left,) = play.deliver()
    assert (left.state, left.reason) == (State.CANCELLED, Reason.ERASED)
    assert (play.mailer.out, len(play.mailer.abandoned)) == ([], 1)


def test_what_waits_in_hand_for_half_its_lease_is_given_back_and_not_begun() -> None:
    play = Play(Scene(while_handed_over=lambda: play.clock.advance(LEASE / 2)))
    ids = [play.report_due(f"c{number}@example.com") for number in range(2)]
    left = play.deliver()
    assert [(each.invite_id, each.reason) for each in left] == [
        (ids[0], Reason.ACCEPTED),
        (ids[1], Reason.LEASE_EXPIRED),
        (ids[1], Reason.ACCEPTED),
    ]
    assert len(play.mailer.staged) == 2


def test_never_more_is_claimed_than_will_be_begun_soon() -> None:
    held: list[int] = []
    play = Play(*[Scene(while_staged=lambda: held.append(claimed_now(play)))] * 20)
    for number in range(20):
        play.report_due(f"c{number}@example.com")
    play.deliver()
    assert max(held) == MOST_A_HAND
    assert min(held[:-LEAST_A_HAND]) > LEAST_A_HAND - 1


def claimed_now(play: Play) -> int:
    return len(play.app.list_invitations(InvitationQuery(state=State.CLAIMED)))


def test_the_fence_names_its_invitation_and_so_do_answers_and_cancelling() -> None:
    storage = NotingLocks()
    play = Play(storage=storage)
    invite_id = play.report_due()
    own = frozenset({invitation_lock(invite_id)})
    storage.locks.clear()
    play.deliver()
    claim, fence, record = storage.locks[5:8]  # five chores come first
    assert (claim, fence, record) == (frozenset(), own, own)
    storage.locks.clear()
    play.app.cancel_invitation(invite_id.upper())
    play.app.cancel_invitation("no id")
    assert storage.locks == [own, frozenset()]


class NotingLocks(MemoryStorage):
    """Notes what each unit of work locks; None for a plain one."""

    def __init__(self) -> None:
        super().__init__()
        self.locks: list[frozenset[int] | None] = []

    def run(self, unit):
        self.locks.append(unit.locks if isinstance(unit, Locking) else None)
        return super().run(unit)


def test_a_lease_that_ran_out_while_it_was_staged_sends_nothing() -> None:
    play = Play(Scene(while_staged=lambda: play.clock.advance(LEASE)))
    invite_id = play.report_due()
    delivered = list(deliver_due(play.dispatch()))
    assert [each.state for each in delivered] == [State.CLAIMED]
    assert play.mailer.out == []
    assert len(play.mailer.abandoned) == 1
    assert [each.state for each in play.deliver()] == [State.SCHEDULED, State.SENT]
    assert len(play.mailer.out) == 1
    assert Reason.LEASE_EXPIRED in play.reasons(invite_id)


def test_a_fence_passed_by_another_worker_lets_nothing_of_ours_out() -> None:
    def another_worker_takes_over() -> None:
        play.clock.advance(LEASE)
        deliver_till_killed(play)  # killed after the end of the message, before its answer: still handing over
        assert play.now(invite_id).state is State.HANDING_OVER

    play = Play(Scene(while_staged=another_worker_takes_over), Scene(while_handed_over=kill))
    invite_id = play.report_due()
    play.deliver()
    assert len(play.mailer.staged) == 2
    assert len(play.mailer.out) == 1  # the other worker's; ours would be the second e-mail
    assert len(play.mailer.abandoned) == 1
    assert play.now(invite_id).state is State.HANDING_OVER


@pytest.mark.parametrize("answer", [Refused("550"), RefusedForNow("451"), Unreachable()])
def test_an_answer_that_comes_after_another_worker_took_over_changes_nothing(
    answer: Refused | RefusedForNow | Unreachable,
) -> None:
    theirs: list[Invitation] = []

    def another_worker_takes_over() -> None:
        play.clock.advance(LEASE)
        deliver_till_killed(play)
        theirs.append(play.now(invite_id))

    play = Play(Scene(while_staged=another_worker_takes_over, at_stage=answer), Scene(while_staged=kill))
    invite_id = play.report_due()
    play.deliver()
    assert theirs[0].state is State.CLAIMED
    assert play.now(invite_id) == theirs[0]


def test_an_invitation_that_another_worker_has_sent_is_not_sent_again() -> None:
    def another_worker_takes_over() -> None:
        play.clock.advance(LEASE)
        play.deliver()

    play = Play(Scene(while_staged=another_worker_takes_over))
    invite_id = play.report_due()
    play.deliver()
    assert len(play.mailer.out) == 1
    assert play.reasons(invite_id).count(Reason.FENCED) == 1
    assert play.now(invite_id).state is State.SENT


def test_killed_before_the_fence_it_is_sent_once_after_the_lease() -> None:
    play = Play(Scene(while_staged=kill))
    invite_id = play.report_due()
    deliver_till_killed(play)
    assert play.now(invite_id).state is State.CLAIMED
    assert play.deliver() == []
    play.clock.advance(LEASE)
    assert [each.reason for each in play.deliver()] == [Reason.LEASE_EXPIRED, Reason.ACCEPTED]
    assert len(play.mailer.out) == 1


def test_killed_after_the_fence_it_is_uncertain_after_the_lease_and_never_sent_again() -> None:
    play = Play(Scene(while_handed_over=kill))
    invite_id = play.report_due()
    deliver_till_killed(play)
    assert play.now(invite_id).state is State.HANDING_OVER
    play.clock.advance(LEASE - SECOND)
    assert play.deliver() == []
    play.clock.advance(SECOND)
    assert [(each.state, each.reason) for each in play.deliver()] == [(State.UNCERTAIN, Reason.PROCESS_DIED)]
    play.clock.advance(30 * DAY)
    assert play.deliver() == []
    assert len(play.mailer.out) == 1


def test_the_lease_is_renewed_at_the_fence() -> None:
    leases = []
    play = Play(
        Scene(
            while_staged=lambda: play.clock.advance(LEASE - SECOND),
            while_handed_over=lambda: leases.append(play.now(invite_id).claim.lease_until - play.clock.now()),
        )
    )
    invite_id = play.report_due()
    play.deliver()
    assert leases == [LEASE]


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (Accepted("250"), State.SENT),
        (Refused("550"), State.REJECTED),
        (RefusedForNow("451"), State.SCHEDULED),
        (AnswerLost(), State.UNCERTAIN),
    ],
)
def test_a_late_answer_of_the_worker_that_holds_the_token_wins_over_uncertain(
    answer: Accepted | Refused | RefusedForNow | AnswerLost, state: State
) -> None:
    def meanwhile() -> None:
        play.clock.advance(LEASE)
        play.deliver()  # another worker's tidying finds the lease run out
        assert play.now(invite_id).state is State.UNCERTAIN

    play = Play(Scene(while_handed_over=meanwhile, answer=answer))
    invite_id = play.report_due()
    (left,) = play.deliver()
    assert left.state is play.now(invite_id).state is state
    assert play.reasons(invite_id)[3] is Reason.PROCESS_DIED


def test_a_late_answer_loses_against_a_decision_that_was_made_meanwhile() -> None:
    def meanwhile() -> None:
        play.clock.advance(LEASE)
        play.deliver()
        uncertain = play.now(invite_id)
        decided = uncertain.moved(State.SENT, Reason.OPERATOR, play.clock.now())
        assert play.inside(lambda store: store.invitations.change(uncertain, decided))

    play = Play(Scene(while_handed_over=meanwhile, answer=Refused("550")))
    invite_id = play.report_due()
    play.deliver()
    assert (play.now(invite_id).state, play.now(invite_id).reason) == (State.SENT, Reason.OPERATOR)


class ChoosyRenderer:
    """Fails for one customer, as a template might."""

    def render(self, letter: Letter) -> Message:
        if letter.recipient.startswith("bert"):
            raise NotRenderable("a template")
        return Message(message_id=letter.invite_id, sender="s@example.com", recipient=letter.recipient, content=b"")


def test_what_cannot_be_rendered_is_rejected_and_harms_no_other() -> None:
    play = Play()
    for name in ("anna", "bert", "cees"):
        play.report_due(f"{name}@example.com")
    delivered = list(deliver_due(play.dispatch(renderer=ChoosyRenderer())))
    assert [(each.state, each.reason) for each in delivered] == [
        (State.SENT, Reason.ACCEPTED),
        (State.REJECTED, Reason.NOT_RENDERABLE),
        (State.SENT, Reason.ACCEPTED),
    ]


def replace_address(play: Play, invite_id: str, sealed: bytes | None) -> None:
    """Another sealed address in storage, as an erasure or a damaged file would leave it."""
    invitations = play.storage._store.invitations
    invitations._invitations[(1, invite_id)] = attrs.evolve(play.now(invite_id), sealed_address=sealed)


@pytest.mark.parametrize("sealed", [None, b"", b"damaged" * 20])
def test_without_an_address_that_can_be_read_it_is_rejected_and_harms_no_other(sealed: bytes | None) -> None:
    play = Play()
    erased, other = play.report_due("anna@example.com"), play.report_due("bert@example.com")
    replace_address(play, erased, sealed)
    play.deliver()
    assert (play.now(erased).state, play.now(erased).reason) == (State.REJECTED, Reason.NOT_RENDERABLE)
    assert play.now(other).state is State.SENT
    assert [message.recipient for message in play.mailer.out] == ["bert@example.com"]


def test_told_to_stop_it_gives_back_what_is_not_begun() -> None:
    stop = threading.Event()
    play = Play(Scene(while_handed_over=stop.set))
    ids = [play.report_due(f"c{number}@example.com") for number in range(3)]
    left = list(deliver_due(play.dispatch(stop)))
    assert [(each.state, each.reason) for each in left] == [
        (State.SENT, Reason.ACCEPTED),
        (State.SCHEDULED, Reason.SHUTDOWN),
        (State.SCHEDULED, Reason.SHUTDOWN),
    ]
    assert len(play.deliver()) == 2
    assert {play.now(each).state for each in ids} == {State.SENT}


def test_when_nobody_asks_for_more_what_is_not_begun_is_given_back() -> None:
    play = Play()
    ids = [play.report_due(f"c{number}@example.com") for number in range(3)]
    deliveries = play.app.delivery.once()
    assert next(deliveries).state is State.SENT
    deliveries.close()
    assert [(play.now(each).state, play.now(each).reason) for each in ids] == [
        (State.SENT, Reason.ACCEPTED),
        (State.SCHEDULED, Reason.SHUTDOWN),
        (State.SCHEDULED, Reason.SHUTDOWN),
    ]


def a_fault() -> None:
    raise RuntimeError("anna@example.com")


def test_a_fault_in_one_delivery_harms_no_other_and_is_raised_in_the_end() -> None:
    play = Play(Scene(while_staged=a_fault))
    ids = [play.report_due(f"c{number}@example.com") for number in range(9)]
    left: list[Invitation] = []
    with pytest.raises(RuntimeError):
        left.extend(play.app.delivery.once())
    assert [play.now(each).state for each in ids] == [State.SCHEDULED, *[State.SENT] * 8]
    first = play.now(ids[0])
    assert (first.reason, first.reply, first.claim) == (Reason.FAULT, "RuntimeError", None)
    play.clock.set(first.due_at)
    assert [each.state for each in play.deliver()] == [State.SENT]


def test_a_fault_after_the_end_of_the_message_leaves_it_in_doubt() -> None:
    play = Play(Scene(while_handed_over=a_fault))
    invite_id = play.report_due()
    with pytest.raises(RuntimeError):
        play.deliver()
    assert (play.now(invite_id).state, play.now(invite_id).reason) == (State.UNCERTAIN, Reason.ANSWER_LOST)
    play.clock.advance(DAY)
    assert play.deliver() == []


def test_a_fault_that_lasts_ends_after_three_days() -> None:
    play = Play(*[Scene(while_staged=a_fault)] * 200)
    invite_id = play.report_due()
    begun = play.clock.now()
    while play.now(invite_id).state is State.SCHEDULED:
        with pytest.raises(RuntimeError):
            play.deliver()
        last_try = play.clock.now()
        play.clock.set(max(play.now(invite_id).due_at, last_try + SECOND))
    assert play.now(invite_id).reason is Reason.RETRIES_EXHAUSTED
    assert 3 * DAY <= last_try - begun <= 3 * DAY + 4 * HOUR


class FailingStorage(MemoryStorage):
    """Is away when told so."""

    away = False

    def run(self, unit):
        if self.away:
            raise StorageUnavailable("away")
        return super().run(unit)


def test_when_storage_fails_at_the_fence_nothing_goes_out() -> None:
    storage = FailingStorage()
    play = Play(Scene(while_staged=lambda: setattr(storage, "away", True)), storage=storage)
    invite_id = play.report_due()
    with pytest.raises(StorageUnavailable):
        play.deliver()
    assert (play.mailer.out, len(play.mailer.abandoned)) == ([], 1)
    storage.away = False
    play.clock.advance(LEASE)
    play.deliver()
    assert play.now(invite_id).state is State.SENT


class StopMeanwhile:
    """A wish to stop that is never made, unless it is; waiting takes no time, but something happens meanwhile."""

    def __init__(self, meanwhile: Callable[[int], object], *, made: bool = False) -> None:
        self.meanwhile = meanwhile
        self.made = made
        self.waits = 0

    def is_set(self) -> bool:
        return self.made

    def wait(self, timeout: float) -> bool:
        assert timeout == 1
        self.waits += 1
        self.meanwhile(self.waits)
        return self.made


@pytest.mark.parametrize(
    ("scene", "state"),
    [
        (Scene(), State.SENT),
        (Scene(answer=Refused("550")), State.REJECTED),
        (Scene(answer=RefusedForNow("451")), State.SCHEDULED),
        (Scene(at_stage=Refused("550")), State.REJECTED),
        (Scene(at_stage=Unreachable("gaierror")), State.SCHEDULED),
    ],
)
def test_a_known_answer_waits_until_storage_is_back(scene: Scene, state: State) -> None:
    def go_away() -> None:
        storage.away = True

    def come_back(waits: int) -> None:
        storage.away = waits < 60

    storage = FailingStorage()
    moment = {"while_staged": go_away} if scene.at_stage else {"while_handed_over": go_away}
    play = Play(attrs.evolve(scene, **moment), storage=storage)
    invite_id = play.report_due()
    troubles: list[StorageUnavailable] = []
    stop = StopMeanwhile(come_back)
    (left,) = deliver_due(play.dispatch(stop), on_trouble=troubles.append)
    assert left == play.now(invite_id)
    assert left.state is state
    assert stop.waits == len(troubles) == 60


def test_a_known_answer_waits_for_storage_no_longer_than_the_lease() -> None:
    storage = FailingStorage()
    play = Play(Scene(while_handed_over=lambda: setattr(storage, "away", True)), storage=storage)
    invite_id = play.report_due()
    stop = StopMeanwhile(lambda _: play.clock.advance(SECOND))
    with pytest.raises(StorageUnavailable):
        list(play.app.delivery.once(stop))
    assert stop.waits == LEASE.total_seconds()
    storage.away = False
    play.deliver()
    assert play.now(invite_id).state is State.UNCERTAIN
    assert len(play.mailer.out) == 1


def test_told_to_stop_a_known_answer_waits_for_storage_no_longer() -> None:
    storage = FailingStorage()
    play = Play(Scene(while_handed_over=lambda: setattr(storage, "away", True)), storage=storage)
    play.report_due()
    stop = StopMeanwhile(lambda _: setattr(stop, "made", True))
    with pytest.raises(StorageUnavailable):
        list(play.app.delivery.once(stop))
    assert stop.waits == 1


class FaultyStorage(MemoryStorage):
    """Fails so many times, in a way that nobody foresaw, or being away."""

    faults: tuple[Exception, ...] = ()

    def run(self, unit):
        if self.faults:
            fault, *self.faults = self.faults
            raise fault
        return super().run(unit)


@pytest.mark.parametrize("fault", [RuntimeError(), StorageUnavailable("away")])
def test_what_may_be_out_is_never_taken_for_unsent_when_its_answer_cannot_be_recorded(fault: Exception) -> None:
    storage = FaultyStorage()
    play = Play(Scene(while_handed_over=lambda: setattr(storage, "faults", (fault,) * 2)), storage=storage)
    invite_id = play.report_due()
    stop = StopMeanwhile(lambda _: setattr(stop, "made", True))  # it is the last wait for storage
    with pytest.raises(type(fault)):
        list(play.app.delivery.once(stop))
    storage.faults = ()
    assert play.now(invite_id).state is State.HANDING_OVER
    play.clock.advance(LEASE)
    play.deliver()
    assert play.now(invite_id).state is State.UNCERTAIN
    assert len(play.mailer.out) == 1


def test_told_to_stop_while_it_is_staged_it_is_given_back() -> None:
    stop = threading.Event()
    play = Play(Scene(while_staged=stop.set))
    play.report_due()
    left = list(play.app.delivery.once(stop))
    assert [(each.state, each.reason) for each in left] == [(State.SCHEDULED, Reason.SHUTDOWN)]
    assert (play.mailer.out, len(play.mailer.abandoned)) == ([], 1)


def test_an_invitation_overdue_by_more_than_60_days_expires() -> None:
    play = Play()
    reported = play.report(delay=1)
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    play.clock.set(reported.scheduled_for + 60 * DAY)
    assert play.deliver() == []
    play.clock.advance(timedelta(microseconds=1))
    assert [(each.state, each.reason) for each in play.deliver()] == [(State.EXPIRED, Reason.OVERDUE)]
    play.app.set_shop("bakkerij-1", ShopChanges(active=True))
    assert play.deliver() == []
    assert play.mailer.staged == []


def test_however_many_are_overdue_they_expire_and_none_is_sent() -> None:
    play = Play()
    for number in range(MOST_AT_ONCE + 1):
        play.report_due(f"c{number}@example.com", order_number=str(number))
    play.clock.advance(60 * DAY + SECOND)
    assert [each.state for each in play.deliver()] == [State.EXPIRED] * (MOST_AT_ONCE + 1)
    assert play.mailer.staged == []


def test_what_is_overdue_is_not_sent_even_before_it_has_expired() -> None:
    play = Play()
    invite_id = play.report_due()
    play.clock.advance(60 * DAY + SECOND)
    assert list(deliver_due(play.dispatch())) == []
    assert play.now(invite_id).state is State.SCHEDULED


def test_told_to_stop_no_more_than_begun_expires() -> None:
    play = Play()
    for number in range(MOST_AT_ONCE + 1):
        play.report_due(f"c{number}@example.com", order_number=str(number))
    play.clock.advance(60 * DAY + SECOND)
    stop = threading.Event()
    deliveries = play.app.delivery.once(stop)
    next(deliveries)
    stop.set()
    assert len(list(deliveries)) == MOST_AT_ONCE - 1


def test_what_was_claimed_by_a_clock_that_was_ahead_is_not_held_until_then() -> None:
    play = Play(Scene(while_staged=kill))
    invite_id = play.report_due()
    play.clock.advance(30 * DAY)
    with pytest.raises(Killed):
        play.deliver()
    play.clock.advance(-30 * DAY)
    play.deliver()
    assert play.now(invite_id).state is State.SENT


def take(play: Play, most: int, since: datetime | None) -> tuple[list[timedelta], datetime | None]:
    """How long ago what is claimed was to be sent, and from where on to look next."""
    taken = play.perform(lambda work: claim_due(work, "http://127.0.0.1", most, since=since, mark=None))
    return [play.clock.now() - each.invitation.scheduled_for for each in taken.assignments], taken.since


def test_a_search_goes_on_where_the_last_one_ended() -> None:
    play = Play()
    for number in range(4):
        play.report(f"c{number}@example.com", order_number=str(number), delay=number)
    play.clock.advance(3 * DAY)
    taken, since = take(play, 2, None)
    assert (taken, since) == ([3 * DAY, 2 * DAY], play.clock.now() - 2 * DAY)
    taken, since = take(play, 3, since)
    assert (taken, since) == ([DAY, 0 * DAY], play.clock.now() - 60 * SECOND)
    play.report_due(order_number="late")
    play.clock.advance(59 * SECOND)
    taken, since = take(play, 1, since)
    assert taken == [59 * SECOND]
    play.clock.advance(-HOUR)  # a clock that was wrong
    play.report_due(order_number="by the wrong clock")
    play.clock.advance(59 * SECOND)
    assert take(play, 1, since)[0] == [59 * SECOND]


def test_an_old_search_still_finds_nothing_that_is_overdue() -> None:
    play = Play()
    play.report_due()
    since = play.clock.now() - DAY
    play.clock.advance(60 * DAY + SECOND)
    assert take(play, 1, since)[0] == []


def test_a_shop_that_is_active_again_within_60_days_sends_what_waited() -> None:
    play = Play()
    reported = play.report(delay=1)
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    play.clock.set(reported.scheduled_for + 60 * DAY)
    play.deliver()
    play.app.set_shop("bakkerij-1", ShopChanges(active=True))
    assert [each.state for each in play.deliver()] == [State.SENT]


def test_a_clock_that_was_set_right_again_refuses_nobody_for_long() -> None:
    play = Play(orders_per_minute=1)
    assert isinstance(play.app.receive_order(play.key, an_order_report()), Reported)
    play.clock.advance(-365 * DAY)
    assert isinstance(play.app.receive_order(play.key, an_order_report()), LimitReached)
    play.deliver()  # tidies
    assert isinstance(play.app.receive_order(play.key, an_order_report()), Reported)
    assert isinstance(play.app.receive_order(play.key, an_order_report()), LimitReached)


def test_tidying_leaves_what_still_binds() -> None:
    play = Play(orders_per_minute=1)
    play.app.receive_order(play.key, an_order_report())
    play.clock.advance(59 * SECOND)
    play.deliver()
    assert isinstance(play.app.receive_order(play.key, an_order_report()), LimitReached)


def test_a_claim_carries_a_token_of_its_own_and_the_lease() -> None:
    claims: list[Claim] = []
    play = Play(
        Scene(while_staged=lambda: claims.append(play.now(ids[0]).claim)),
        Scene(while_staged=lambda: claims.append(play.now(ids[1]).claim)),
    )
    ids = [play.report_due(f"c{number}@example.com") for number in range(2)]
    play.deliver()
    assert claims[0].token != claims[1].token
    assert {len(claim.token) for claim in claims} == {16}
    assert {claim.lease_until for claim in claims} == {play.clock.now() + LEASE}


class EagerHands:
    """A crew that has all done before anybody asks what came of it."""

    size = 1

    def __init__(self) -> None:
        self._done: deque[Left] = deque()

    def begin(self, work: Callable[[], Left]) -> None:
        self._done.append(work())

    def next_done(self, seconds: float) -> Left | None:  # noqa: ARG002 - all is done
        return self._done.popleft() if self._done else None

    def finish(self, seconds: float) -> Iterator[Left]:  # noqa: ARG002 - all is done
        while self._done:
            yield self._done.popleft()


class LateOnce:
    """A clock by which the first delivery begins too late, and the next ones in time."""

    def __init__(self) -> None:
        self._asked = 0

    def now(self) -> datetime:
        self._asked += 1
        return NOON + (LEASE if self._asked == 2 else timedelta(0))


def test_what_was_given_back_and_claimed_anew_before_anybody_looked_is_in_hand_still() -> None:
    play = Play()
    invite_id = play.report_due()
    hands = Hands(attrs.evolve(play.dispatch(clock=LateOnce()), crew=EagerHands()), lambda _: None)
    hands.take_more()
    hands.take_more()
    first = hands.next_left(0)
    assert first
    assert first.invitation.reason is Reason.LEASE_EXPIRED
    assert hands.busy
    (sent,) = hands.give_back()
    assert (sent.invite_id, sent.state) == (invite_id, State.SENT)
    assert not hands.busy


@attrs.frozen
class Overtaken:
    """Invitations of which the next one to be changed is found abandoned just before, by another transaction."""

    inner: Invitations

    def find(self, shop_number: int, invite_id: str) -> Invitation | None:
        return self.inner.find(shop_number, invite_id)

    def change(self, before: Invitation, after: Invitation) -> bool:
        if before.state is State.HANDING_OVER:
            doubtful = before.moved(State.UNCERTAIN, Reason.PROCESS_DIED, before.changed_at, claim=before.claim)
            assert self.inner.change(before, doubtful)
        return self.inner.change(before, after)


@attrs.frozen
class OvertakenStore:
    invitations: Overtaken


def test_an_answer_wins_over_a_lease_that_ends_between_its_look_and_its_word() -> None:
    play = Play(Scene(while_handed_over=kill))
    invite_id = play.report_due()
    deliver_till_killed(play)
    ours = play.now(invite_id)
    assert ours.state is State.HANDING_OVER

    def overtaken(work: Work) -> Invitation:
        store = OvertakenStore(Overtaken(work.store.invitations))
        return settle(attrs.evolve(work, store=store), ours, State.SENT, Reason.ACCEPTED)

    assert play.perform(overtaken).state is State.SENT
    assert play.reasons(invite_id)[-2:] == [Reason.PROCESS_DIED, Reason.ACCEPTED]

"""Nothing is sent twice, and nothing lost in silence, in any interleaving of a small world (docs/never-twice.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import attrs
import pytest
from tests.budgets import in_full
from tests.model.explorer import explore
from tests.model.world import Bounds

from reviewinvite_core.adapters.memory.delivery import MemoryNotices, MemoryRelay
from reviewinvite_core.adapters.memory.invitations import MemoryInvitations
from reviewinvite_core.domain.handovers import Ahead, HandOver, RecordedHandOvers
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation, obstacle_to_retry
from reviewinvite_core.domain.notices import MailItem, Notice
from reviewinvite_core.domain.relay import Relay
from reviewinvite_core.ports import Accepted, AnswerLost, Outcome, RefusedForNow
from reviewinvite_core.usecases.delivery import claim, committer, fence, outcomes, reconcile, retry, sweep
from reviewinvite_core.usecases.delivery.attempt import DeliveryAttempt, DeliveryResult
from reviewinvite_core.usecases.delivery.committer import JointCommit, unwrap_fenced
from reviewinvite_core.usecases.delivery.fence import Fenced

QUIET: dict[str, Any] = {"kills": 0, "lost_answers": 0, "sent_early": 0}
CRASHES = Bounds(deliveries=1, backups=0, restores=0, reconciliations=0)
RESTORE = Bounds(deliveries=1, lost_answers=0, leases_over=0)
TWO_HOSTS = Bounds(one_host=False, deliveries=1, lost_answers=0, leases_over=0, sent_early=0)
REFUSAL = attrs.evolve(CRASHES, deliveries=2, kills=0, lost_answers=0, refusals=1, sent_early=0)
FORGETFUL = attrs.evolve(RESTORE, forgetful=True, kills=0)
REJECTION = attrs.evolve(RESTORE, kills=0, sent_early=0, rejections=1, retries=1)
REJECTION_FORGOTTEN = attrs.evolve(REJECTION, forgetful=True, retries=2)
REJECTION_AMID_CRASHES = attrs.evolve(CRASHES, sent_early=0, lost_answers=0, rejections=1, retries=1)
DECISIONS = attrs.evolve(REJECTION_AMID_CRASHES, kills=0, suppressions=1, erasures=1, migrations=1)


@pytest.mark.parametrize(
    "bounds",
    [
        pytest.param(attrs.evolve(CRASHES, sent_early=0), id="crashes"),
        pytest.param(attrs.evolve(CRASHES, sent_early=0, leases_over=0, missing=1), id="a worker taken for missing"),
        in_full(attrs.evolve(RESTORE, kills=0, sent_early=0, missing=1), id="a restore and a worker taken for missing"),
        in_full(
            attrs.evolve(CRASHES, sent_early=0, missing=1, messages=True), id="messages of a worker taken for missing"
        ),
        in_full(attrs.evolve(RESTORE, kills=0), id="a restore and one sent early"),
        pytest.param(attrs.evolve(RESTORE, sent_early=0), id="a restore and a kill"),
        pytest.param(TWO_HOSTS, id="two hosts"),
        pytest.param(FORGETFUL, marks=pytest.mark.machine, id="a mark that has forgotten"),
        pytest.param(REFUSAL, id="a refusal at the dot"),
        pytest.param(
            attrs.evolve(CRASHES, sent_early=0, messages=True), marks=pytest.mark.machine, id="messages and crashes"
        ),
        pytest.param(
            attrs.evolve(RESTORE, sent_early=0, messages=True),
            marks=pytest.mark.machine,
            id="messages, a restore and a kill",
        ),
        pytest.param(attrs.evolve(TWO_HOSTS, kills=0, messages=True), id="messages on two hosts"),
        in_full(attrs.evolve(FORGETFUL, sent_early=0, messages=True), id="messages and a mark that has forgotten"),
        in_full(attrs.evolve(REFUSAL, messages=True), id="a message refused at the dot"),
        in_full(attrs.evolve(TWO_HOSTS, messages=True), id="messages, two hosts and a kill"),
        in_full(attrs.evolve(CRASHES, deliveries=2, sent_early=0), id="more crashes"),
        in_full(attrs.evolve(RESTORE, deliveries=2, kills=0, sent_early=0), id="a restore amid more deliveries"),
        in_full(CRASHES, id="crashes and one sent early"),
        in_full(RESTORE, id="a restore, a kill and one sent early"),
        in_full(attrs.evolve(RESTORE, lost_answers=1, leases_over=1, sent_early=0), id="a restore and a lost answer"),
        in_full(attrs.evolve(RESTORE, deliveries=2, kills=0), id="a restore amid more deliveries and one sent early"),
        in_full(attrs.evolve(TWO_HOSTS, sent_early=1), id="two hosts and one sent early"),
        pytest.param(REJECTION, id="a retry and a restore"),
        pytest.param(REJECTION_FORGOTTEN, id="a retry and a mark that has forgotten"),
        pytest.param(REJECTION_AMID_CRASHES, id="a retry and crashes"),
        pytest.param(DECISIONS, id="a retry, an erasure, a suppression and a migration"),
        in_full(attrs.evolve(TWO_HOSTS, kills=0, rejections=1, retries=1), id="a retry on two hosts"),
        in_full(attrs.evolve(REJECTION, deliveries=2, retries=2), id="retries amid more deliveries"),
        in_full(
            attrs.evolve(REJECTION_FORGOTTEN, suppressions=1, erasures=1, migrations=1),
            id="a restore amid decisions about what is retried",
        ),
    ],
)
def test_nothing_leaves_twice_and_nothing_is_lost_in_any_interleaving(
    bounds: Bounds, record_property: Callable[[str, object], None]
) -> None:
    report = explore(bounds)
    print(report)
    record_property("explored", str(report))
    assert report.violation is None, report


def test_without_a_look_at_every_mark_another_host_may_send_again() -> None:
    """The gap that ADR-20 names, and why every host has to look at its mark before any delivers after a restore."""
    report = explore(attrs.evolve(TWO_HOSTS, all_look=False))
    assert report.violation == "A was sent 2 times", report


# --- faults on purpose: each of them has to be found, and the way to it to be read


def never_paused(*_: object) -> None:
    """Seed: the database is not compared with the mark."""


def never_paused_at(*_: object, one_host: bool) -> None:
    """Seed: a retry goes on while deliveries are paused."""


async def mark_after_the_dot(self: DeliveryAttempt, staged: Any, fenced: Fenced, free: Any) -> DeliveryResult:
    """Seed: the mark is written when the message is out."""
    result = await await_answer(self, staged, fenced, free)
    assert self._config.restore_guard is not None
    self._config.restore_guard.store.advance(unmarked)
    return result


def mark_later(self: JointCommit, fenced: Sequence[Outcome]) -> Sequence[Outcome]:
    """Seed: the mark is not written when the fence has passed."""
    unmarked[:] = [committer._hand_over(unwrap_fenced(each)) for each in fenced]
    return fenced


unmarked: list[HandOver] = []


def any_claim_holds(self: Invitation, token: bytes, now: object) -> bool:
    """Seed: the fence does not ask whether the claim holds still."""
    return True


def unread(_: object, items: Collection[MailItem]) -> Mapping[object, MailItem]:
    """Seed: the fence takes the item for what it was when it was claimed."""
    return {item.key: item for item in items}


def change_whatever_it_is(self: MemoryInvitations, before: Invitation, after: Invitation) -> bool:
    """Seed: a change does not compare before it sets."""
    self._invitations[before.shop_number, before.invite_id] = after
    return True


def scheduled_when_unanswered(ctx: Any, answers: Sequence[tuple[MailItem, Any]]) -> Sequence[MailItem]:
    """Seed: an answer that is lost counts as a refusal."""
    return record_all(
        ctx, [(item, RefusedForNow("") if answer == AnswerLost() else answer) for item, answer in answers]
    )


def sent_when_refused(ctx: Any, answers: Sequence[tuple[MailItem, Any]]) -> Sequence[MailItem]:
    """Seed: an answer that refuses the message for now counts as an acceptance."""
    return record_all(
        ctx, [(item, Accepted("") if isinstance(answer, RefusedForNow) else answer) for item, answer in answers]
    )


record_all = outcomes.record_all


def names_those_in_time(self: RecordedHandOvers, fence: int) -> Ahead:
    """Seed: the mark does not name what is sent early."""
    return since(attrs.evolve(self, named=tuple(each for each in self.named if not each.early)), fence)


since = RecordedHandOvers.since


def names_from_the_backup_on(self: RecordedHandOvers, fence: int) -> Ahead:
    """Seed: the first hand-over after the backup is left out."""
    return since(self, fence + 1)


def doubt_all_that_waits(ctx: Any, snapshot: Any, guard: Any) -> Any:
    """Seed: whatever is scheduled is in doubt, as after a restore with an early one in the first edition."""
    found = doubt(ctx, snapshot, guard)
    return attrs.evolve(found, until=ctx.now + 99 * (ctx.policies.retention)) if found else None


doubt = reconcile._doubt


def sweep_to_scheduled(ctx: Any) -> Sequence[MailItem]:
    """Seed: what a dead process was handing over is sent again."""
    for kind in outcomes.kinds_of(ctx):
        for held in kind.abandoned(ctx.now, ctx.now + sweep.NO_LEASE_IS_SO_LONG, 9):
            kind.change(held, attrs.evolve(held, state=State.SCHEDULED, reason=Reason.LEASE_EXPIRED, claim=None))
    return []


def release_hand_overs(ctx: Any, worker: bytes) -> Sequence[Invitation]:
    """Seed: what a missing worker was handing over is sent again, too."""
    for held in ctx.store.invitations.in_doubt(None, 9):
        after = attrs.evolve(held, state=State.SCHEDULED, reason=Reason.LEASE_EXPIRED, claim=None)
        ctx.store.invitations.change(held, after)
    return []


def change_whatever_the_message_is(self: MemoryNotices, before: Notice, after: Notice) -> bool:
    """Seed: a change of a message does not compare before it sets."""
    self._notices[before.message_id] = after
    return True


def settle_nothing(transactions: object, doubtful: object) -> int:
    """Seed: deliveries go on, and what may have left is not made uncertain."""
    return 0


def go_on_first(transactions: Any, doubtful: Any) -> int:
    """Seed: deliveries go on before all is settled."""
    transactions.run(lambda ctx: [ctx.store.hosts.catch_up(*each) for each in doubtful.settles.items()])
    return resolve(transactions, doubtful)


resolve = reconcile._resolve


def doubt_nothing_rejected(ctx: Any, doubtful: Sequence[MailItem]) -> int:
    """Seed: what the copy has as rejected stays so, although it was tried again and sent."""
    return make_uncertain(ctx, [item for item in doubtful if item.state is not State.REJECTED])


make_uncertain = reconcile._make_uncertain


def but(**ignored: Any) -> Any:
    """Seed: a condition of a retry is not asked for."""

    def obstacle(invitation: Invitation, history: Any, **asked: Any) -> Any:
        history = ignored.get("history", history)
        epoch = (invitation.epoch or 0) if "epoch" in ignored else asked["epoch"]
        address = ignored.get("address", invitation.sealed_address)
        suppressed = ignored.get("suppressed", asked["suppressed"])
        seen = attrs.evolve(invitation, sealed_address=address)
        return obstacle_to_retry(seen, history, epoch=epoch, suppressed=suppressed)

    return obstacle


def keep_the_epoch(self: MemoryRelay, relay: Relay) -> None:
    """Seed: neither a reconciliation nor a migration draws another epoch."""
    keep(self, attrs.evolve(relay, epoch=0))


keep = MemoryRelay.keep


async def sent_when_fenced(self: DeliveryAttempt, staged: Any, fenced: Fenced, free: Any) -> DeliveryResult:
    """Seed: it counts as sent before it is."""
    await self._keep(fenced.item, Accepted("250"), free)
    return await await_answer(self, staged, fenced, free)


await_answer = DeliveryAttempt._await_answer


Seed = tuple[object, str, object]
Seeds = Sequence[Seed]

CLAIM_HOLDS: Seed = (Invitation, "held_by", any_claim_holds)
UNREAD: Seed = (fence, "reread_all", unread)
BLIND_CHANGE: Seed = (MemoryInvitations, "change", change_whatever_it_is)
NO_PAUSE_AT_THE_FENCE: Seed = (fence, "check_for_rollback", never_paused)
NO_PAUSE_AT_THE_CLAIM: Seed = (claim, "check_for_rollback", never_paused)


@pytest.mark.machine
@pytest.mark.parametrize(
    ("seeds", "bounds", "says"),
    [
        pytest.param(
            [NO_PAUSE_AT_THE_FENCE, NO_PAUSE_AT_THE_CLAIM],
            attrs.evolve(RESTORE, **QUIET),
            "sent 2 times",
            id="mark and database are never compared",
        ),
        pytest.param(
            [(JointCommit, "advance", mark_later), (DeliveryAttempt, "_await_answer", mark_after_the_dot)],
            RESTORE,
            "sent 2 times",
            id="mark after the dot",
        ),
        pytest.param(
            [CLAIM_HOLDS], attrs.evolve(CRASHES, **QUIET), "there was no fault", id="any claim passes the fence"
        ),
        pytest.param(
            [UNREAD, BLIND_CHANGE],
            attrs.evolve(RESTORE, sent_early=0),
            "sent 2 times",
            id="nothing is read again, and nothing is compared",
        ),
        pytest.param(
            [(committer, "record_all", sent_when_refused)],
            REFUSAL,
            "it was never sent",
            id="a refusal is an acceptance",
        ),
        pytest.param(
            [(committer, "record_all", scheduled_when_unanswered)],
            CRASHES,
            "sent 2 times",
            id="lost answer is a refusal",
        ),
        pytest.param(
            [(RecordedHandOvers, "since", names_those_in_time)],
            attrs.evolve(RESTORE, kills=0),
            "sent 2 times",
            id="early ones unnamed",
        ),
        pytest.param(
            [(RecordedHandOvers, "since", names_from_the_backup_on)], RESTORE, "sent 2 times", id="one name too few"
        ),
        pytest.param([(reconcile, "_resolve", settle_nothing)], RESTORE, "sent 2 times", id="nothing settled"),
        pytest.param(
            [(reconcile, "_resolve", go_on_first)],
            attrs.evolve(RESTORE, sent_early=0),
            "sent 2 times",
            id="goes on before it settles",
        ),
        pytest.param(
            [(reconcile, "_doubt", doubt_all_that_waits)],
            RESTORE,
            "cannot have left since the backup",
            id="all that waits in doubt",
        ),
        pytest.param(
            [(sweep, "recover_abandoned", sweep_to_scheduled)], CRASHES, "sent 2 times", id="swept to be sent"
        ),
        pytest.param(
            [(sweep, "release_claims", release_hand_overs)],
            attrs.evolve(CRASHES, leases_over=0, missing=1),
            "sent 2 times",
            id="what was handed over is released, too",
        ),
        pytest.param(
            [(sweep, "recover_abandoned", sweep_to_scheduled)],
            attrs.evolve(CRASHES, sent_early=0, messages=True),
            "sent 2 times",
            id="a message swept to be sent",
        ),
        pytest.param(
            [NO_PAUSE_AT_THE_FENCE, NO_PAUSE_AT_THE_CLAIM],
            attrs.evolve(RESTORE, **QUIET, messages=True),
            "sent 2 times",
            id="mark and database are never compared for messages",
        ),
        pytest.param(
            [UNREAD, (MemoryNotices, "change", change_whatever_the_message_is), (Notice, "held_by", any_claim_holds)],
            attrs.evolve(CRASHES, sent_early=0, messages=True),
            "sent 2 times",
            id="the fence of a message asks nothing",
        ),
        pytest.param(
            [(DeliveryAttempt, "_await_answer", sent_when_fenced)], CRASHES, "it was never sent", id="sent before it is"
        ),
        pytest.param(
            [(retry, "obstacle_to_retry", but(epoch=...))],
            REJECTION_FORGOTTEN,
            "sent 2 times",
            id="a retry of what an older copy has as rejected",
        ),
        pytest.param([(MemoryRelay, "keep", keep_the_epoch)], REJECTION_FORGOTTEN, "sent 2 times", id="one epoch only"),
        pytest.param(
            [(retry, "pause_at", never_paused_at)], REJECTION_FORGOTTEN, "sent 2 times", id="a retry during a pause"
        ),
        pytest.param(
            [(retry, "obstacle_to_retry", but(epoch=...))],
            DECISIONS,
            "it was rejected before the migration",
            id="a retry of what was rejected before a migration",
        ),
        pytest.param(
            [(retry, "obstacle_to_retry", but(history=()))],
            REJECTION_AMID_CRASHES,
            "it was in doubt",
            id="a retry of what was uncertain",
        ),
        pytest.param(
            [(retry, "obstacle_to_retry", but(suppressed=False))],
            DECISIONS,
            "its address is suppressed",
            id="a retry of what is suppressed",
        ),
        pytest.param(
            [(retry, "obstacle_to_retry", but(address=b""))],
            DECISIONS,
            "not_renderable",
            id="a retry of what is erased",
        ),
        pytest.param(
            [(reconcile, "_make_uncertain", doubt_nothing_rejected)],
            REJECTION,
            "is rejected, but it was sent",
            id="what was sent after a retry stays rejected",
        ),
    ],
)
def test_a_fault_on_purpose_is_found_and_the_way_to_it_told(
    monkeypatch: pytest.MonkeyPatch, seeds: Seeds, bounds: Bounds, says: str
) -> None:
    for place, name, seed in seeds:
        monkeypatch.setattr(place, name, seed)
    report = explore(bounds)
    print(report)
    assert report.violation is not None, report
    assert says in report.violation, report
    told = str(report)
    assert "1. process 1 begins: it delivers, and reads the mark" in told
    assert "A is claimed (claimed)" in told


@pytest.mark.machine
@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(UNREAD, id="the second reading"),
        pytest.param(BLIND_CHANGE, id="the comparison"),
        pytest.param(NO_PAUSE_AT_THE_FENCE, id="the pause at the fence"),
        pytest.param(NO_PAUSE_AT_THE_CLAIM, id="the pause at the claim"),
    ],
)
def test_what_another_guard_covers_can_be_missing_alone(monkeypatch: pytest.MonkeyPatch, seed: Seed) -> None:
    """The page calls these defence in depth; one that proves to be the only defence belongs to the faults above."""
    monkeypatch.setattr(*seed)
    for bounds in (CRASHES, RESTORE, TWO_HOSTS):
        report = explore(attrs.evolve(bounds, sent_early=0))
        assert report.violation is None, report

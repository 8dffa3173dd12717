"""The world that the explorer walks through: storage, marks, a mail server, two processes, and an operator.

A `State` is all of it, as values. `World` puts a state into real storage, lets one thing happen, and takes the next
state out. What is counted beside it (what was handed over, broken off, touched) is the truth that the code cannot see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import attrs
from tests.core.usecases.delivery.stepped_delivery import InMemoryMark, run_to_end
from tests.messages import queue
from tests.model.replay import Replay, Server, Suspended, digest

from reviewinvite_core import OPERATOR, Settings, accepted, build
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.domain.handovers import DeliveryHost, DeliveryPaused, HandOver, RecordedHandOvers
from reviewinvite_core.domain.invitation_states import Reason, State as InvitationState
from reviewinvite_core.domain.invitations import Change
from reviewinvite_core.domain.notices import MailItem, Notice
from reviewinvite_core.domain.relay import RefusedMail, Relay
from reviewinvite_core.domain.suppressions import Suppression
from reviewinvite_core.ports import Accepted, AnswerLost, RefusedForNow, Rejected
from reviewinvite_core.testing.builders import NOON, ManualClock, a_shop, an_order_report
from reviewinvite_core.usecases.delivery import attempt, claim, reconcile, restore_guard, retry, sweep
from reviewinvite_core.usecases.delivery.committer import DirectCommitter, JointCommit
from reviewinvite_core.usecases.delivery.fence import Fenced
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard, snapshot_of

LEASE = timedelta(seconds=900)
HELD = (InvitationState.CLAIMED, InvitationState.HANDING_OVER)
REJECTED = InvitationState.REJECTED
ANSWERS: dict[str, Accepted | AnswerLost | RefusedForNow | Rejected] = {
    "accepted": Accepted("250"),
    "the answer is lost": AnswerLost(),
    "refused for now": RefusedForNow("451"),
    "refused for good": Rejected("552 5.3.4"),
}
NAMES = ("A", "B")
CLAIMING = 1  # results that a delivery has had when it commits its claim: the mark
FENCING = 3  # results that a delivery has had when it commits its fence: mark, claim, mark
MARKING = 4


@attrs.frozen(kw_only=True, cache_hash=True)
class Bounds:
    """How often each thing may happen, and on which storage."""

    messages: bool = False  # A and B are sign-in links, not invitations
    one_host: bool = True  # two processes share one mark; otherwise two hosts have one each
    forgetful: bool = False  # the mark names as few as it may
    all_look: bool = True  # after a restore each host compares its mark before any delivers
    deliveries: int = 2  # of each process
    kills: int = 1
    lost_answers: int = 1
    refusals: int = 0
    leases_over: int = 1
    missing: int = 0  # every worker is taken for missing, whether it lives or not
    sent_early: int = 1
    backups: int = 1
    restores: int = 1
    reconciliations: int = 1
    rejections: int = 0  # refusals for good
    retries: int = 0
    migrations: int = 0
    suppressions: int = 0  # of A's address
    erasures: int = 0


@attrs.frozen(kw_only=True, cache_hash=True)
class Program:
    """A delivery, a reconciliation or a retry under way: the results that it has had, and what it is about to do."""

    kind: str
    serial: int
    results: tuple[object, ...] = attrs.field(default=(), eq=False)
    effect: str = "begins"
    key: tuple[object, ...] = ()


@attrs.frozen(kw_only=True, cache_hash=True)
class Truth:
    """What happened, by the ids of invitations or messages."""

    taken: tuple[tuple[str, int], ...] = ()  # messages that the server took
    broken: frozenset[str] = frozenset()  # whose hand-over was killed, or stood still in a copy that came back
    unanswered: frozenset[str] = frozenset()
    touched: frozenset[str] = frozenset()  # in hand at the time of the backup, or claimed since
    outlasted: frozenset[str] = (
        frozenset()
    )  # being handed over when a lease's time passed: too slow, and taken for dead


@attrs.frozen(kw_only=True, cache_hash=True)
class Copy:
    """The rows of the database.

    Of a history, only whether the invitation was ever uncertain decides something: these are `doubted`. `migrated` is
    no row: it names what was rejected at the last migration.
    """

    items: tuple[MailItem, ...]
    hosts: tuple[DeliveryHost, ...]
    relay: Relay = attrs.field(factory=Relay)
    refused: tuple[RefusedMail, ...] = ()
    doubted: frozenset[str] = frozenset()
    suppressions: tuple[Suppression, ...] = ()
    migrated: frozenset[str] = frozenset()


@attrs.frozen(kw_only=True, cache_hash=True)
class State:
    """All of the world at one moment."""

    rows: Copy
    marks: tuple[RecordedHandOvers, ...]
    programs: tuple[Program | None, ...] = (None, None)
    ticks: int = 0
    begun: tuple[int, ...] = (0, 0)
    left: Bounds
    backup: Copy | None = None
    restored: bool = False
    truth: Truth = Truth()


class World:
    """Real storage in memory, into which states are put, and the things that can happen."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.storage = MemoryStorage()
        self.storage.one_host = bounds.one_host
        self.clock, self.entropy, self.server = ManualClock(), _Entropy(), Server()
        new_mark = _ForgetfulMark if bounds.forgetful else InMemoryMark
        self.marks = [new_mark(host) for host in (("host",) if bounds.one_host else ("one", "two"))]
        for mark in self.marks:
            mark.make()
        settings = Settings(secret="a secret for tests, long enough", lease_seconds=int(LEASE.total_seconds()))
        self.app = build(
            settings,
            clock=self.clock,
            entropy=self.entropy,
            storage=self.storage,
            mailer=RecordingMailer(),
            high_water_mark=self.marks[0],
        )
        self.transactions = self.app.delivery._transactions()
        self.app.shops.add(a_shop())
        caller = accepted(self.app.shops.act_for("bakkerij-1"))
        for name, delay in (("a", 0), ("b", 2)):
            if bounds.messages:
                queue(self.app, to=f"{name}@example.com", expires_after=timedelta(days=99))
            else:
                accepted(self.app.orders.report(caller, an_order_report(f"{name}@example.com", delay_days=delay)))
        self._invitations = self.storage._store.invitations._invitations._rows
        self._notices = self.storage._store.notices._notices._rows
        self._histories = self.storage._store.invitations._changes._rows
        self._suppressions = self.storage._store.suppressions._suppressions._rows
        self._migrated: frozenset[str] = frozenset()
        self._hosts = self.storage._store.hosts._hosts._rows
        self._relay = self.storage._store.relay
        self.names = {id_of(each): name for each, name in zip(self._rows().items, NAMES, strict=True)}

    def initial(self) -> State:
        return State(rows=self._rows(), marks=tuple(mark.recall() for mark in self.marks), left=self.bounds)

    def _rows(self) -> Copy:
        items: list[MailItem] = [*self._invitations.values(), *self._notices.values()]
        return Copy(
            items=tuple(items),
            hosts=tuple(self._hosts.values()),
            relay=self._relay.state(),
            refused=tuple(self._relay.refused_mail()),
            doubted=frozenset(
                invite_id
                for (_, invite_id), history in self._histories.items()
                if any(change.state is InvitationState.UNCERTAIN for change in history)
            ),
            suppressions=tuple(self._suppressions.values()),
            migrated=self._migrated,
        )

    def load(self, state: State) -> None:
        """Put a state into storage, marks and clock."""
        self._put(state.rows)
        for mark, let_out in zip(self.marks, state.marks, strict=True):
            mark.let_out = let_out
        self.clock.set(NOON + state.ticks * LEASE)
        self.server.taken = dict(state.truth.taken)

    def _put(self, rows: Copy) -> None:
        for item in rows.items:
            if isinstance(item, Notice):
                self._notices[item.message_id] = item
            else:
                self._invitations[item.shop_number, item.invite_id] = item
        self._hosts.clear()
        self._hosts.update({host.host: host for host in rows.hosts})
        self._relay._relay._rows[1] = rows.relay
        self._relay._mail._rows.clear()
        self._relay._mail._rows.update({(each.shop_number, each.domain): each for each in rows.refused})
        self._suppressions.clear()
        self._suppressions.update({(each.shop_number, each.address_hash): each for each in rows.suppressions})
        self._migrated = rows.migrated
        self._histories.clear()
        doubt = Change(state=InvitationState.UNCERTAIN, reason=Reason.RECONCILED, at=NOON)
        self._histories.update({key: (doubt,) for key in self._invitations if key[1] in rows.doubted})

    def save(self, before: State, **changes: Any) -> State:
        """Take the next state out."""
        rows = self._rows()
        truth = changes.pop("truth", before.truth)
        touched = truth.touched
        if before.backup or before.restored:
            touched |= {id_of(each) for each in rows.items if each.state in HELD}
        truth = attrs.evolve(truth, taken=tuple(sorted(self.server.taken.items())), touched=touched)
        marks = tuple(mark.recall() for mark in self.marks)
        return attrs.evolve(before, rows=rows, marks=marks, truth=truth, **changes)

    # --- what can happen

    def successors(self, state: State) -> Iterator[tuple[str, State]]:
        """Yield all that can happen next, in words, with the state that it leads to."""
        for process, program in enumerate(state.programs):
            if program is None:
                yield from self._begin(state, process)
            else:
                yield from self._advance(state, process, program)
        yield from self._surroundings(state)

    def _begin(self, state: State, process: int) -> Iterator[tuple[str, State]]:
        """Begin a delivery, a reconciliation or a retry, whose first effect is to read the mark."""
        # Processes of one host are alike, so that it does not matter which of them begins.
        is_first = self.bounds.one_host and process == 1 and state.begun[0] == 0
        if state.begun[process] < self.bounds.deliveries and not is_first:
            begun = tuple(each + (place == process) for place, each in enumerate(state.begun))
            program = Program(kind="delivers", serial=begun[process])
            yield self._step(attrs.evolve(state, begun=begun), process, program, "accepted")
        if state.restored and state.left.reconciliations:
            left = attrs.evolve(state.left, reconciliations=state.left.reconciliations - 1)
            program = Program(kind="reconciles", serial=0)
            yield self._step(attrs.evolve(state, left=left), process, program, "accepted")
        is_alike = self.bounds.one_host and process == 1 and state.programs[0] is None
        if state.left.retries and not is_alike and any(each.state is REJECTED for each in state.rows.items):
            left = attrs.evolve(state.left, retries=state.left.retries - 1)
            program = Program(kind="retries", serial=0)
            yield self._step(attrs.evolve(state, left=left), process, program, "accepted")

    def _advance(self, state: State, process: int, program: Program) -> Iterator[tuple[str, State]]:
        says: tuple[str, ...] = ("accepted",)
        if program.effect == "sends the end of the data":
            left = state.left
            may = (True, left.lost_answers > 0, left.refusals > 0, left.rejections > 0)
            says = tuple(word for word, so in zip(ANSWERS, may, strict=True) if so)
        for word in says:
            yield self._step(state, process, program, word)
        # One that is killed before it claims has done nothing, and whether it has read the mark again tells nobody.
        if state.left.kills and len(program.results) > (CLAIMING + 1 if program.kind == "delivers" else 1):
            left = attrs.evolve(state.left, kills=state.left.kills - 1)
            yield (
                f"process {process + 1} is killed before it {program.effect}",
                self._ended(state, process, left=left),
            )

    def _ended(self, state: State, process: int, **changes: Any) -> State:
        held = frozenset(_handed_over(state.programs[process]))
        return attrs.evolve(
            state,
            programs=_replaced(state.programs, process, None),
            truth=attrs.evolve(state.truth, broken=state.truth.broken | held),
            **changes,
        )

    def _step(self, state: State, process: int, program: Program, word: str) -> tuple[str, State]:
        self.load(state)
        self.server.answer = ANSWERS[word]
        after = self.run(program, process)
        left, truth = state.left, state.truth
        effect = program.effect if program.results else f"begins: it {program.kind}, and reads the mark"
        label = f"process {process + 1} {effect}"
        if program.effect == "sends the end of the data":
            label += f" of {', '.join(self.names[each] for each in _handed_over(program))}: {word}"
            left = attrs.evolve(
                left,
                lost_answers=left.lost_answers - (word == "the answer is lost"),
                refusals=left.refusals - (word == "refused for now"),
                rejections=left.rejections - (word == "refused for good"),
            )
            if word == "the answer is lost":
                truth = attrs.evolve(truth, unanswered=truth.unanswered | frozenset(_handed_over(program)))
        next_state = self.save(state, programs=_replaced(state.programs, process, after), left=left, truth=truth)
        return label + self._changes(state, next_state), next_state

    def run(self, program: Program, process: int) -> Program | None:
        """Let a program have one more effect; None if that was its last."""
        self.entropy.prefix = f"{process}/{program.serial}"
        replay = Replay(program.results, self.transactions, self.marks[process % len(self.marks)], self.server)
        guard = RestoreGuard(store=replay, one_host=self.bounds.one_host)
        try:
            match program.kind:
                case "delivers":
                    self._deliver(replay, guard)
                case "reconciles":
                    reconcile.reconcile(replay, guard)
                case _:
                    retry.retry(replay, guard, list(self._invitations))
        except Suspended as suspended:
            key = program.key
            if len(replay.results) > len(program.results):
                key = (*key, digest(replay.results[-1]))
            return attrs.evolve(program, results=tuple(replay.results), effect=suspended.effect, key=key)
        except DeliveryPaused:
            return None
        return None

    def _deliver(self, replay: Replay, guard: RestoreGuard) -> None:
        """What a worker process does with one invitation or message: claim it, and make the attempt."""
        config = attrs.evolve(
            self.app.delivery._config, renderer=replay, notice_renderer=replay, mailer=replay, restore_guard=guard
        )
        mark = restore_guard.read_high_water_mark(replay, guard)
        most = 0 if self.bounds.messages else 1
        claimed = replay.run(
            lambda ctx: claim.claim_due(ctx, "", most, since=None, high_water_mark=mark, most_notices=1)
        )
        for assignment in claimed.assignments:
            committer = DirectCommitter(JointCommit(replay, guard))
            made = attempt.DeliveryAttempt(committer, config, replay, lambda _: None)
            run_to_end(made.deliver(assignment, datetime.max.replace(tzinfo=NOON.tzinfo)))

    def _surroundings(self, state: State) -> Iterator[tuple[str, State]]:
        left = state.left
        if left.leases_over:
            slow = frozenset(each for program in state.programs for each in _handed_over(program))
            yield (
                "a lease's time passes",
                attrs.evolve(
                    state,
                    ticks=state.ticks + 1,
                    left=attrs.evolve(left, leases_over=left.leases_over - 1),
                    truth=attrs.evolve(state.truth, outlasted=state.truth.outlasted | slow),
                ),
            )
        if any(each.state in HELD for each in state.rows.items) and state.ticks:
            yield from self._whole("leases that are over are swept", state, self._sweep)
        if left.missing and any(each.state in HELD for each in state.rows.items):
            spent = attrs.evolve(left, missing=left.missing - 1)
            yield from self._whole("claims of missing workers are released", state, self._release, left=spent)
        if left.sent_early and state.rows.items[1].state is InvitationState.SCHEDULED:
            spent = attrs.evolve(left, sent_early=left.sent_early - 1)
            yield from self._whole("B is to be sent now", state, self._send_now, left=spent)
        yield from self._decisions(state)
        if left.backups:
            held = frozenset(id_of(each) for each in state.rows.items if each.state in HELD)
            yield (
                "the database is backed up",
                attrs.evolve(
                    state,
                    backup=state.rows,
                    left=attrs.evolve(left, backups=left.backups - 1),
                    truth=attrs.evolve(state.truth, touched=held),
                ),
            )
        if left.restores and state.backup and state.backup != state.rows:
            yield from self._restore(state, state.backup)

    def _decisions(self, state: State) -> Iterator[tuple[str, State]]:
        """What an operator does for a customer, or to the schema; it matters to what is rejected only."""
        left = state.left
        if not any(each.state is REJECTED for each in state.rows.items):
            return
        if left.suppressions:
            spent = attrs.evolve(left, suppressions=left.suppressions - 1)
            suppress = partial(self.app.privacy.suppress, "a@example.com")
            yield from self._whole("the address of A is suppressed", state, suppress, left=spent)
        if left.erasures:
            spent = attrs.evolve(left, erasures=left.erasures - 1)
            erase = partial(self.app.privacy.erase_address, "a@example.com")
            yield from self._whole("the address of A is erased", state, erase, left=spent)
        if left.migrations:
            spent = attrs.evolve(left, migrations=left.migrations - 1)
            yield from self._whole("the database is migrated", state, self._migrate, left=spent)

    def _migrate(self) -> None:
        self._relay.keep(attrs.evolve(self._relay.lock(), epoch=2**62))
        self._migrated = frozenset(each.invite_id for each in self._invitations.values() if each.state is REJECTED)

    def _whole(
        self, label: str, state: State, act: Callable[[], object], **changes: Any
    ) -> Iterator[tuple[str, State]]:
        self.load(state)
        act()
        after = self.save(state, **changes)
        if after != state:
            yield label + self._changes(state, after), after

    def _sweep(self) -> None:
        self.transactions.run(sweep.recover_abandoned)

    def _release(self) -> None:
        self.transactions.run(lambda ctx: sweep.release_claims(ctx, b""))

    def _send_now(self) -> None:
        (later,) = (invite_id for invite_id, name in self.names.items() if name == "B")
        self.app.invitations.send_now(OPERATOR, later)

    def _restore(self, state: State, backup: Copy) -> Iterator[tuple[str, State]]:
        """Put the copy back. Whoever has read the mark for a fence and not written it was stopped before (ADR-20)."""
        stood_still = {id_of(each) for each in backup.items if each.state is InvitationState.HANDING_OVER}
        truth = attrs.evolve(state.truth, broken=state.truth.broken | stood_still)
        left = attrs.evolve(state.left, restores=state.left.restores - 1)
        before = attrs.evolve(
            state, left=left, restored=True, truth=truth, backup=state.backup if left.restores else None
        )
        for process, program in enumerate(state.programs):
            if program and program.kind == "delivers" and len(program.results) in {FENCING, MARKING}:
                before = self._ended(before, process)
        self.load(before)
        self._put(backup)
        if self.bounds.all_look:
            for mark in self.marks:
                snapshot = snapshot_of(mark.make(), RestoreGuard(store=mark, one_host=self.bounds.one_host))
                self.transactions.run(partial(restore_guard.check_for_rollback, snapshot=snapshot))
        after = self.save(before)
        yield "the backup is restored" + self._changes(state, after), after

    def _changes(self, before: State, after: State) -> str:
        changed = [
            f"{self.names[id_of(now)]} is {now.state} ({now.reason})"
            for was, now in zip(before.rows.items, after.rows.items, strict=True)
            if (was.state, was.reason, was.attempts) != (now.state, now.reason, now.attempts)
        ]
        return f"; {', '.join(changed)}" if changed else ""

    # --- the end, without further faults

    def finish(self, state: State) -> State:
        """Let the operator reconcile on every host and retry, and workers deliver until nothing is left to be sent."""
        self.load(attrs.evolve(state, programs=(None, None)))
        self.server.answer = ANSWERS["accepted"]
        for day in range(4):
            self.clock.set(NOON + state.ticks * LEASE + timedelta(days=day))
            self.entropy.prefix = f"end {day}"
            guards = [RestoreGuard(store=mark, one_host=self.bounds.one_host) for mark in self.marks * 2]
            for guard in guards:
                reconcile.reconcile(self.transactions, guard)
            self._sweep()
            if self.bounds.retries:
                retry.retry(self.transactions, guards[0], list(self._invitations))
            for serial in range(2):
                for process in range(len(self.marks)):
                    program: Program | None = Program(kind="delivers", serial=100 + 10 * day + serial)
                    while program:
                        program = self.run(program, process)
        return self.save(state)


class _Entropy:
    """Bytes that differ from one delivery to another, whatever happened in between."""

    prefix = "first"
    drawn = 0

    def draw(self, size: int) -> bytes:
        if self.prefix != "first":
            return self.prefix.encode().ljust(size, b"\0")[:size]
        self.drawn += 1
        return self.drawn.to_bytes(2, "big") * (size // 2)


class _ForgetfulMark(InMemoryMark):
    """A mark that names as few as it may after each hand-over."""

    def advance(self, hand_overs: Sequence[HandOver]) -> None:
        super().advance(hand_overs)
        assert self.let_out is not None
        self.let_out = self.let_out.compacted(8)


def id_of(item: MailItem) -> str:
    """The id of an invitation or a message."""
    return item.message_id if isinstance(item, Notice) else item.invite_id


def _replaced(
    programs: tuple[Program | None, ...], process: int, program: Program | None
) -> tuple[Program | None, ...]:
    return (*programs[:process], program, *programs[process + 1 :])


def _handed_over(program: Program | None) -> list[str]:
    """The invitation or message that a delivery has in hand past the fence, if any."""
    if program is None or program.kind != "delivers" or len(program.results) <= FENCING:
        return []
    match program.results[FENCING]:
        case (_, [Fenced(item=item)]) if item.reason is Reason.FENCED:
            return [id_of(item)]
    return []

"""Whatever happens, in whatever order: nothing leaves twice, nothing that must not, nothing is lost (ADR-7, ADR-20).

Workers advance step by step and die between any two steps; clocks jump; servers refuse, and answer late or never;
people cancel, opt out and close their shops; older copies of the database come back. After each step every change is
compared with what the model allows.
"""

from __future__ import annotations

import copy
import itertools
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

import attrs
import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from tests.budgets import in_soak
from tests.core.usecases.delivery.stepped_delivery import (
    ACCEPTING,
    DeliveryEnvironment,
    InMemoryMark,
    LocalFault,
    MailBehaviour,
    ManualStop,
    Point,
    SteppedPool,
    SteppedThread,
)

from reviewinvite_core import OPERATOR, Actor, OrderReport, Reported, Settings, ShopChanges, accepted, build
from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.handovers import DeliveryPaused, RecordedHandOvers
from reviewinvite_core.domain.invitation_states import TRANSITIONS, Reason, State
from reviewinvite_core.domain.invitations import Change, Invitation
from reviewinvite_core.domain.policy import OVERDUE_AFTER, RETRIES_LAST
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    HighWaterMarkStore,
    RefusedForNow,
    Rejected,
    Storage,
    Store,
    Unreachable,
)
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock, a_shop
from reviewinvite_core.testing.inline_worker_pool import InlineWorkerPool
from reviewinvite_core.usecases.delivery.attempt import DeliveryResult
from reviewinvite_core.usecases.delivery.dispatcher import DeliveryContext, Dispatcher
from reviewinvite_core.usecases.delivery.reconcile import reconcile
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard
from reviewinvite_core.usecases.delivery.sweep import expire_overdue, recover_abandoned
from reviewinvite_core.usecases.invitations.change import miscounted_invitations
from reviewinvite_core.values import InvitationRecord

SITES = ("bakkerij-1", "slagerij-2")
WORKERS, THREADS = 3, 2
LEASE = timedelta(seconds=900)
MOST_COPIES = 3
MOST_ROUNDS = 500  # until all is done
HELD = (State.CLAIMED, State.HANDING_OVER)

ACTIONS = ("cancel", "opt out", "opt out of all", "opt out meanwhile", "opt in", "erase", "now")

a_site = st.sampled_from(SITES)
an_email = st.sampled_from(("anna@example.com", "bert@example.nl", "Zoe@example.com"))
a_delay = st.sampled_from((0, 0, 0, 1 / 24, 2, 60))
a_worker = st.integers(0, WORKERS - 1)
which = st.integers(0, 99)
a_span = st.sampled_from(
    (
        *(timedelta(seconds=1), timedelta(minutes=1), LEASE / 2, LEASE, timedelta(hours=4), timedelta(days=1)),
        *(timedelta(hours=4), timedelta(days=3), timedelta(days=61)),
        *(timedelta(seconds=-1), -LEASE, timedelta(hours=-4), timedelta(days=-3)),
    )
)
NO_MAILBOX = Rejected("550 5.1.1", no_mailbox=True)
a_behaviour = st.sampled_from(
    (
        *(ACCEPTING, ACCEPTING, ACCEPTING),
        MailBehaviour(at_stage=RefusedForNow("451")),
        MailBehaviour(at_stage=Rejected("550")),
        MailBehaviour(at_stage=Rejected("550 5.2.1")),
        MailBehaviour(at_stage=NO_MAILBOX),
        MailBehaviour(at_stage=Unreachable("gaierror")),
        MailBehaviour(answer=RefusedForNow("452")),
        MailBehaviour(answer=RefusedForNow("452")),
        MailBehaviour(answer=Rejected("554")),
        MailBehaviour(answer=AnswerLost()),
        *(MailBehaviour(fault=fault) for fault in LocalFault),
    )
)


@attrs.frozen
class Seen:
    """An invitation and its history, as stored after the last step."""

    invitation: Invitation
    history: Sequence[Change]


@attrs.define(kw_only=True)
class Model:
    """What people have decided, and each invitation as last stored; it is as old as its database."""

    seen: dict[str, Seen] = attrs.field(factory=dict)
    cancelled: set[str] = attrs.field(factory=set)
    erased: set[str] = attrs.field(factory=set)
    suppressed: set[tuple[int | None, bytes]] = attrs.field(factory=set)
    inactive: set[int] = attrs.field(factory=set)
    frequency: dict[int, timedelta] = attrs.field(factory=dict)
    knows_left: int = 0  # how many ends of data, and how many fences, this database knows or has reconciled
    knows_fenced: int = 0
    resent: dict[str, int] = attrs.field(factory=dict)  # how many ends of data there were when an operator resent it

    def copied(self) -> Model:
        return Model(
            seen=dict(self.seen),
            cancelled=set(self.cancelled),
            erased=set(self.erased),
            suppressed=set(self.suppressed),
            inactive=set(self.inactive),
            frequency=dict(self.frequency),
            knows_left=self.knows_left,
            knows_fenced=self.knows_fenced,
            resent=dict(self.resent),
        )

    def suppresses(self, invitation: Invitation) -> bool:
        return not self.suppressed.isdisjoint(
            {(None, invitation.address_hash), (invitation.shop_number, invitation.address_hash)}
        )

    def forbids_so_soon(self, invitation: Invitation, at: datetime) -> bool:
        """Return whether the shop's frequency rule forbids a hand-over at this instant, by all that was handed over."""
        span = self.frequency.get(invitation.shop_number, timedelta(0))
        mine = self.seen[invitation.invite_id].history
        if any(change.reason is Reason.OPERATOR for change in mine):
            return False
        return any(
            abs(_handed_over_at(other) - at) < span
            for invite_id, other in self.seen.items()
            if invite_id != invitation.invite_id
            and other.invitation.state in {State.HANDING_OVER, State.SENT, State.UNCERTAIN}
            and other.invitation.shop_number == invitation.shop_number
            and other.invitation.address_hash == invitation.address_hash
        )


class Worker:
    """A worker process with its dispatcher."""

    def __init__(self, new_context: Callable[[SteppedPool[DeliveryResult], ManualStop], DeliveryContext]) -> None:
        self.pool: SteppedPool[DeliveryResult] = SteppedPool(THREADS)
        self.stop = ManualStop()
        self.dispatcher = Dispatcher(new_context(self.pool, self.stop), lambda _: None)


class DeliveryMachine(RuleBasedStateMachine):
    """Workers on one database, and a model of what may happen to it."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.database = database
        self.storage = database.storage
        self.app = build(
            Settings(secret="a secret for tests, long enough", orders_per_minute=0, lease_seconds=900),
            clock=self.clock,
            entropy=CountingEntropy(),
            storage=self.storage,
            high_water_mark=database.mark,
            worker_pool=InlineWorkerPool,
        )
        self.environment = DeliveryEnvironment(self.app.delivery._transactions(), database.mark)
        self.model = Model()
        self.copies: list[tuple[object, Model]] = []
        self.fences: Counter[str] = Counter()
        self.fenced: list[str] = []  # every fence, by its invitation
        self.orders: dict[str, tuple[str, str]] = {}
        self.older = self.reconciling = self.stopped = self.set_back = False
        self.operator_speaks = self.retrying = False
        self.numbers = itertools.count(1)
        for site in SITES:
            self.app.shops.add(a_shop(site))
        self.workers = [self.new_worker() for _ in range(WORKERS)]
        self.leaving: list[SteppedPool[DeliveryResult]] = []  # of processes that are stopping

    def new_worker(self) -> Worker:
        return Worker(self.delivery_context)

    def delivery_context(self, pool: SteppedPool[DeliveryResult], stop: ManualStop) -> DeliveryContext:
        config = attrs.evolve(
            self.app.delivery._config,
            mailer=self.environment,
            restore_guard=RestoreGuard(store=self.environment, one_host=True),
        )
        return DeliveryContext(
            transactions=self.environment,
            config=config,
            stop=stop,
            worker_pool=pool,
            grace_seconds=0,
            stopwatch=time.monotonic,
        )

    # --- what shops and their customers do

    @initialize(orders=st.lists(st.tuples(a_site, an_email), min_size=1, max_size=4))
    def begin_with_orders(self, orders: list[tuple[str, str]]) -> None:
        for site, email in orders:
            self.report(site, email, 0)

    @rule(site=a_site, email=an_email, delay=a_delay)
    def report(self, site: str, email: str, delay: float) -> None:
        caller = self.app.shops.act_for(site)
        assert isinstance(caller, Actor)
        order = OrderReport(email=email, order_number=str(next(self.numbers)), delay_days=delay)
        reported = self.app.orders.report(caller, order)
        assert isinstance(reported, Reported) is (caller.shop_number not in self.model.inactive)
        if isinstance(reported, Reported):
            self.orders[reported.invite_id] = (site, email)
        self.check_changes()

    @rule(number=which, action=st.sampled_from(ACTIONS))
    def shop_or_customer_acts(self, number: int, action: str) -> None:
        invite_id = self.some_invite_id(number)
        site, email = self.orders[invite_id]
        invitation = self.model.seen[invite_id].invitation
        match action:
            case "cancel":
                if isinstance(self.app.invitations.cancel(OPERATOR, invite_id), InvitationRecord):
                    self.model.cancelled.add(invite_id)
            case "now":
                self.operator_speaks = True
                self.app.invitations.send_now(OPERATOR, invite_id)
            case "erase":
                self.app.privacy.erase_address(email)
                self.model.erased |= {each for each in self.model.seen if self.orders[each][1] == email}
            case "opt in":
                for shop, name in ((None, None), (invitation.shop_number, site)):
                    self.app.privacy.remove_suppression(email, name, SuppressedBy.CUSTOMER)
                    self.model.suppressed.discard((shop, invitation.address_hash))
            case "opt out meanwhile":  # where another machine has the invitation in hand just then
                self.storage.run(lambda store: store.suppressions.add(an_opt_out(invitation)))
                self.model.suppressed.add((invitation.shop_number, invitation.address_hash))
            case _:
                everywhere = action == "opt out of all"
                shop = None if everywhere else invitation.shop_number
                self.model.suppressed.add((shop, invitation.address_hash))
                self.app.privacy.suppress(email, None if everywhere else site)
        self.check_changes()
        self.operator_speaks = False

    @rule(number=which, resend=st.booleans())
    def an_operator_resolves(self, number: int, resend: bool) -> None:
        """Resending lets a second message leave; so not while the first one still may."""
        invite_id = self.some_invite_id(number)
        past_the_fence = {Point.COMMITTED, Point.MARKING, Point.MARKED, Point.BEFORE_END_OF_DATA}
        if resend and any(delivery.at in past_the_fence for _, delivery in self.running):
            return
        self.operator_speaks = True
        resolved = (self.app.invitations.resolve_by_resending if resend else self.app.invitations.resolve_as_sent)(
            invite_id
        )
        if resend and isinstance(resolved, Invitation):
            self.environment.ends_of_data[invite_id] = []
            self.model.resent[invite_id] = len(self.environment.left)
        self.check_changes()
        self.operator_speaks = False

    @rule(all_=st.booleans(), number=which)
    def an_operator_retries(self, all_: bool, number: int) -> None:
        """Try one or all again; those that may have left, or must not be sent, are left alone."""
        self.retrying = True
        with suppress(DeliveryPaused):
            self.app.invitations.retry(list(self.model.seen) if all_ else [self.some_invite_id(number)])
        self.check_changes()
        self.retrying = False

    @rule(site=a_site, active=st.booleans())
    def open_or_close(self, site: str, active: bool) -> None:
        shop = accepted(self.app.shops.update(site, ShopChanges(active=active)))
        (self.model.inactive.discard if active else self.model.inactive.add)(shop.number)

    @rule(site=a_site, days=st.sampled_from((0, 2, 30)))
    def invite_less_often(self, site: str, days: int) -> None:
        shop = accepted(self.app.shops.update(site, ShopChanges(frequency_days=days)))
        self.model.frequency[shop.number] = timedelta(days=days)

    # --- what workers do

    @rule(number=a_worker)
    def take(self, number: int) -> None:
        with suppress(DeliveryPaused):
            self.workers[number].dispatcher.take_more()
        self.check_changes()

    @rule(number=which, steps=st.integers(1, 5), behaviour=a_behaviour)
    def advance(self, number: int, steps: int, behaviour: MailBehaviour) -> None:
        """Advance one delivery by some steps."""
        for pool, delivery in self.one_running(number):
            for _ in range(steps):
                if delivery.at is not Point.DONE:
                    self.step(pool, delivery, behaviour)

    @rule(number=which, point=st.sampled_from(Point), behaviour=a_behaviour)
    def advance_to(self, number: int, point: Point, behaviour: MailBehaviour) -> None:
        """Advance one delivery to a point, or to its end."""
        for pool, delivery in self.one_running(number):
            self.step(pool, delivery, behaviour)
            while delivery.at not in {point, Point.DONE}:
                self.step(pool, delivery, behaviour)

    @rule(site=a_site, email=an_email, worker=a_worker, point=st.sampled_from(Point), behaviour=a_behaviour)
    def deliver_one_more(self, site: str, email: str, worker: int, point: Point, behaviour: MailBehaviour) -> None:
        """Report an order that is due at once, claim it, and advance its delivery to a point."""
        self.report(site, email, 0)
        self.take(worker)
        self.advance_to(-1, point, behaviour)

    @rule(site=a_site, email=an_email, worker=a_worker, point=st.sampled_from(Point), behaviour=a_behaviour)
    def another_takes_over(self, site: str, email: str, worker: int, point: Point, behaviour: MailBehaviour) -> None:
        """A lease ends during a delivery, which goes on after another worker has claimed the same."""
        self.deliver_one_more(site, email, worker, point, ACCEPTING)
        self.leases_run_out(worker)
        self.take((worker + 1) % WORKERS)
        self.advance(-1, 4, behaviour)

    @rule(site=a_site, email=an_email, worker=a_worker, point=st.sampled_from(Point), closes=st.booleans())
    def something_happens_amid(self, site: str, email: str, worker: int, point: Point, closes: bool) -> None:
        """During a delivery its shop is inactive for a while, or its lease ends unnoticed."""
        self.open_or_close(site, active=True)
        self.deliver_one_more(site, email, worker, point, ACCEPTING)
        if closes:
            self.open_or_close(site, active=False)
        else:
            self.time_passes(LEASE)
        self.advance(-1, 4, ACCEPTING)
        self.open_or_close(site, active=True)

    @rule(site=a_site, email=an_email, worker=a_worker, delay=st.sampled_from((1, 2, 60)), first=st.booleans())
    def one_leaves_early(self, site: str, email: str, worker: int, delay: float, first: bool) -> None:
        """An operator has one sent before its time, before or after the database is copied."""
        self.open_or_close(site, active=True)
        if not first and len(self.copies) < MOST_COPIES:
            self.copy_the_database()
        known = set(self.model.seen)
        self.report(site, email, delay)
        self.operator_speaks = True
        for invite_id in set(self.model.seen) - known:
            self.app.invitations.send_now(OPERATOR, invite_id)
            self.check_changes()
        self.operator_speaks = False
        self.take(worker)
        self.advance_to(-1, Point.DONE, ACCEPTING)
        if first and len(self.copies) < MOST_COPIES:
            self.copy_the_database()

    @rule(site=a_site, email=an_email, worker=a_worker, point=st.sampled_from(Point), copied=st.booleans())
    def one_is_tried_again(self, site: str, email: str, worker: int, point: Point, copied: bool) -> None:
        """What a mail server has rejected is tried again; the database may have been copied in between."""
        self.open_or_close(site, active=True)
        self.deliver_one_more(site, email, worker, Point.DONE, MailBehaviour(at_stage=Rejected("550 5.2.1")))
        if copied and len(self.copies) < MOST_COPIES:
            self.copy_the_database()
        self.an_operator_retries(all_=True, number=0)
        self.take(worker)
        self.advance_to(-1, point, ACCEPTING)

    @rule(site=a_site, email=an_email, worker=a_worker, point=st.sampled_from(Point))
    def a_copy_misses_one(self, site: str, email: str, worker: int, point: Point) -> None:
        """The database is copied during a delivery, and the copy comes back after more was sent."""
        self.deliver_one_more(site, email, worker, point, ACCEPTING)
        if len(self.copies) < MOST_COPIES:
            self.copy_the_database()
        self.deliver_one_more(site, email, (worker + 1) % WORKERS, Point.DONE, ACCEPTING)
        self.an_older_copy_comes_back(-1)
        self.advance(-1, 4, ACCEPTING)

    def one_running(self, number: int) -> list[tuple[SteppedPool[DeliveryResult], SteppedThread[DeliveryResult]]]:
        """Return one running delivery in a list; if there is none, a worker claims what is due first."""
        if not self.running:
            self.record_results(number % WORKERS)
            self.take(number % WORKERS)
        dispatcher = self.running
        return [dispatcher[number % len(dispatcher)]] if dispatcher else []

    def step(
        self, pool: SteppedPool[DeliveryResult], delivery: SteppedThread[DeliveryResult], behaviour: MailBehaviour
    ) -> None:
        self.environment.behaviour = behaviour
        pool.advance(delivery)
        self.environment.behaviour = ACCEPTING
        self.check_changes()

    @property
    def running(self) -> list[tuple[SteppedPool[DeliveryResult], SteppedThread[DeliveryResult]]]:
        pools = [*(worker.pool for worker in self.workers), *self.leaving]
        return [(pool, delivery) for pool in pools for delivery in pool.running]

    @rule(number=a_worker)
    def record_results(self, number: int) -> None:
        while self.workers[number].dispatcher.next_result(0):
            pass

    @rule(number=a_worker)
    def sweep(self, number: int) -> None:
        self.workers[number].dispatcher.search.restart()
        for chore in (recover_abandoned, expire_overdue):
            self.environment.run(chore)
            self.check_changes()

    @rule(number=a_worker, how=st.sampled_from(("killed", "stopped", "stopped and gone")))
    def a_worker_ends(self, number: int, how: str) -> None:
        """A stopped worker has no grace period; its running deliveries may go on until it is gone."""
        worker, self.workers[number] = self.workers[number], self.new_worker()
        if how != "killed":
            self.stopped = worker.stop.requested = True
            for _ in worker.dispatcher.give_back():
                self.check_changes()
            self.check_changes()
        if how == "stopped":
            self.leaving.append(worker.pool)
        else:
            worker.pool.kill()

    # --- what time and operators do

    @rule(span=a_span)
    def time_passes(self, span: timedelta) -> None:
        self.clock.advance(span)
        self.set_back |= span < timedelta(0)

    @rule(number=a_worker)
    def leases_run_out(self, number: int) -> None:
        self.clock.advance(LEASE)
        self.sweep(number)

    @precondition(lambda self: len(self.copies) < MOST_COPIES)
    @rule()
    def copy_the_database(self) -> None:
        self.note_what_the_database_knows()
        self.copies.append((self.database.copied(), self.model.copied()))

    def note_what_the_database_knows(self) -> None:
        """Note that it knows all that has happened, unless it is an older copy that nobody has reconciled."""
        if not self.older:
            self.model.knows_left, self.model.knows_fenced = len(self.environment.left), len(self.fenced)

    @precondition(lambda self: self.copies)
    @rule(number=which)
    def an_older_copy_comes_back(self, number: int) -> None:
        copied, model = self.copies[number % len(self.copies)]
        self.end_what_neither_knows()
        self.database.put_back(copied)
        self.model, mark = model.copied(), self.database.mark.recall().mark
        # A copy that knows every hand-over is not paused: what leaves from now on, it knows itself.
        self.older = self.storage.read(_all_of)[1].get(mark.host, 0) < mark.number
        self.check_changes()

    def end_what_neither_knows(self) -> None:
        """Kill deliveries between reading and writing the mark, whose hand-over neither a copy nor the mark knows.

        Workers are to be stopped before a copy is put back; only their other deliveries may go on here.
        """
        for pool, delivery in self.running:
            at_the_fence = delivery.at is Point.COMMITTING and delivery.came_from is Point.READING_MARK
            if at_the_fence or delivery.at in {Point.COMMITTED, Point.MARKING}:
                pool.kill_thread(delivery)

    @precondition(lambda self: self.older)
    @rule()
    def reconcile(self) -> None:
        self.note_what_the_database_knows()
        self.reconciling = True
        before = {each: seen.invitation for each, seen in self.model.seen.items()}
        let_out = self.database.mark.recall()
        fence = self.storage.read(_all_of)[1][let_out.mark.host]
        condemned = reconcile(self.environment, RestoreGuard(store=self.environment, one_host=True))
        self.check_changes()
        found = {
            each
            for each, seen in self.model.seen.items()
            if seen.invitation.reason is Reason.RECONCILED is not before[each].reason
        }
        self.require(len(found) == condemned, "not all that were made uncertain were counted")
        self.check_condemned(found, before, let_out, fence)
        self.reconciling = self.older = False

    def check_condemned(
        self, found: set[str], before: dict[str, Invitation], let_out: RecordedHandOvers, fence: int
    ) -> None:
        """Compare what is in doubt with what really left since the copy, and with what passed the fence since."""
        waiting = {each for each, was in before.items() if was.state in {State.SCHEDULED, State.CLAIMED}}
        left = {
            each
            for number, each in enumerate(self.environment.left)
            if number >= max(self.model.knows_left, self.model.resent.get(each, 0)) and not self.was_refused(each)
        }
        self.require(left & waiting <= found, "left since the copy, and not in doubt")
        may_have_left = set(self.fenced[self.model.knows_fenced :])
        may_have_left |= {each for each, was in before.items() if was.state is State.HANDING_OVER}
        horizon = let_out.since(fence).horizon
        if horizon is not None:  # the mark has forgotten some of them
            may_have_left |= {
                each
                for each, was in before.items()
                if was.state in HELD or min(was.due_at, was.scheduled_for) <= horizon
            }
        self.require(found <= may_have_left, "in doubt, and cannot have left since the copy")

    def was_refused(self, invite_id: str) -> bool:
        """Return whether the mail server has refused the last end of data, so that nothing of it has left."""
        answers = self.environment.ends_of_data.get(invite_id, [])
        return isinstance(answers[-1] if answers else None, Rejected | RefusedForNow)

    # --- what the model allows

    def some_invite_id(self, number: int) -> str:
        return sorted(self.model.seen)[number % len(self.model.seen)]

    def check_changes(self) -> None:
        """Compare every change since the last step with what the model allows."""
        found, hosts = self.storage.read(_all_of)
        let_out = self.database.mark.recall()
        mark, named = let_out.mark, {each.invite_id for each in let_out.named}
        for each in found:
            before = self.model.seen.get(each.invitation.invite_id)
            if before != each:
                if before and each.invitation.state is State.HANDING_OVER is not before.invitation.state:
                    self.require(hosts[mark.host] > mark.number, "a fence on an older database")
                self.check(each, before)
                self.model.seen[each.invitation.invite_id] = each
        self.require(len(found) == len(self.model.seen), "an invitation is gone")
        self.require(not self.storage.read(miscounted_invitations), "the stored figures differ from a recount")
        self.require(self.older or mark.number <= hosts[mark.host], "the database is behind the mark")
        for invite_id, ends_of_data in self.environment.ends_of_data.items():
            self.require(len(ends_of_data) <= self.fences[invite_id], "end of data without a fence")
            if ends_of_data and invite_id in self.model.seen:
                told = self.model.seen[invite_id].invitation.scheduled_for
                covered = invite_id in named or (mark.horizon is not None and mark.horizon >= told)
                self.require(covered, "end of data of which the mark knows nothing")
        assert not self.environment.violations, self.environment.violations

    def require(self, so: bool, otherwise: str) -> None:
        if not so:
            self.environment.violations.append(otherwise)

    def check(self, now: Seen, before: Seen | None) -> None:
        old = list(before.history) if before else list(now.history[:1])
        new = now.history[len(old) :]
        self.require(list(now.history[: len(old)]) == old, "history was rewritten")
        last = now.history[-1]
        self.require(
            (last.state, last.reason) == (now.invitation.state, now.invitation.reason),
            "history disagrees with the state",
        )
        self.require(len(new) <= 1, "two changes in one step")
        for earlier, change in itertools.pairwise([old[-1], *new]):
            self.require(change.reason in TRANSITIONS.get((earlier.state, change.state), ()), "not in the table")
        if before and new:
            change = new[-1]
            change_made = f"{before.invitation.state} to {change.state} ({change.reason}) at {change.at}"
            self.require(bool(self.justified(before.invitation, now.invitation, change)), change_made)

    def justified(self, before: Invitation, after: Invitation, change: Change) -> object:  # noqa: C901 - a table
        """Return whether the model allows this change."""
        environment, model = self.environment, self.model
        mail_answers = environment.mail_answers.get(after.invite_id, set())
        lease_over = before.claim is not None and before.claim.lease_until <= change.at
        closed = after.shop_number in model.inactive
        match change.reason:
            case Reason.CLAIMED:
                return change.at - OVERDUE_AFTER <= before.due_at <= change.at and not closed
            case Reason.FENCED:
                self.fences[after.invite_id] += 1
                self.fenced.append(after.invite_id)
                same = before.claim and after.claim and before.claim.token == after.claim.token
                unwanted = after.invite_id in model.cancelled | model.erased or model.suppresses(after)
                unwanted = unwanted or self.bounced(after, change.at) or model.forbids_so_soon(after, change.at)
                return same and not lease_over and not unwanted and not closed
            case Reason.ACCEPTED:
                return Accepted in mail_answers
            case Reason.REFUSED:
                suppressed = model.suppresses(after) or self.bounced(after, change.at)
                return Rejected in mail_answers and (change.reply != NO_MAILBOX.reply or suppressed)
            case Reason.REFUSED_FOR_NOW:
                return mail_answers & {RefusedForNow, Rejected}  # a 5xx that names nobody may be about all mail
            case Reason.UNREACHABLE:
                return Unreachable in mail_answers
            case Reason.RETRIES_EXHAUSTED:
                failed = mail_answers & {RefusedForNow, Rejected, Unreachable} or environment.faults
                return failed and change.at - (before.first_tried_at or change.at) >= RETRIES_LAST
            case Reason.ANSWER_LOST:
                return AnswerLost in mail_answers or self.stopped
            case Reason.PROCESS_DIED:  # or the clock that began it was ahead: no lease is so long
                return lease_over or self.set_back
            case Reason.LEASE_EXPIRED:  # or, as the delivery began, too little was left of it
                return lease_over or change.at >= before.changed_at + LEASE / 2 or self.set_back
            case Reason.RECONCILED:
                return self.reconciling and self.older
            case Reason.PAUSED:
                return self.older
            case Reason.SHUTDOWN:
                return self.stopped
            case Reason.SHOP_INACTIVE:
                return closed
            case Reason.OPERATOR:
                return self.operator_speaks
            case Reason.RETRIED:
                doubted = any(each.state is State.UNCERTAIN for each in model.seen[after.invite_id].history)
                unwanted = doubted or after.invite_id in model.erased or model.suppresses(after)
                return self.retrying and not unwanted and not self.bounced(after, change.at)
            case Reason.NOT_RENDERABLE:
                return after.invite_id in model.erased
            case Reason.ERASED:
                return after.invite_id in model.erased and before.state in {State.SCHEDULED, State.CLAIMED}
            case Reason.CANCELLED:
                return before.state in {State.SCHEDULED, State.CLAIMED}
            case Reason.OPTED_OUT:
                return model.suppresses(after) or self.bounced(after, change.at)
            case Reason.RECENTLY_INVITED:
                return model.forbids_so_soon(after, change.at)
            case Reason.OVERDUE:
                return before.due_at < change.at - OVERDUE_AFTER
            case Reason.MARK_UNWRITTEN:
                return environment.faults[LocalFault.MARK_UNWRITTEN]
            case Reason.FAULT:
                return environment.faults[LocalFault.STORAGE_AWAY] + environment.faults[LocalFault.COMMIT_UNANSWERED]
        return False

    def bounced(self, invitation: Invitation, at: datetime) -> bool:
        """Return whether a mail server has told that the address has no mailbox, and that still holds."""
        return self.storage.read(lambda store: store.suppressions.is_dead(invitation.address_hash, at))

    # --- the end, without further faults

    def teardown(self) -> None:
        try:
            if not self.environment.violations:
                self.finish()
        finally:
            for pool in (*(worker.pool for worker in self.workers), *self.leaving):
                pool.kill()
            self.database.close()

    def finish(self) -> None:
        """Require that nothing was lost: without further faults, all that can be sent is sent in time."""
        self.advance_to_the_end()
        for number in range(WORKERS):
            self.a_worker_ends(number, "killed")
        self.reconcile()
        begun_at, rounds = self.clock.now(), itertools.count()
        before = dict(self.model.seen)
        while (event := self.next_event()) is not None:
            assert next(rounds) < MOST_ROUNDS, "it does not end"
            self.clock.set(max(event, self.clock.now()))
            self.sweep(0)
            self.take(0)
            self.advance_to_the_end()
            self.record_results(0)
        for invite_id, seen in self.model.seen.items():
            self.require(
                bool(self.may_end_as(before[invite_id].invitation, seen.invitation, begun_at)), f"lost: {seen}"
            )
        assert not self.environment.violations, self.environment.violations

    def advance_to_the_end(self) -> None:
        while self.running:
            pool, delivery = self.running[0]
            self.step(pool, delivery, ACCEPTING)

    def next_event(self) -> datetime | None:
        """Return when the next delivery is due (in an outage, its probe), or the next lease ends; or None."""
        probe_at = self.storage.read(lambda store: store.relay.state().probe_at)
        events = []
        for invitation in (each.invitation for each in self.model.seen.values()):
            if invitation.state is State.SCHEDULED and invitation.shop_number not in self.model.inactive:
                events.append(max(invitation.due_at, probe_at) if probe_at else invitation.due_at)
            elif invitation.state in HELD and invitation.claim:
                events.append(invitation.claim.lease_until)
        return min(events, default=None)

    def may_end_as(self, before: Invitation, after: Invitation, begun_at: datetime) -> object:
        """Return whether an invitation may end like this without further faults."""
        if before.state.final:
            return after.state is before.state
        if after.shop_number in self.model.inactive:
            return after.state not in HELD
        match after.state:
            case State.SUPPRESSED:
                too_soon = after.reason is Reason.RECENTLY_INVITED and self.model.frequency[after.shop_number]
                return too_soon or self.model.suppresses(after) or self.bounced(after, after.changed_at)
            case State.EXPIRED:
                held_until = before.claim.lease_until if before.claim else begun_at
                return max(begun_at, held_until) - before.due_at > OVERDUE_AFTER
            case State.REJECTED:
                return before.state is State.REJECTED or after.invite_id in self.model.erased
            case State.CANCELLED:
                return after.invite_id in self.model.erased
            case State.UNCERTAIN:
                return before.state in {State.UNCERTAIN, State.HANDING_OVER}
        return after.state is State.SENT


def _handed_over_at(seen: Seen) -> datetime:
    """Return when the invitation was last handed over, or last put in doubt if the copy does not know that."""
    by_state = {change.state: change.at for change in seen.history}
    return by_state.get(State.HANDING_OVER) or by_state.get(State.UNCERTAIN) or seen.invitation.changed_at


def _all_of(store: Store) -> tuple[Sequence[Seen], dict[str, int]]:
    newest = store.invitations.newest(shop=None, state=None, limit=1000)
    found = [Seen(invitation, store.invitations.history(invitation)) for _, invitation in newest]
    return found, {known.host: known.fence for known in store.hosts.every()}


def an_opt_out(invitation: Invitation) -> Suppression:
    """Return the customer's opt-out from this shop."""
    return Suppression(
        address_hash=invitation.address_hash,
        shop_number=invitation.shop_number,
        by=SuppressedBy.CUSTOMER,
        suppressed_at=invitation.changed_at,
    )


# --- databases that can be copied and put back


class Database:
    """A storage that can be copied and put back, and a high-water mark that is never put back."""

    storage: Storage
    mark: HighWaterMarkStore

    def copied(self) -> object:
        raise NotImplementedError

    def put_back(self, copied: object) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.storage.close()


class InMemory(Database):
    def __init__(self) -> None:
        self.storage: MemoryStorage = MemoryStorage()
        self.mark = InMemoryMark()

    def copied(self) -> object:
        return copy.deepcopy((self.storage._undo_log, self.storage._store))

    def put_back(self, copied: object) -> None:
        assert isinstance(copied, tuple)
        self.storage._undo_log, self.storage._store = copy.deepcopy(copied)


class InAFile(Database):
    _serials = itertools.count(1)

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{next(self._serials)}.db"
        self.storage = SqliteStorage(self._path)
        self.mark = HighWaterMarkFile(self._path.with_suffix(".mark"), CountingEntropy())

    def copied(self) -> Path:
        copied = self._path.with_suffix(f".copy-{next(self._serials)}")
        with closing(sqlite3.connect(self._path)) as source, closing(sqlite3.connect(copied)) as target:
            source.backup(target)
        return copied

    def put_back(self, copied: object) -> None:
        assert isinstance(copied, Path)
        self.storage.close()
        for left in self._path.parent.glob(f"{self._path.name}-*"):
            left.unlink()
        self._path.unlink()
        shutil.copy(copied, self._path)


@pytest.mark.parametrize("examples", [30, in_soak(2000)])
def test_nothing_leaves_twice_whatever_happens(examples: int) -> None:
    _run(InMemory, examples)


@pytest.mark.parametrize("examples", [8, in_soak(500)])
def test_nothing_leaves_twice_on_sqlite(tmp_path: Path, examples: int) -> None:
    _run(lambda: InAFile(tmp_path), examples)


def _run(database: Callable[[], Database], examples: int) -> None:
    class Machine(DeliveryMachine):
        def __init__(self) -> None:
            super().__init__(database())

    run_state_machine_as_test(
        Machine,
        settings=settings(max_examples=examples, stateful_step_count=60, suppress_health_check=list(HealthCheck)),
    )

"""Whatever happens, in whatever order: nothing leaves twice, nothing that must not, nothing is lost (ADR-7, ADR-20).

Workers go on step by step and die between any two steps; clocks jump; servers refuse, and answer late or never; people
cancel, opt out and close their shops; older copies of the database come back. After each step all that has changed is
held against what may be.
"""

from __future__ import annotations

import copy
import itertools
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

import attrs
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from tests.core.usecases.stepping import (
    KIND,
    House,
    MemoryMark,
    Mood,
    Point,
    SteppingCrew,
    Steps,
    Stop,
    Trouble,
)

from reviewinvite_core import Caller, OrderReport, Reported, Settings, ShopChanges, build
from reviewinvite_core.adapters.handover_mark import MarkFile
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.sqlite import SqliteStorage
from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.domain.invitations import (
    OVERDUE_AFTER,
    RETRIES_LAST,
    TRANSITIONS,
    Change,
    Invitation,
    Reason,
    State,
)
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    HandoverMark,
    Refused,
    RefusedForNow,
    Storage,
    Store,
    Unreachable,
)
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock, a_shop
from reviewinvite_core.testing.lone_hand import LoneHand
from reviewinvite_core.usecases.check_mark import Watch
from reviewinvite_core.usecases.deliver_due import Dispatch, Hands
from reviewinvite_core.usecases.hand_over import Left
from reviewinvite_core.usecases.reconcile import reconcile
from reviewinvite_core.usecases.tidy_up import expire_overdue, recover_abandoned

SITES = ("bakkerij-1", "slagerij-2")
WORKERS, HANDS = 3, 2
LEASE = timedelta(seconds=900)
MOST_COPIES = 3
MOST_ROUNDS = 500  # until all is done
HELD = (State.CLAIMED, State.HANDING_OVER)

DECISIONS = ("cancel", "opt out", "opt out of all", "opt out meanwhile", "opt in", "erase", "now")

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
a_mood = st.sampled_from(
    (
        *(KIND, KIND, KIND),
        Mood(at_stage=RefusedForNow("451")),
        Mood(at_stage=Refused("550")),
        Mood(at_stage=Unreachable("gaierror")),
        Mood(answer=RefusedForNow("452")),
        Mood(answer=RefusedForNow("452")),
        Mood(answer=Refused("554")),
        Mood(answer=AnswerLost()),
        *(Mood(trouble=trouble) for trouble in Trouble),
    )
)


@attrs.frozen
class Seen:
    """An invitation and its history, as storage had them after the last step."""

    invitation: Invitation
    history: Sequence[Change]


@attrs.define(kw_only=True)
class Model:
    """What people have decided, and what storage said of each invitation: as old as the database that it is about."""

    seen: dict[str, Seen] = attrs.field(factory=dict)
    cancelled: set[str] = attrs.field(factory=set)
    erased: set[str] = attrs.field(factory=set)
    suppressed: set[tuple[int | None, bytes]] = attrs.field(factory=set)
    inactive: set[int] = attrs.field(factory=set)

    def copied(self) -> Model:
        return Model(
            seen=dict(self.seen),
            cancelled=set(self.cancelled),
            erased=set(self.erased),
            suppressed=set(self.suppressed),
            inactive=set(self.inactive),
        )

    def suppresses(self, invitation: Invitation) -> bool:
        return not self.suppressed.isdisjoint(
            {(None, invitation.address_hash), (invitation.shop_number, invitation.address_hash)}
        )


class Worker:
    """A process that delivers."""

    def __init__(self, new_dispatch: Callable[[SteppingCrew[Left], Stop], Dispatch]) -> None:
        self.crew: SteppingCrew[Left] = SteppingCrew(HANDS)
        self.stop = Stop()
        self.hands = Hands(new_dispatch(self.crew, self.stop), lambda _: None)


class DeliveryMachine(RuleBasedStateMachine):
    """Workers on one database, and a model beside them of what may be."""

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
            mark=database.mark,
            crew=LoneHand,
        )
        self.house = House(self.app.delivery.performing(self.storage.run), database.mark)
        self.model = Model()
        self.copies: list[tuple[object, Model]] = []
        self.fences: Counter[str] = Counter()
        self.orders: dict[str, tuple[str, str]] = {}
        self.older = self.reconciling = self.stopped = self.set_back = self.operator_speaks = False
        self.numbers = itertools.count(1)
        for site in SITES:
            self.app.add_shop(a_shop(site))
        self.workers = [self.new_worker() for _ in range(WORKERS)]
        self.leaving: list[SteppingCrew[Left]] = []  # of processes that were told to stop, and are not gone yet

    def new_worker(self) -> Worker:
        return Worker(self.dispatch)

    def dispatch(self, crew: SteppingCrew[Left], stop: Stop) -> Dispatch:
        office = attrs.evolve(self.app.delivery.office, mailer=self.house, watch=Watch(mark=self.house, one_host=True))
        return Dispatch(perform=self.house, office=office, stop=stop, crew=crew, grace_seconds=0)

    # --- what shops and their customers do

    @initialize(orders=st.lists(st.tuples(a_site, an_email), min_size=1, max_size=4))
    def begin_with_orders(self, orders: list[tuple[str, str]]) -> None:
        for site, email in orders:
            self.report(site, email, 0)

    @rule(site=a_site, email=an_email, delay=a_delay)
    def report(self, site: str, email: str, delay: float) -> None:
        caller = self.app.act_for(site)
        assert isinstance(caller, Caller)
        order = OrderReport(email=email, order_number=str(next(self.numbers)), delay=delay)
        reported = self.app.report_order(caller, order)
        assert isinstance(reported, Reported) is (caller.shop_number not in self.model.inactive)
        if isinstance(reported, Reported):
            self.orders[reported.invite_id] = (site, email)
        self.look()

    @rule(number=which, decision=st.sampled_from(DECISIONS))
    def somebody_decides(self, number: int, decision: str) -> None:
        """A shop or its customer."""
        invite_id = self.some_invite_id(number)
        site, email = self.orders[invite_id]
        invitation = self.model.seen[invite_id].invitation
        match decision:
            case "cancel":
                if isinstance(self.app.cancel_invitation(invite_id), Invitation):
                    self.model.cancelled.add(invite_id)
            case "now":
                self.operator_speaks = True
                self.app.send_invitation_now(invite_id)
            case "erase":
                self.app.erase_address(email)
                self.model.erased |= {each for each in self.model.seen if self.orders[each][1] == email}
            case "opt in":
                for shop, name in ((None, None), (invitation.shop_number, site)):
                    self.app.remove_suppression(email, name, SuppressedBy.CUSTOMER)
                    self.model.suppressed.discard((shop, invitation.address_hash))
            case "opt out meanwhile":  # where another machine has the invitation in hand just then
                self.storage.run(lambda store: store.suppressions.add(a_word_against(invitation)))
                self.model.suppressed.add((invitation.shop_number, invitation.address_hash))
            case _:
                everywhere = decision == "opt out of all"
                shop = None if everywhere else invitation.shop_number
                self.model.suppressed.add((shop, invitation.address_hash))
                self.app.add_suppression(email, None if everywhere else site)
        self.look()
        self.operator_speaks = False

    @rule(number=which, resend=st.booleans())
    def an_operator_resolves(self, number: int, resend: bool) -> None:
        """Where it is sent again, a second message is meant to leave; but not while a first one may still."""
        invite_id = self.some_invite_id(number)
        past_the_fence = {Point.COMMITTED, Point.MARKING, Point.MARKED, Point.BEFORE_THE_DOT}
        if resend and any(delivery.at in past_the_fence for _, delivery in self.at_hand):
            return
        self.operator_speaks = True
        resolved = (self.app.resolve_by_resending if resend else self.app.resolve_as_sent)(invite_id)
        if resend and isinstance(resolved, Invitation):
            self.house.dots[invite_id] = []
        self.look()
        self.operator_speaks = False

    @rule(site=a_site, active=st.booleans())
    def open_or_close(self, site: str, active: bool) -> None:
        shop = self.app.set_shop(site, ShopChanges(active=active))
        (self.model.inactive.discard if active else self.model.inactive.add)(shop.number)

    # --- what workers do

    @rule(number=a_worker)
    def take(self, number: int) -> None:
        with suppress(DeliveryPaused):
            self.workers[number].hands.take_more()
        self.look()

    @rule(number=which, steps=st.integers(1, 5), mood=a_mood)
    def go_on(self, number: int, steps: int, mood: Mood) -> None:
        """One delivery goes on by some steps."""
        for crew, delivery in self.one_at_hand(number):
            for _ in range(steps):
                if delivery.at is not Point.DONE:
                    self.step(crew, delivery, mood)

    @rule(number=which, point=st.sampled_from(Point), mood=a_mood)
    def go_on_to(self, number: int, point: Point, mood: Mood) -> None:
        """One delivery goes on till there, or to its end."""
        for crew, delivery in self.one_at_hand(number):
            self.step(crew, delivery, mood)
            while delivery.at not in {point, Point.DONE}:
                self.step(crew, delivery, mood)

    @rule(site=a_site, email=an_email, worker=a_worker, point=st.sampled_from(Point), mood=a_mood)
    def bring_one_more(self, site: str, email: str, worker: int, point: Point, mood: Mood) -> None:
        """What is due at once is taken at once, and goes on till there."""
        self.report(site, email, 0)
        self.take(worker)
        self.go_on_to(-1, point, mood)

    @rule(site=a_site, email=an_email, worker=a_worker, point=st.sampled_from(Point), mood=a_mood)
    def another_takes_over(self, site: str, email: str, worker: int, point: Point, mood: Mood) -> None:
        """A lease runs out amid a delivery, which goes on after another worker has taken the same."""
        self.bring_one_more(site, email, worker, point, KIND)
        self.leases_run_out(worker)
        self.take((worker + 1) % WORKERS)
        self.go_on(-1, 4, mood)

    @rule(site=a_site, email=an_email, worker=a_worker, point=st.sampled_from(Point), closes=st.booleans())
    def something_happens_amid(self, site: str, email: str, worker: int, point: Point, closes: bool) -> None:
        """Its shop closes for a while, or its lease runs out and nobody has noticed."""
        self.open_or_close(site, active=True)
        self.bring_one_more(site, email, worker, point, KIND)
        if closes:
            self.open_or_close(site, active=False)
        else:
            self.time_passes(LEASE)
        self.go_on(-1, 4, KIND)
        self.open_or_close(site, active=True)

    @rule(site=a_site, email=an_email, worker=a_worker, point=st.sampled_from(Point))
    def a_copy_misses_one(self, site: str, email: str, worker: int, point: Point) -> None:
        """The database is copied amid a delivery, and the copy comes back when more has been let out."""
        self.bring_one_more(site, email, worker, point, KIND)
        if len(self.copies) < MOST_COPIES:
            self.copy_the_database()
        self.bring_one_more(site, email, (worker + 1) % WORKERS, Point.DONE, KIND)
        self.an_older_copy_comes_back(-1)
        self.go_on(-1, 4, KIND)

    def one_at_hand(self, number: int) -> list[tuple[SteppingCrew[Left], Steps[Left]]]:
        """The delivery that goes on; where there is none, a worker takes what is due."""
        if not self.at_hand:
            self.note_what_is_done(number % WORKERS)
            self.take(number % WORKERS)
        hands = self.at_hand
        return [hands[number % len(hands)]] if hands else []

    def step(self, crew: SteppingCrew[Left], delivery: Steps[Left], mood: Mood) -> None:
        self.house.mood = mood
        crew.go_on(delivery)
        self.house.mood = KIND
        self.look()

    @property
    def at_hand(self) -> list[tuple[SteppingCrew[Left], Steps[Left]]]:
        crews = [*(worker.crew for worker in self.workers), *self.leaving]
        return [(crew, delivery) for crew in crews for delivery in crew.at_hand]

    @rule(number=a_worker)
    def note_what_is_done(self, number: int) -> None:
        while self.workers[number].hands.next_left(0):
            pass

    @rule(number=a_worker)
    def tidy_up(self, number: int) -> None:
        self.workers[number].hands.search.begin_anew()
        for chore in (recover_abandoned, expire_overdue):
            self.house(chore)
            self.look()

    @rule(number=a_worker, how=st.sampled_from(("killed", "stopped", "stopped and gone")))
    def a_worker_ends(self, number: int, how: str) -> None:
        """A stopped one has no grace; what it has at hand may still go on until it is gone."""
        worker, self.workers[number] = self.workers[number], self.new_worker()
        if how != "killed":
            self.stopped = worker.stop.wished = True
            for _ in worker.hands.give_back():
                self.look()
            self.look()
        if how == "stopped":
            self.leaving.append(worker.crew)
        else:
            worker.crew.kill()

    # --- what time and operators do

    @rule(span=a_span)
    def time_passes(self, span: timedelta) -> None:
        self.clock.advance(span)
        self.set_back |= span < timedelta(0)

    @rule(number=a_worker)
    def leases_run_out(self, number: int) -> None:
        self.clock.advance(LEASE)
        self.tidy_up(number)

    @precondition(lambda self: len(self.copies) < MOST_COPIES)
    @rule()
    def copy_the_database(self) -> None:
        self.copies.append((self.database.copied(), self.model.copied()))

    @precondition(lambda self: self.copies)
    @rule(number=which)
    def an_older_copy_comes_back(self, number: int) -> None:
        copied, model = self.copies[number % len(self.copies)]
        self.end_what_neither_knows()
        self.database.put_back(copied)
        self.model, self.older = model.copied(), True
        self.look()

    def end_what_neither_knows(self) -> None:
        """From reading the mark till writing it a hand-over can be in no older copy and not in the mark: workers are to
        be stopped before a copy is put back, and only the rest of what they have at hand may go on here.
        """
        for crew, delivery in self.at_hand:
            at_the_fence = delivery.at is Point.COMMITTING and delivery.came_from is Point.READING_MARK
            if at_the_fence or delivery.at in {Point.COMMITTED, Point.MARKING}:
                crew.kill_one(delivery)

    @precondition(lambda self: self.older)
    @rule()
    def reconcile(self) -> None:
        self.reconciling = True
        reconcile(self.house, Watch(mark=self.house, one_host=True))
        self.look()
        self.reconciling = self.older = False

    # --- what may be

    def some_invite_id(self, number: int) -> str:
        return sorted(self.model.seen)[number % len(self.model.seen)]

    def look(self) -> None:
        """Hold all that has changed against what may be."""
        found, hosts = self.storage.read(_all_of)
        mark = self.database.mark.read()
        assert mark is not None
        for each in found:
            before = self.model.seen.get(each.invitation.invite_id)
            if before != each:
                if before and each.invitation.state is State.HANDING_OVER is not before.invitation.state:
                    self.hold(hosts[mark.host] > mark.number, "a fence on an older database")
                self.check(each, before)
                self.model.seen[each.invitation.invite_id] = each
        self.hold(len(found) == len(self.model.seen), "an invitation is gone")
        self.hold(self.older or mark.number <= hosts[mark.host], "the database is behind the mark")
        for invite_id, dots in self.house.dots.items():
            self.hold(len(dots) <= self.fences[invite_id], "a dot without a fence")
            if dots and invite_id in self.model.seen:
                told = self.model.seen[invite_id].invitation.scheduled_for
                self.hold(mark.horizon is not None and mark.horizon >= told, "a dot beyond the mark's horizon")
        assert not self.house.violations, self.house.violations

    def hold(self, so: bool, otherwise: str) -> None:
        if not so:
            self.house.violations.append(otherwise)

    def check(self, now: Seen, before: Seen | None) -> None:
        old = list(before.history) if before else list(now.history[:1])
        new = now.history[len(old) :]
        self.hold(list(now.history[: len(old)]) == old, "history was rewritten")
        last = now.history[-1]
        self.hold((last.state, last.reason) == (now.invitation.state, now.invitation.reason), "history does not say it")
        self.hold(len(new) <= 1, "two changes in one step")
        for earlier, change in itertools.pairwise([old[-1], *new]):
            self.hold(change.reason in TRANSITIONS.get((earlier.state, change.state), ()), "not in the table")
        if before and new:
            change = new[-1]
            said = f"{before.invitation.state} to {change.state} ({change.reason}) at {change.at}"
            self.hold(bool(self.justified(before.invitation, now.invitation, change)), said)

    def justified(self, before: Invitation, after: Invitation, change: Change) -> object:  # noqa: C901 - a table
        """Whether it may be, by what the world has done."""
        house, model = self.house, self.model
        said = house.said.get(after.invite_id, set())
        lease_over = before.claim is not None and before.claim.lease_until <= change.at
        closed = after.shop_number in model.inactive
        match change.reason:
            case Reason.CLAIMED:
                return change.at - OVERDUE_AFTER <= before.due_at <= change.at and not closed
            case Reason.FENCED:
                self.fences[after.invite_id] += 1
                same = before.claim and after.claim and before.claim.token == after.claim.token
                unwanted = after.invite_id in model.cancelled | model.erased or model.suppresses(after)
                return same and not lease_over and not unwanted and not closed
            case Reason.ACCEPTED:
                return Accepted in said
            case Reason.REFUSED:
                return Refused in said
            case Reason.REFUSED_FOR_NOW:
                return RefusedForNow in said
            case Reason.UNREACHABLE:
                return Unreachable in said
            case Reason.RETRIES_EXHAUSTED:
                failed = said & {RefusedForNow, Unreachable} or house.troubles
                return failed and change.at - (before.first_tried_at or change.at) >= RETRIES_LAST
            case Reason.ANSWER_LOST:
                return AnswerLost in said or self.stopped
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
            case Reason.NOT_RENDERABLE:
                return after.invite_id in model.erased
            case Reason.ERASED:
                return after.invite_id in model.erased and before.state in {State.SCHEDULED, State.CLAIMED}
            case Reason.CANCELLED:
                return before.state in {State.SCHEDULED, State.CLAIMED}
            case Reason.OPTED_OUT:
                return model.suppresses(after)
            case Reason.OVERDUE:
                return before.due_at < change.at - OVERDUE_AFTER
            case Reason.MARK_UNWRITTEN:
                return house.troubles[Trouble.MARK_UNWRITTEN]
            case Reason.FAULT:
                return house.troubles[Trouble.STORAGE_AWAY] + house.troubles[Trouble.COMMIT_UNANSWERED]
        return False

    # --- in the end the world is kind

    def teardown(self) -> None:
        try:
            if not self.house.violations:
                self.come_to_an_end()
        finally:
            for crew in (*(worker.crew for worker in self.workers), *self.leaving):
                crew.kill()
            self.database.close()

    def come_to_an_end(self) -> None:
        """Nothing was lost: all that can be sent is, once the world is kind and time goes by."""
        self.go_on_to_the_end()
        for number in range(WORKERS):
            self.a_worker_ends(number, "killed")
        self.reconcile()
        begun_at, rounds = self.clock.now(), itertools.count()
        before = dict(self.model.seen)
        while (event := self.next_event()) is not None:
            assert next(rounds) < MOST_ROUNDS, "it comes to no end"
            self.clock.set(max(event, self.clock.now()))
            self.tidy_up(0)
            self.take(0)
            self.go_on_to_the_end()
            self.note_what_is_done(0)
        for invite_id, seen in self.model.seen.items():
            self.hold(self.well_ended(before[invite_id].invitation, seen.invitation, begun_at), f"lost: {seen}")
        assert not self.house.violations, self.house.violations

    def go_on_to_the_end(self) -> None:
        while self.at_hand:
            crew, delivery = self.at_hand[0]
            self.step(crew, delivery, KIND)

    def next_event(self) -> datetime | None:
        """When something is to be done next."""
        events = []
        for invitation in (each.invitation for each in self.model.seen.values()):
            if invitation.state is State.SCHEDULED and invitation.shop_number not in self.model.inactive:
                events.append(invitation.due_at)
            elif invitation.state in HELD and invitation.claim:
                events.append(invitation.claim.lease_until)
        return min(events, default=None)

    def well_ended(self, before: Invitation, after: Invitation, begun_at: datetime) -> bool:
        """Whether it may have come to this since the world is kind."""
        if before.state.final:
            return after.state is before.state
        if after.shop_number in self.model.inactive:
            return after.state not in HELD
        match after.state:
            case State.SUPPRESSED:
                return self.model.suppresses(after)
            case State.EXPIRED:
                held_until = before.claim.lease_until if before.claim else begun_at
                return max(begun_at, held_until) - before.due_at > OVERDUE_AFTER
            case State.REJECTED | State.CANCELLED:
                return after.invite_id in self.model.erased
            case State.UNCERTAIN:
                return before.state in {State.UNCERTAIN, State.HANDING_OVER}
        return after.state is State.SENT


def _all_of(store: Store) -> tuple[Sequence[Seen], dict[str, int]]:
    newest = store.invitations.newest(shop=None, state=None, limit=1000)
    found = [Seen(invitation, store.invitations.history(invitation)) for _, invitation in newest]
    return found, {known.host: known.fence for known in store.hosts.every()}


def a_word_against(invitation: Invitation) -> Suppression:
    """The customer does not want this shop to write."""
    return Suppression(
        address_hash=invitation.address_hash,
        shop_number=invitation.shop_number,
        by=SuppressedBy.CUSTOMER,
        suppressed_at=invitation.changed_at,
    )


# --- databases that can be copied and put back


class Database:
    """Storage of which a copy can be taken and put back, with a mark that stays."""

    storage: Storage
    mark: HandoverMark

    def copied(self) -> object:
        raise NotImplementedError

    def put_back(self, copied: object) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.storage.close()


class InMemory(Database):
    def __init__(self) -> None:
        self.storage = MemoryStorage()
        self.mark = MemoryMark()

    def copied(self) -> object:
        return copy.deepcopy((self.storage._journal, self.storage._store))

    def put_back(self, copied: object) -> None:
        self.storage._journal, self.storage._store = copy.deepcopy(copied)


class InAFile(Database):
    _serials = itertools.count(1)

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{next(self._serials)}.db"
        self.storage = SqliteStorage(self._path)
        self.mark = MarkFile(self._path.with_suffix(".mark"), CountingEntropy())

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


@pytest.mark.parametrize("examples", [80, pytest.param(2000, marks=pytest.mark.soak)])
def test_nothing_leaves_twice_whatever_happens(examples: int) -> None:
    _run(InMemory, examples)


@pytest.mark.parametrize("examples", [15, pytest.param(500, marks=pytest.mark.soak)])
def test_nothing_leaves_twice_on_sqlite(tmp_path: Path, examples: int) -> None:
    _run(lambda: InAFile(tmp_path), examples)


def _run(database: Callable[[], Database], examples: int) -> None:
    run_state_machine_as_test(
        lambda: DeliveryMachine(database()),
        settings=settings(
            max_examples=examples,
            stateful_step_count=60,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )

"""Storage in PostgreSQL: the contract, and what a server, a network and many processes do to it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, timedelta
from functools import partial
from typing import LiteralString, TypeVar

import psycopg
import pytest
from tests.budgets import in_full
from tests.builders import a_dedup_key, added, an_invitation, scheduled
from tests.contracts.storage import StorageContract
from tests.core.adapters.sql.raw import execute
from tests.core.stored import site_ids
from tests.postgres import durable, server_setting, terminate_backends
from tests.postgres_proxy import Break, Wire, wire_to
from tests.units import group_commit_of, unit_of
from tests.waiting import TIMEOUT_SECONDS, run_concurrently, wait_until

from reviewinvite_core import (
    OPERATOR,
    Application,
    InvitationQuery,
    OrderReport,
    Reported,
    Settings,
    StorageUnavailable,
    accepted,
    build,
)
from reviewinvite_core.adapters.sql.postgres.migrate import migrate
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.provenance import OPEN_SNIPPET, Confirmation
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports import Done, Failed, LockedUnit, Storage, Store
from reviewinvite_core.testing.builders import NOON, a_shop, an_order_report
from reviewinvite_core.usecases.orders.report import report_order

T = TypeVar("T")

STARTERS = 8
SECRET = "a secret for tests, long enough"
FREE: frozenset[int] = frozenset()
WAITING = """
SELECT COUNT(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted
"""
BLOCKED = """
SELECT COUNT(*) FROM pg_stat_activity
WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0
"""


def an_application(url: str) -> Application:
    return build(Settings(database_url=url, secret=SECRET, mail_url="recording:"))


class TestPostgresStorage(StorageContract):
    @pytest.fixture
    def storage(self, postgres_url: str) -> Iterator[Storage]:
        storage = PostgresStorage(postgres_url, busy_seconds=TIMEOUT_SECONDS)
        yield storage
        storage.close()

    @pytest.fixture
    def durably(self, postgres_url: str) -> Iterator[None]:
        with durable(postgres_url):
            yield

    @pytest.mark.usefixtures("durably")
    def test_a_sound_storage_has_no_problems(self, storage: Storage) -> None:
        wait_until(lambda: not storage.problems())  # a connection that is open has been told, and sees it soon
        super().test_a_sound_storage_has_no_problems(storage)

    @pytest.fixture
    def lose_transaction(self, postgres_url: str) -> Callable[[Store], object]:
        return lambda _: terminate_backends(postgres_url)


@pytest.fixture
def storage(postgres_url: str) -> Iterator[PostgresStorage]:
    storage = PostgresStorage(postgres_url, busy_seconds=TIMEOUT_SECONDS)
    yield storage
    storage.close()


@pytest.fixture
def shop(storage: PostgresStorage) -> Shop:
    return added(storage, a_shop())


@pytest.fixture
def wire(postgres_url: str) -> Iterator[Wire]:
    with wire_to(postgres_url) as wire:
        yield wire


# --- a new database ---------------------------------------------------------------------------------------------


def test_eight_that_start_at_once_on_nothing_set_it_up_once_and_share_one_ring(postgres_url: str) -> None:
    applications: Sequence[Application] = run_concurrently(STARTERS, lambda _: an_application(postgres_url))
    try:
        applications[0].shops.add(a_shop())
        report = an_order_report()
        reported = [
            accepted(each.orders.report(accepted(each.shops.act_for("bakkerij-1")), report)) for each in applications
        ]
        assert len({each.invite_id for each in reported}) == 1  # another ring would know another order
        assert [each.duplicate for each in reported] == [False] + [True] * (STARTERS - 1)
    finally:
        for each in applications:
            each.close()


# --- locks and conflicts ----------------------------------------------------------------------------------------


class Tries:
    """A place for units to run that counts how often a batch begins."""

    def __init__(self) -> None:
        self.count = 0

    def run(self, work: Callable[[], T]) -> T:
        self.count += 1
        return work()


@pytest.mark.parametrize("turns", [20, in_full(200)])
def test_batches_that_name_the_same_locks_in_opposite_order_never_conflict(
    storage: PostgresStorage, postgres_url: str, turns: int
) -> None:
    first, middle, last = 1, 2, 3
    tries = (Tries(), Tries())
    shops = {lock: added(storage, a_shop(f"shop-{lock}")) for lock in (first, middle, last)}

    def change(lock: int) -> LockedUnit[None]:
        return LockedUnit(lambda store: store.shops.change(shops[lock]), frozenset({lock}))

    batches = ([change(first), change(middle), change(last)], [change(last), change(middle), change(first)])

    def run(thread: int) -> None:
        assert storage.run_all(batches[thread], executor=tries[thread]) == [Done(None)] * 3

    with psycopg.connect(postgres_url, autocommit=True) as other:
        for turn in range(1, turns + 1):
            other.execute("SELECT pg_advisory_lock(%s)", [middle])  # both are to have begun before either goes on
            threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
            for thread in threads:
                thread.start()
            wait_until(lambda: other.execute(WAITING).fetchone() == (2,))
            other.execute("SELECT pg_advisory_unlock(%s)", [middle])
            for thread in threads:
                thread.join()
            assert [each.count for each in tries] == [turn, turn]  # after a conflict it would begin again


def crossing(
    storage: PostgresStorage, run_it: Callable[[LockedUnit[int]], object]
) -> tuple[list[int], Callable[[int], object]]:
    """Two units that wait for each other the first time they run, since they name no locks."""
    rows = [added(storage, a_shop(name)) for name in ("one", "two")]
    both_hold_one = threading.Barrier(2)
    ran: list[int] = []

    def run(thread: int) -> object:
        mine, other = (rows[thread], rows[1 - thread])

        def unit(store: Store) -> int:
            ran.append(thread)
            store.shops.change(mine)
            if len(ran) <= 2:
                both_hold_one.wait(TIMEOUT_SECONDS)
            store.shops.change(other)
            store.rate_limit_log.admit([LimitKey(mine.number, "crossed")], NOON)
            return thread

        return run_it(LockedUnit(unit, FREE))

    return ran, run


def assert_counted_once(storage: PostgresStorage) -> None:
    subjects = [LimitKey(number, "crossed") for number in (1, 2)]
    assert storage.read(lambda store: store.rate_limit_log.nth_newest(subjects, 1)) == dict.fromkeys(subjects, NOON)
    assert storage.read(lambda store: store.rate_limit_log.nth_newest(subjects, 2)) == {}


def test_the_clock_of_a_unit_is_read_once_it_has_its_locks(storage: PostgresStorage, postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as other, ThreadPoolExecutor() as threads:
        other.execute("SELECT pg_advisory_xact_lock(7)")
        waiting = threads.submit(storage.run, LockedUnit(lambda store: store.now(), frozenset({7, 8})))
        wait_until(lambda: other.execute(WAITING).fetchone() == (1,))
        (let_go,) = other.execute("SELECT clock_timestamp()").fetchone() or (None,)
        other.commit()
        began = waiting.result(TIMEOUT_SECONDS)

    assert began is not None
    assert began >= let_go
    assert began.tzinfo is UTC


@pytest.mark.parametrize("first", [Confirmation.GIVEN, Confirmation.TOO_LATE])
def test_who_settles_a_confirmation_second_waits_for_the_first(
    storage: PostgresStorage, postgres_url: str, shop: Shop, first: Confirmation
) -> None:
    [second] = {Confirmation.GIVEN, Confirmation.TOO_LATE} - {first}
    new = scheduled(storage, an_invitation(shop, provenance=OPEN_SNIPPET))
    with psycopg.connect(postgres_url, autocommit=True) as watcher, ThreadPoolExecutor() as threads:

        def hold(store: Store) -> tuple[bool, Future[bool]]:
            is_first = store.invitations.settle(new, first)
            late = threads.submit(storage.run, LockedUnit(lambda store: store.invitations.settle(new, second), FREE))
            wait_until(lambda: watcher.execute(BLOCKED).fetchone() == (1,))
            return is_first, late

        is_first, late = storage.run(LockedUnit(hold, FREE))
        assert (is_first, late.result(TIMEOUT_SECONDS)) == (True, False)
    [stored] = storage.read(partial(find_all, shop, [new.invite_id]))
    assert stored.provenance.confirmation is first


def test_a_unit_that_met_a_deadlock_is_run_again(storage: PostgresStorage) -> None:
    ran, run = crossing(storage, storage.run)
    assert run_concurrently(2, run) == [0, 1]
    assert len(ran) >= 3  # who lost may be back so soon that the two cross once more
    assert_counted_once(storage)


def test_a_batch_that_met_a_deadlock_while_each_unit_ran_by_itself_is_run_again(storage: PostgresStorage) -> None:
    def fails(_store: Store) -> None:
        raise ArithmeticError

    def after_one_that_fails(unit: LockedUnit[int]) -> object:
        failed, done = storage.run_all([LockedUnit(fails, FREE), unit])
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, ArithmeticError)
        return done

    ran, run = crossing(storage, after_one_that_fails)
    assert run_concurrently(2, run) == [Done(0), Done(1)]
    assert len(ran) >= 3
    assert_counted_once(storage)


def psycopg_rows(url: str, statement: LiteralString) -> object:
    with psycopg.connect(url) as connection:
        return connection.execute(statement).fetchall()


def test_a_write_that_fails_inside_a_batch_is_not_one_that_storage_failed(storage: PostgresStorage) -> None:
    (outcome,) = storage.run_all([lambda store: execute(store, "SELECT 1 / 0")])
    assert isinstance(outcome, Failed)
    assert not storage.last_write_failed


def test_a_unit_that_waits_too_long_for_a_lock_is_unavailable_and_keeps_nothing(postgres_url: str) -> None:
    storage = PostgresStorage(postgres_url, busy_seconds=1.0)
    with psycopg.connect(postgres_url) as other:
        other.execute("LOCK TABLE shops IN EXCLUSIVE MODE")
        with pytest.raises(StorageUnavailable):
            storage.run(lambda store: store.shops.add(a_shop()))
    assert site_ids(storage) == []
    assert storage.last_write_failed
    before = psycopg_rows(postgres_url, "SELECT COUNT(*) FROM day_tallies")
    storage.try_writing()
    assert not storage.last_write_failed
    assert psycopg_rows(postgres_url, "SELECT COUNT(*) FROM day_tallies") == before
    storage.close()


def test_a_unit_that_swallows_what_the_engine_refused_is_not_acknowledged(storage: PostgresStorage) -> None:
    def swallowing(store: Store) -> None:
        store.shops.add(a_shop("lost"))
        with pytest.raises(psycopg.errors.DivisionByZero):
            execute(store, "SELECT 1 / 0")

    with pytest.raises(StorageUnavailable):
        storage.run(swallowing)
    assert storage.run_all([swallowing]) != [Done(None)]
    assert site_ids(storage) == []


# --- connections that end ---------------------------------------------------------------------------------------


def test_a_connection_that_ends_inside_a_unit_is_unavailable_and_nothing_is_kept(
    storage: PostgresStorage, postgres_url: str
) -> None:
    def ended(store: Store) -> None:
        store.shops.add(a_shop("lost"))
        assert terminate_backends(postgres_url) > 0

    with pytest.raises(StorageUnavailable):
        storage.run(ended)
    assert site_ids(storage) == []
    assert added(storage, a_shop("kept")).site_id.text == "kept"


def test_connections_that_ended_between_two_units_are_replaced_unnoticed(
    storage: PostgresStorage, postgres_url: str
) -> None:
    run_concurrently(4, lambda n: added(storage, a_shop(f"before-{n}")))
    assert terminate_backends(postgres_url) > 0
    run_concurrently(4, lambda n: added(storage, a_shop(f"after-{n}")))
    assert len(site_ids(storage)) == 8


@pytest.mark.parametrize("moment", Break)
@pytest.mark.parametrize("together", [False, True], ids=["run", "run_all"])
def test_a_commit_whose_answer_is_lost_is_unavailable_and_the_next_report_gets_the_right_answer(
    wire: Wire, moment: Break, together: bool
) -> None:
    app = an_application(wire.url)
    app.shops.add(a_shop())
    caller = accepted(app.shops.act_for("bakkerij-1"))
    commit = group_commit_of(app)
    run = commit.run if together else None

    def report() -> Reported:
        unit = unit_of(app, report_order, caller, an_order_report())
        return accepted(run(unit) if run else app.orders.report(caller, an_order_report()))

    wire.break_at(moment)
    with pytest.raises(StorageUnavailable):
        report()
    assert wire.broken == 1
    again = report()
    assert again.duplicate is (moment is Break.AFTER_COMMIT)
    found = accepted(app.invitations.list(OPERATOR, InvitationQuery())).invitations
    assert [record.invitation.invite_id for record in found] == [again.invite_id]
    commit.close()
    app.close()


# --- what db check finds ------------------------------------------------------------------------------------------


def test_the_tables_may_be_in_any_schema_of_the_search_path(postgres_url: str) -> None:
    migrate(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute("CREATE SCHEMA aside")
        other.execute(f"ALTER DATABASE {other.info.dbname} SET search_path = aside, public".encode())
    storage = PostgresStorage(postgres_url)
    assert of_rows(storage) == []
    storage.close()


def of_rows(storage: PostgresStorage) -> list[str]:
    """Without those of the server, which is set as tests need it."""
    return [problem for problem in storage.problems() if not problem.startswith("the server")]


@pytest.mark.parametrize("name", ["fsync", "full_page_writes", "synchronous_commit"])
def test_a_server_that_may_lose_what_was_acknowledged_is_a_problem(
    storage: PostgresStorage, postgres_server: str, name: str
) -> None:
    problem = f"the server has {name} off: acknowledged data may be lost in a power failure"
    with server_setting(postgres_server, name, "on"):
        wait_until(lambda: problem not in storage.problems())
    with server_setting(postgres_server, name, "off"):
        wait_until(lambda: problem in storage.problems())


def test_a_check_may_take_longer_than_an_answer(postgres_url: str) -> None:
    migrate(postgres_url)
    holding = """
        SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND clock_timestamp() - query_start > interval '2.5 seconds'
    """
    storage = PostgresStorage(postgres_url, answer_seconds=2.0)
    with (
        psycopg.connect(postgres_url) as other,
        psycopg.connect(postgres_url, autocommit=True) as watcher,
        ThreadPoolExecutor(1) as threads,
    ):
        other.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        checking = threads.submit(of_rows, storage)
        try:
            wait_until(lambda: checking.done() or watcher.execute(holding).fetchone() == (1,))
        finally:
            other.rollback()
        assert checking.result(TIMEOUT_SECONDS) == []
    storage.close()


# --- many workers -----------------------------------------------------------------------------------------------


def schedule(shop: Shop, serial: int, store: Store) -> None:
    store.invitations.schedule([(an_invitation(shop, serial), a_dedup_key(str(serial)))])


def find_all(shop: Shop, invite_ids: Sequence[str], store: Store) -> list[Invitation]:
    found = [store.invitations.find(shop.number, each) for each in invite_ids]
    return [invitation for invitation in found if invitation]


def claim(due: Invitation, number: int) -> Invitation:
    hold = Claim(token=number.to_bytes(16, "big"), lease_until=due.due_at.replace(year=2027))
    return due.moved(State.CLAIMED, Reason.CLAIMED, due.due_at, claim=hold)


def test_two_that_claim_at_once_are_given_different_invitations_without_waiting(
    storage: PostgresStorage, shop: Shop
) -> None:
    for serial in range(4):
        scheduled(storage, an_invitation(shop, serial))
    later = NOON.replace(year=2027)

    def ids(store: Store) -> set[str]:
        return {invitation.invite_id for invitation in store.invitations.due(NOON, later, 2)}

    def while_another_holds_two(store: Store) -> tuple[set[str], set[str]]:
        return ids(store), storage.run(LockedUnit(ids, FREE))

    first, second = storage.run(LockedUnit(while_another_holds_two, FREE))
    assert (len(first), len(second), len(first | second)) == (2, 2, 4)


def test_four_workers_never_claim_the_same_invitation(storage: PostgresStorage, shop: Shop) -> None:
    count = 500
    storage.run_all([partial(schedule, shop, serial) for serial in range(count)])
    later = NOON.replace(year=2027)

    def work(worker: int) -> list[str]:
        def take(store: Store) -> list[str]:
            due = store.invitations.due(NOON, later, 7)
            return [each.invite_id for each in due if store.invitations.change(each, claim(each, worker + 1))]

        claimed: list[str] = []
        while len(taken := storage.run(LockedUnit(take, FREE))) or left():
            claimed += taken
        return claimed

    def left() -> int:
        return len(storage.read(lambda store: store.invitations.newest(shop=None, state=State.SCHEDULED, limit=1)))

    claimed = run_concurrently(4, work)
    assert Counter(each for worker in claimed for each in worker).most_common(1)[0][1] == 1
    assert sum(len(worker) for worker in claimed) == count
    for number, worker in enumerate(claimed):
        held = storage.read(partial(find_all, shop, worker))
        assert len(held) == len(worker)
        assert {each.claim and each.claim.token for each in held} <= {(number + 1).to_bytes(16, "big")}
        assert {each.attempts for each in held} <= {1}


def test_an_admission_whose_place_is_being_swept_away_counts_all_the_same(storage: PostgresStorage) -> None:
    """The sweep takes the row that was to make room for it: it is added and not lost."""
    subject = LimitKey(1, "orders:key")
    minute = timedelta(minutes=1)
    storage.run(lambda store: store.rate_limit_log.admit([subject], NOON))
    swept, admitting = threading.Event(), threading.Event()

    def sweep(store: Store) -> int:
        gone = store.rate_limit_log.sweep(NOON + minute, 10)
        swept.set()
        assert admitting.wait(TIMEOUT_SECONDS)
        time.sleep(0.2)  # until the other waits for the row
        return gone

    def admit(store: Store) -> None:
        assert swept.wait(TIMEOUT_SECONDS)
        assert subject in store.rate_limit_log.nth_newest([subject], 1)
        admitting.set()
        store.rate_limit_log.admit([subject], NOON + minute, replacing_nth=1)

    steps = (LockedUnit(sweep, frozenset({1})), LockedUnit(admit, frozenset({2})))
    assert run_concurrently(2, lambda number: storage.run(steps[number])) == [1, None]
    assert storage.read(lambda store: store.rate_limit_log.nth_newest([subject], 1)) == {subject: NOON + minute}


def test_a_sweep_passes_over_what_others_hold_and_waits_for_nobody(storage: PostgresStorage) -> None:
    held, free = (LimitKey(1, f"orders:{name}") for name in ("held", "free"))
    storage.run(lambda store: store.rate_limit_log.admit([held, free], NOON))

    def hold_and_sweep(store: Store) -> int:
        store.rate_limit_log.admit([held], NOON + timedelta(hours=1), replacing_nth=1)
        sweep = LockedUnit(lambda other: other.rate_limit_log.sweep(NOON + timedelta(hours=2), 10), frozenset({2}))
        return storage.run(sweep)

    assert storage.run(LockedUnit(hold_and_sweep, frozenset({1}))) == 1
    assert storage.read(lambda store: store.rate_limit_log.nth_newest([held, free], 1)) == {
        held: NOON + timedelta(hours=1)
    }


@pytest.mark.parametrize("count", [4_000, in_full(20_000)])
def test_thousands_of_orders_are_imported_as_one(storage: PostgresStorage, count: int) -> None:
    with closing(build(Settings(secret="a secret for tests, long enough"), storage=storage)) as app:
        app.shops.add(a_shop("importing"))
        caller = accepted(app.shops.act_for("importing"))
        reports = [OrderReport(email=f"c{n}@example.com", order_number=str(n)) for n in range(count)]
        assert not any(accepted(each).duplicate for each in accepted(app.orders.import_many(caller, reports)))

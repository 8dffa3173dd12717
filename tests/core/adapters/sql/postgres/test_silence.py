"""A PostgreSQL that falls silent, or that turns into a standby: nothing waits for it without end. ADR-15."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
from tests import postgres
from tests.budgets import in_full
from tests.builders import added
from tests.core.adapters.sql.raw import ask, execute
from tests.postgres_proxy import Silence, Wire, wire_to
from tests.units import unit_of
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import OPERATOR, Application, InvitationQuery, Settings, StorageUnavailable, accepted, build
from reviewinvite_core.adapters.sql.postgres.connect import parameters_of
from reviewinvite_core.adapters.sql.postgres.migrate import migrate
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.ports import Failed, Store
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.orders.report import report_order

ANSWER_SECONDS = 2.0
BUSY_SECONDS = 1.5
LONG = 30.0  # far from for ever, and from the seconds above, on a busy machine too
SECRET = "a secret for tests, long enough"


@pytest.fixture
def wire(postgres_url: str) -> Iterator[Wire]:
    with wire_to(postgres_url) as wire:
        yield wire


@contextmanager
def impatient(url: str, answer_seconds: float = ANSWER_SECONDS) -> Iterator[PostgresStorage]:
    migrate(url)  # with more patience
    storage = PostgresStorage(url, busy_seconds=BUSY_SECONDS, answer_seconds=answer_seconds)
    yield storage
    storage.close()


@contextmanager
def an_application(storage: PostgresStorage) -> Iterator[Application]:
    yield build(Settings(database_url="memory:", secret=SECRET, mail_url="recording:"), storage=storage)


def backend_of(store: Store) -> int:
    """Return the process id of the backend that this unit's connection has."""
    return int(ask(store, "SELECT pg_backend_pid()"))


# --- silence ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("together", "silence"),
    [
        pytest.param(False, Silence.ANSWERS, id="run-answers"),
        in_full(True, Silence.ANSWERS, id="run_all-answers"),
        in_full(False, Silence.BOTH_WAYS, id="run-both"),
        in_full(True, Silence.BOTH_WAYS, id="run_all-both"),
    ],
)
def test_a_commit_without_an_answer_is_unavailable_and_the_next_report_gets_the_right_answer(
    wire: Wire, silence: Silence, together: bool
) -> None:
    with impatient(wire.url) as storage, an_application(storage) as app:
        app.shops.add(a_shop())
        caller = accepted(app.shops.act_for("bakkerij-1"))
        unit = unit_of(app, report_order, caller, an_order_report())

        def then_silent(store: Store) -> object:
            reported = unit(store)
            wire.silence = silence
            return reported

        begun = time.monotonic()
        if together:
            (outcome,) = storage.run_all([then_silent])
            assert isinstance(outcome, Failed)
            assert isinstance(outcome.error, StorageUnavailable)
        else:
            with pytest.raises(StorageUnavailable, match="no answer within 2 seconds"):
                storage.run(then_silent)
        assert ANSWER_SECONDS <= time.monotonic() - begun < LONG
        wire.silence = None
        again = accepted(storage.run(unit))
        assert again.duplicate is (silence is Silence.ANSWERS)
        assert len(accepted(app.invitations.list(OPERATOR, InvitationQuery())).invitations) == 1


@pytest.mark.usefixtures("long_wait")
def test_while_the_database_is_silent_each_unit_is_unavailable_in_time_and_then_it_is_found_again(wire: Wire) -> None:
    with impatient(wire.url, answer_seconds=60) as storage:  # so long is only waited for what was given a statement
        added(storage, a_shop("before"))
        wire.silence = Silence.BOTH_WAYS
        for _ in range(3):  # the first finds a connection that does not answer, the others find none
            begun = time.monotonic()
            with pytest.raises(StorageUnavailable):
                storage.read(lambda store: store.shops.every())
            assert time.monotonic() - begun < LONG
        wire.silence = None
        wait_until(lambda: is_there(storage))
        assert [shop.site_id.text for shop in storage.read(lambda store: store.shops.every())] == ["before"]


def is_there(storage: PostgresStorage) -> bool:
    try:
        storage.condition()
    except StorageUnavailable:
        return False
    return True


@pytest.mark.usefixtures("long_wait")
def test_where_one_host_of_the_url_falls_silent_the_next_is_found(wire: Wire, postgres_url: str) -> None:
    with wire_to(postgres_url) as other:
        both = urlsplit(wire.url)._replace(
            netloc=f"{urlsplit(wire.url).netloc},{urlsplit(other.url).netloc.rpartition('@')[2]}"
        )
        with impatient(f"{both.geturl()}&connect_timeout=2&target_session_attrs=read-write") as storage:
            added(storage, a_shop("before"))
            assert other.connections == 0
            wire.silence = Silence.BOTH_WAYS
            with pytest.raises(StorageUnavailable):
                storage.condition()
            wait_until(lambda: is_there(storage))
            assert other.connections > 0


def test_a_statement_that_the_server_works_on_is_waited_for(wire: Wire) -> None:
    storage = PostgresStorage(wire.url, answer_seconds=LONG)
    storage.read(lambda store: execute(store, "SELECT pg_sleep(0.7)"))  # psycopg looks for an answer ten times a second
    storage.close()


def test_storage_is_closed_in_time_also_when_it_is_silent(wire: Wire) -> None:
    storage = PostgresStorage(wire.url)
    wire.silence = Silence.BOTH_WAYS
    begun = time.monotonic()
    storage.close()
    assert time.monotonic() - begun < LONG


LAST_STATEMENTS = [b"pg_is_in_recovery", b"pg_tables", b"pg_advisory_xact_lock"]


@pytest.mark.parametrize("last_words", [b"CREATE TABLE", *(in_full(each) for each in LAST_STATEMENTS)])
def test_a_start_on_a_server_that_falls_silent_after_the_connection_was_made_ends_in_time(
    wire: Wire, last_words: bytes
) -> None:
    wire.silent_from = last_words
    begun = time.monotonic()
    with pytest.raises(StorageUnavailable, match="no answer within"):
        PostgresStorage(wire.url, wait_seconds=0.5, answer_seconds=ANSWER_SECONDS)
    assert time.monotonic() - begun < LONG


@pytest.mark.usefixtures("long_wait")
def test_a_vacuum_may_take_longer_than_an_answer_and_the_bound_is_back_afterwards(
    wire: Wire, postgres_url: str
) -> None:
    took_long = """
        SELECT COUNT(*) FROM pg_stat_activity
        WHERE query LIKE 'VACUUM%invitations%' AND datname = current_database()
            AND wait_event_type = 'Lock' AND clock_timestamp() - query_start > interval '2.5 seconds'
    """
    with (
        impatient(wire.url) as storage,
        psycopg.connect(postgres_url) as other,
        psycopg.connect(postgres_url, autocommit=True) as watcher,
        ThreadPoolExecutor(1) as threads,
    ):
        other.execute("LOCK TABLE invitations IN SHARE UPDATE EXCLUSIVE MODE")
        compacting = threads.submit(storage.compact)
        try:
            wait_until(lambda: compacting.done() or watcher.execute(took_long).fetchone() == (1,))
        finally:
            other.rollback()
        compacting.result(TIMEOUT_SECONDS)
        with pytest.raises(StorageUnavailable, match="no answer within 2 seconds"):
            storage.read(lambda store: execute(store, "SELECT pg_sleep(20)"))


# --- the network --------------------------------------------------------------------------------------------------


def test_connections_notice_a_server_that_has_vanished_and_the_url_may_say_when(wire: Wire) -> None:
    def bounds(url: str) -> tuple[object, list[int]]:
        with impatient(url) as storage:
            return parameters_of(url)["connect_timeout"], storage.read(lambda _: tcp_options_towards(wire.port))

    assert bounds(wire.url) == ("5", [1, 10, 5, 3, 20000])
    given = f"{wire.url}&tcp_user_timeout=7000&keepalives_idle=60&connect_timeout=3"
    assert bounds(given) == ("3", [1, 60, 5, 3, 7000])


def tcp_options_towards(port: int) -> list[int]:
    """Return what the kernel does about silence on this process's connection to that port."""
    (found,) = {
        tuple(tcp_options(connection.fd))
        for connection in psutil.Process().net_connections("tcp")
        if port in connection.raddr  # which is empty for one that listens
    }
    return list(found)


def tcp_options(file: int) -> list[int]:
    names = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
    with socket.socket(fileno=os.dup(file)) as connection:
        keeps_alive = connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        return [keeps_alive, *(connection.getsockopt(socket.IPPROTO_TCP, name) for name in names)]


# --- a server that ends a transaction, or that cannot be written to -------------------------------------------------


@pytest.mark.parametrize(
    "statements",
    [
        ("SET LOCAL idle_in_transaction_session_timeout = '1ms'", "SELECT 1"),
        ("SET LOCAL transaction_timeout = '1ms'", "SELECT pg_sleep(20)"),
        ("SET LOCAL statement_timeout = '1ms'", "SELECT pg_sleep(20)"),
        ("SET LOCAL transaction_read_only = on", "DELETE FROM shops"),
    ],
    ids=lambda statements: statements[0].split()[2],
)
def test_what_the_server_does_not_let_us_do_just_now_is_unavailable(
    postgres_url: str, statements: tuple[str, str]
) -> None:
    def unit(store: Store) -> None:
        execute(store, statements[0])
        time.sleep(0.1)
        execute(store, statements[1])

    with impatient(postgres_url) as storage:
        with pytest.raises(StorageUnavailable):
            storage.run(unit)
        assert added(storage, a_shop("after")).site_id.text == "after"


def test_a_transaction_that_stands_still_is_not_let_hold_its_locks(postgres_url: str) -> None:
    def bound(store: Store) -> object:
        return ask(store, "SELECT current_setting('idle_in_transaction_session_timeout')")

    with impatient(postgres_url) as storage:
        assert (storage.run(bound), storage.read(bound)) == ("30s", "30s")


def test_a_connection_to_a_server_that_cannot_be_written_to_is_not_used_again(postgres_url: str) -> None:
    used: list[int] = []

    def read_only(store: Store) -> None:
        used.append(backend_of(store))
        execute(store, "SET LOCAL transaction_read_only = on")
        execute(store, "DELETE FROM shops")

    with impatient(postgres_url) as storage:
        with pytest.raises(StorageUnavailable):
            storage.run(read_only)
        assert storage.run(backend_of) not in used


@pytest.mark.usefixtures("long_wait")
@pytest.mark.parametrize("hidden", [False, True], ids=["told", "hidden"])
def test_a_standby_is_unavailable_and_serves_from_the_moment_it_takes_over(hidden: bool) -> None:
    with (
        postgres.own_server() as server,
        wire_to(server.url) as wire,
        impatient(wire.url) as storage,
        an_application(storage) as app,
    ):
        wire.hides_recovery = hidden
        app.shops.add(a_shop())
        caller = accepted(app.shops.act_for("bakkerij-1"))
        server.demote()
        uses: list[Callable[[], object]] = [
            app.check_ready,
            app.shops.list,
            lambda: app.orders.report(caller, an_order_report()),
        ]
        for use in uses:
            with pytest.raises(StorageUnavailable):
                use()
        with pytest.raises(StorageUnavailable, match=r"did not answer within 0\.1 seconds: the server is a standby"):
            PostgresStorage(wire.url, wait_seconds=0.1)
        server.promote()
        wait_until(lambda: is_there(storage))
        assert not accepted(app.orders.report(caller, an_order_report())).duplicate

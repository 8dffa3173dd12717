"""After a purge no file of the database holds an erased address, in clear or sealed, nor what was taken back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from tests.budgets import in_full
from tests.core.adapters.sql.raw import ask
from tests.links import token_of
from tests.traces import Traces, files

from reviewinvite_core import Application, NewReply, ReviewDraft, Settings, accepted, build
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.reviews import Review
from reviewinvite_core.testing.builders import ManualClock, a_shop, an_order_report
from reviewinvite_core.usecases.reviews.link import ReviewLink

BATCH = 1_000
SECRET = "a secret that all machines share"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(sqlite_folder: Path, clock: ManualClock) -> Iterator[Application]:
    made = open_app(sqlite_folder, clock)
    made.shops.add(a_shop())
    yield made
    made.close()


def open_app(folder: Path, clock: ManualClock) -> Application:
    """One more process on the same file, as far as SQLite can tell."""
    settings = Settings(database_url=f"sqlite:///{folder / 'reviewinvite.db'}", secret=SECRET)
    return build(settings, clock=clock, mailer=RecordingMailer())


def written(app: Application, token: str, draft: ReviewDraft) -> Review:
    """Return the review that this link has written."""
    link = app.reviews.write(token, draft)
    assert isinstance(link, ReviewLink)
    assert link.review
    return link.review


def import_orders(app: Application, count: int, name: str = "customer") -> None:
    caller = accepted(app.shops.act_for("bakkerij-1"))
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        app.orders.import_many(caller, [an_order_report(f"{name}-{each}@example.com") for each in numbers])


@pytest.mark.parametrize("orders", [2_000, in_full(20_000)])
def test_no_file_of_the_database_holds_an_erased_address(
    app: Application, clock: ManualClock, sqlite_folder: Path, orders: int
) -> None:
    import_orders(app, orders)
    traces = Traces(sqlite_folder / "reviewinvite.db")
    assert traces.count == orders
    assert traces.are_all_in(sqlite_folder)
    clock.advance(timedelta(days=96))

    assert sum(batch.erased for batch in app.privacy.purge()) == orders

    assert traces.found(sqlite_folder) == 0
    assert (sqlite_folder / "reviewinvite.db-wal").stat().st_size == 0


def test_nor_does_one_while_others_have_the_database_open_and_go_on(
    app: Application, clock: ManualClock, sqlite_folder: Path
) -> None:
    import_orders(app, 1_000)
    traces = Traces(sqlite_folder / "reviewinvite.db")
    assert traces.are_all_in(sqlite_folder)
    other = open_app(sqlite_folder, clock)
    try:
        assert len(other.shops.list()) == 1
        clock.advance(timedelta(days=96))
        import_orders(other, 10, "new")
        assert sum(batch.erased for batch in app.privacy.purge()) == 1_000
        import_orders(other, 500, "newer")
        assert other.privacy.erase_address("customer-1@example.com").erased == 0
        assert traces.found(sqlite_folder) == 0
    finally:
        other.close()


def test_an_address_that_is_erased_on_request_is_in_no_file_after_a_purge(
    app: Application, sqlite_folder: Path
) -> None:
    import_orders(app, 50)
    traces = Traces(sqlite_folder / "reviewinvite.db")
    for each in range(50):
        app.privacy.erase_address(f"customer-{each}@example.com")
    assert list(app.privacy.purge()) == []
    assert traces.found(sqlite_folder) == 0


def test_what_was_written_and_is_taken_back_is_in_no_file_after_a_purge(app: Application, sqlite_folder: Path) -> None:
    caller = accepted(app.shops.act_for("bakkerij-1"))
    for each in range(50):
        email = f"customer-{each}@example.com"
        token = token_of(app, accepted(app.orders.report(caller, an_order_report(email))).invite_id, Purpose.REVIEW)
        first = ReviewDraft(rating=1, text="Unwise words. " * 200, author="Unwise Name")
        review = written(app, token, first)
        app.reviews.reply(caller, review.review_id, NewReply(text="Unwise reply"))
        if each % 3 == 0:
            app.reviews.withdraw(token)
        elif each % 3 == 1:
            app.reviews.write(token, ReviewDraft(rating=2, text="Wiser."))
            app.reviews.reply(caller, review.review_id, NewReply(text="Wiser, too."))
        else:
            app.privacy.erase_address(email)
    assert any(b"Unwise" in content for content in files(sqlite_folder))
    assert list(app.privacy.purge()) == []
    assert not any(b"Unwise" in content for content in files(sqlite_folder))
    assert any(b"Wiser." in content for content in files(sqlite_folder))


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "BEGIN"], ids=["writes", "reads"])
def test_who_holds_the_database_all_the_time_is_in_the_way_and_nothing_is_lost(
    sqlite_folder: Path, statement: str
) -> None:
    path = sqlite_folder / "reviewinvite.db"
    storage = SqliteStorage(path, busy_seconds=0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(statement)
        other.execute("SELECT count(*) FROM shops").fetchall()
        with pytest.raises(StorageUnavailable, match="another process is busy"):
            storage.compact()
        other.execute("ROLLBACK")
        storage.compact()
    assert storage.problems() == []
    storage.close()


def test_every_connection_writes_over_what_is_erased(sqlite_folder: Path) -> None:
    storage = SqliteStorage(sqlite_folder / "reviewinvite.db")
    settings = [run(lambda store: ask(store, "PRAGMA secure_delete")) for run in (storage.run, storage.read)]
    storage.close()
    assert settings == [1, 1]


def test_on_postgres_no_statistics_hold_what_was_written_or_erased(postgres_url: str) -> None:
    clock = ManualClock()
    app = build(Settings(database_url=postgres_url, secret=SECRET), clock=clock, mailer=RecordingMailer())
    sampled = """
        SELECT tablename, attname FROM pg_stats WHERE schemaname = 'public'
        AND attname IN ('text', 'author', 'reply', 'sealed_address')
        AND (histogram_bounds IS NOT NULL OR most_common_vals IS NOT NULL)
    """
    try:
        app.shops.add(a_shop())
        caller = accepted(app.shops.act_for("bakkerij-1"))
        for each in range(30):
            report = accepted(app.orders.report(caller, an_order_report(f"customer-{each}@example.com")))
            draft = ReviewDraft(rating=1, text=f"Unwise words {each}", author=f"Unwise Name {each}")
            review = written(app, token_of(app, report.invite_id, Purpose.REVIEW), draft)
            app.reviews.reply(caller, review.review_id, NewReply(text=f"Unwise reply {each}"))
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute("ANALYZE")
            assert connection.execute(sampled).fetchall() == [("invitations", "sealed_address")]
            clock.advance(timedelta(days=96))
            assert sum(batch.erased for batch in app.privacy.purge()) == 30
            assert connection.execute(sampled).fetchall() == []
    finally:
        app.close()


def test_on_postgres_a_purge_vacuums_the_tables_that_hold_addresses_and_reviews(postgres_url: str) -> None:
    clock = ManualClock()
    app = build(Settings(database_url=postgres_url, secret=SECRET), clock=clock, mailer=RecordingMailer())
    try:
        app.shops.add(a_shop())
        import_orders(app, 100)
        clock.advance(timedelta(days=96))
        assert sum(batch.erased for batch in app.privacy.purge()) == 100
        with psycopg.connect(postgres_url) as connection:
            kept = connection.execute("SELECT count(sealed_address) FROM invitations").fetchone()
            connection.execute("SELECT pg_stat_force_next_flush()")
            vacuums = connection.execute(
                "SELECT relname, vacuum_count FROM pg_stat_user_tables WHERE vacuum_count > 0 ORDER BY relname"
            ).fetchall()
        assert (kept, vacuums) == ((0,), [("invitations", 1), ("reviews", 1)])
    finally:
        app.close()

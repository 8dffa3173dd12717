"""The same work with many invitations and reviews stored, against the same with few, on both engines.

All invitations stored wait to be sent, which is the worst case for finding due ones; for the overview, which is read
last, they have all come to an end, in five years' weeks.
"""

from __future__ import annotations

import itertools
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import attrs
import psycopg

from benchmarks.measure import Claim, Group, Row, Sizes, at_most, compared, in_turns, progress
from benchmarks.postgres import new_database, server
from benchmarks.stored_reviews import YEARS, store_reviews, written_at_once
from reviewinvite_core import (
    Application,
    Bookmark,
    Caller,
    InvitationPage,
    InvitationQuery,
    MerchantReviewQuery,
    MerchantReviews,
    NewShop,
    OrderReport,
    Overview,
    Reported,
    Settings,
    ShopReviews,
    State,
    build,
)
from reviewinvite_core.bootstrap.adapter_factory import is_postgres, open_storage, sqlite_path
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.claim import Claimed, claim_due

_END_ALL = """
UPDATE invitations SET state = 'sent', reason = 'accepted', claim_token = NULL, lease_until = NULL,
    changed_at = reported_at - reported_at / 100000 % 1825 * 86400000000
"""
BATCH = 64
DUE = 100
PAGES = 10
SITE = "bakery"


@attrs.frozen
class Shop:
    """A shop on a database of its own, and the orders it has yet to report."""

    app: Application
    storage: Storage
    caller: Caller
    clock: ManualClock
    numbers: Iterator[int]

    def orders(self, count: int, delay: float | None = None) -> list[OrderReport]:
        """Return `count` orders that were not reported before."""
        return [
            OrderReport(email=f"customer{number}@example.com", order_number=str(number), delay=delay)
            for number in itertools.islice(self.numbers, count)
        ]

    def fill(self, count: int) -> None:
        """Report `count` orders, one each 100 ms by the clock, each with a review; these span five years."""
        begin = self.clock.now() - timedelta(days=365 * YEARS)
        at_once = written_at_once(count)
        for first in range(0, count, at_once):
            reported = self.app.orders.import_many(self.caller, self.orders(at_once))
            assert all(isinstance(each, Reported) and not each.duplicate for each in reported)
            at = begin + timedelta(days=365 * YEARS) * (first / count)
            store_reviews(self.storage, self.caller.shop_number, reported, first, at)
            self.clock.advance(timedelta(milliseconds=100 * at_once))

    def report_single(self) -> float:
        """Milliseconds for each of 40 reports, each with a durable commit."""
        orders = self.orders(40)
        begin = time.perf_counter()
        for order in orders:
            self.app.orders.report(self.caller, order)
        return (time.perf_counter() - begin) * 1000 / len(orders)

    def report_batched(self) -> float:
        """Milliseconds for each report of four batches of 64, each batch with a durable commit."""
        batches = [self.orders(BATCH) for _ in range(4)]
        begin = time.perf_counter()
        for batch in batches:
            self.app.orders.import_many(self.caller, batch)
        return (time.perf_counter() - begin) * 1000 / (len(batches) * BATCH)

    def claim(self) -> float:
        """Milliseconds to take 100 due invitations in hand, with their letters, in one durable commit."""
        times = 2
        self.app.orders.import_many(self.caller, self.orders(DUE * times, delay=0))
        transactions = self.app.delivery._transactions()
        begin = time.perf_counter()
        for _ in range(times):
            claimed = transactions.run(_claim_due, locks=frozenset())
            assert len(claimed.assignments) == DUE
        return (time.perf_counter() - begin) * 1000 / times

    def deliver(self) -> float:
        """Milliseconds for the whole way of 100 due invitations to a mailer that records them."""
        self.app.orders.import_many(self.caller, self.orders(DUE, delay=0))
        begin = time.perf_counter()
        delivered = sum(invitation.state is State.SENT for invitation in self.app.delivery.once())
        assert delivered == DUE
        return (time.perf_counter() - begin) * 1000

    def list_pages(self) -> float:
        """Milliseconds to read a page of a merchant's invitations, the next, and a page of changed reviews."""
        since = Bookmark.since(self.clock.now() - timedelta(days=365))
        begin = time.perf_counter()
        for _ in range(PAGES):
            newest = self.app.invitations.list(self.caller, InvitationQuery())
            assert isinstance(newest, InvitationPage)
            self.app.invitations.list(self.caller, InvitationQuery(before=newest.next))
            changes = self.app.reviews.list_changes(self.caller, MerchantReviewQuery(after=since))
            assert isinstance(changes, MerchantReviews)
            assert changes.reviews
        return (time.perf_counter() - begin) * 1000 / PAGES

    def public_pages(self) -> float:
        """Milliseconds to read what the public page shows, and the page after it."""
        begin = time.perf_counter()
        for _ in range(PAGES):
            newest = self.app.reviews.show_public(SITE)
            assert isinstance(newest, ShopReviews)
            self.app.reviews.show_public(SITE, newest.next)
        return (time.perf_counter() - begin) * 1000 / PAGES

    def read_overview(self) -> float:
        """Milliseconds to read what the first page of the dashboard shows."""
        begin = time.perf_counter()
        for _ in range(PAGES):
            shown = self.app.shops.overview(SITE)
            assert isinstance(shown, Overview)
            assert any(week.reviews and week.sent for week in shown.weeks)
        return (time.perf_counter() - begin) * 1000 / PAGES


TASKS: Mapping[str, tuple[str, Callable[[Shop], float]]] = {
    "order": ("an order in its own commit", Shop.report_single),
    "batch": (f"an order among {BATCH} in one commit", Shop.report_batched),
    "claim": (f"claiming {DUE} due invitations", Shop.claim),
    "delivery": (f"claiming and delivering {DUE} due invitations", Shop.deliver),
    "lists": ("a merchant's lists of invitations and reviews", Shop.list_pages),
    "public-page": ("a shop's public page and the next", Shop.public_pages),
    "overview": ("a shop's overview", Shop.read_overview),
}


def _claims(engine: str) -> Mapping[str, Claim]:
    return {
        name: Claim(
            key=f"growth-{engine.lower()}-{name}",
            what=f"{what}, {engine}, many stored",
            against="the same with few stored",
            unit="ms",
            goal=at_most(1.3),
        )
        for name, (what, _) in TASKS.items()
    }


CLAIMS = {engine: _claims(engine) for engine in ("SQLite", "PostgreSQL")}


@contextmanager
def shop_with(stored: int, settings: Settings) -> Iterator[Shop]:
    """Yield a shop on a new database with `stored` waiting invitations, each with a review."""
    begin = time.perf_counter()
    clock = ManualClock()
    storage = open_storage(settings.database_url)
    with closing(build(settings, clock=clock, storage=storage)) as app:
        app.shops.add(NewShop(site_id=SITE, name="Bakery"))
        caller = app.shops.act_for(SITE)
        assert isinstance(caller, Caller)
        shop = Shop(app, storage, caller, clock, itertools.count())
        shop.fill(stored)
        progress(f"{stored:,} invitations stored in {time.perf_counter() - begin:.0f} s")
        yield shop


def _measure_sqlite(sizes: Sizes) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as directory:
        few, many = (
            Settings(
                database_url=f"sqlite:///{directory}/{name}.db",
                mail_url="recording:",
                handover_mark=Path(directory, f"{name}.mark"),
            )
            for name in ("few", "many")
        )
        yield from _measured("SQLite", few, many, sizes)


def _measure_postgres(sizes: Sizes) -> Iterator[Row]:
    with (
        server() as url,
        tempfile.TemporaryDirectory() as directory,
        new_database(url) as few_database,
        new_database(url) as many_database,
    ):
        few, many = (
            attrs.evolve(settings, handover_mark=Path(directory, name))
            for name, settings in (("few", few_database), ("many", many_database))
        )
        yield from _measured("PostgreSQL", few, many, sizes)


def _measured(engine: str, few: Settings, many: Settings, sizes: Sizes) -> Iterator[Row]:
    with shop_with(sizes.few, few) as few_shop, shop_with(sizes.many, many) as many_shop:
        if engine == "PostgreSQL":
            for settings in (few, many):
                tidy(settings.database_url)
        for name, (_, task) in TASKS.items():
            if task is Shop.read_overview:
                _end_all(few_shop, few)
                _end_all(many_shop, many)
            task(few_shop)  # once for nothing: both then have their statements prepared and their files at full length
            task(many_shop)
            measures = {"many": partial(task, many_shop), "few": partial(task, few_shop)}
            figures = in_turns(measures, sizes.repetitions + 2)
            yield compared(CLAIMS[engine][name], figures["many"], figures["few"])


def tidy(url: str) -> None:
    """What autovacuum would do within a minute, so that it does not do it while we measure."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _end_all(shop: Shop, settings: Settings) -> None:
    """Let all invitations have been sent within five years, which takes hours by delivering, and count them."""
    url = settings.database_url
    if is_postgres(url):
        with psycopg.connect(url) as server:
            server.execute(_END_ALL)
    else:
        with closing(sqlite3.connect(sqlite_path(url))) as file, file:
            file.execute(_END_ALL)
    assert shop.app.invitations.recount() == [SITE]
    if is_postgres(url):
        tidy(url)


def _claim_due(work: UnitContext) -> Claimed:
    return claim_due(work, "https://reviews.example.com", DUE, since=None, high_water_mark=None)


SQLITE = Group(tuple(CLAIMS["SQLite"].values()), _measure_sqlite)
POSTGRES = Group(tuple(CLAIMS["PostgreSQL"].values()), _measure_postgres)

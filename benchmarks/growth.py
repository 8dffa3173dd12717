"""The same work with many invitations and reviews stored, against the same with few, on both engines.

All invitations stored wait to be sent, which is the worst case for finding due ones. For the overview they have come to
an end, in five years' weeks. For the last rows, nearly all reviews are hidden or withdrawn; the oldest are not.
"""

from __future__ import annotations

import itertools
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

import attrs
import psycopg

from benchmarks.measure import Claim, Group, Row, Sizes, at_most, compared, in_turns, progress
from benchmarks.postgres import new_database, server
from benchmarks.stored_reviews import YEARS, store_reviews, written_at_once
from reviewinvite_core import (
    Actor,
    Application,
    InvitationQuery,
    MerchantReviewQuery,
    NewShop,
    OrderReport,
    Reported,
    ReviewState,
    Settings,
    State,
    build,
)
from reviewinvite_core.bootstrap.adapter_factory import is_postgres, open_storage, sqlite_path
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.claim import Claimed, claim_due
from reviewinvite_core.values import (
    Bookmark,
    InvitationPage,
    MerchantReviews,
    Overview,
    ReviewFilter,
    ReviewPage,
    ShopReviews,
)

_END_ALL = """
UPDATE invitations SET state = 'sent', reason = 'accepted', claim_token = NULL, lease_until = NULL,
    changed_at = reported_at - reported_at / 100000 % 1825 * 86400000000
"""
_HIDE_MOST = [
    """
    UPDATE reviews SET state = 'hidden', hidden_for = 'spam'
    WHERE written_at > (SELECT written_at FROM reviews ORDER BY written_at LIMIT 1 OFFSET :shown)
    """,
    """
    UPDATE reviews SET state = 'withdrawn', hidden_for = NULL, rating = NULL, text = NULL, author = NULL
    WHERE state = 'hidden' AND written_at % 2 = 0
    """,
]
BATCH = 64
DUE = 100
LEAST_SHOWN = 100
"""Reviews that stay published at least: two full pages of them."""
PAGES = 10
SITE = "bakery"


@attrs.frozen
class Shop:
    """A shop on a database of its own, and the orders it has yet to report."""

    app: Application
    storage: Storage
    caller: Actor
    clock: ManualClock
    numbers: Iterator[int]

    def orders(self, count: int, delay: float | None = None) -> list[OrderReport]:
        """Return `count` orders that were not reported before."""
        return [
            OrderReport(email=f"customer{number}@example.com", order_number=str(number), delay_days=delay)
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
            assert any(week.sent for week in shown.weeks)
        return (time.perf_counter() - begin) * 1000 / PAGES

    def browse_reviews(self) -> float:
        """Milliseconds to read three pages of the dashboard: the newest reviews, published ones, and hidden ones."""
        begin = time.perf_counter()
        for _ in range(PAGES):
            for state, rating in ((None, None), (ReviewState.PUBLISHED, None), (ReviewState.HIDDEN, 3)):
                page = self.app.reviews.browse(self.caller, ReviewFilter(state=state, rating=rating))
                assert isinstance(page, ReviewPage)
                assert page.reviews
        return (time.perf_counter() - begin) * 1000 / PAGES

    def list_published(self) -> float:
        """Milliseconds in which the API looks for published reviews where there are none."""
        query = MerchantReviewQuery(
            after=Bookmark.since(self.clock.now() - timedelta(days=365 * YEARS * 0.9)), state=ReviewState.PUBLISHED
        )
        begin = time.perf_counter()
        for _ in range(PAGES):
            assert isinstance(self.app.reviews.list_changes(self.caller, query), MerchantReviews)
        return (time.perf_counter() - begin) * 1000 / PAGES


TASKS: Mapping[str, tuple[str, Callable[[Shop], float]]] = {
    "order": ("an order in its own commit", Shop.report_single),
    "batch": (f"an order among {BATCH} in one commit", Shop.report_batched),
    "claim": (f"claiming {DUE} due invitations", Shop.claim),
    "delivery": (f"claiming and delivering {DUE} due invitations", Shop.deliver),
    "lists": ("a merchant's lists of invitations and reviews", Shop.list_pages),
    "public-page": ("a shop's public page and the next", Shop.public_pages),
    "overview": ("a shop's overview", Shop.read_overview),
    "hidden-public-page": ("a public page and the next, most reviews hidden", Shop.public_pages),
    "hidden-dashboard": ("lists of the dashboard, most reviews hidden", Shop.browse_reviews),
    "hidden-api": ("published reviews by the API, most hidden", Shop.list_published),
    "hidden-overview": ("a shop's overview, most reviews hidden", Shop.read_overview),
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
        assert isinstance(caller, Actor)
        shop = Shop(app, storage, caller, clock, itertools.count())
        shop.fill(stored)
        progress(f"{stored:,} invitations stored in {time.perf_counter() - begin:.0f} s")
        yield shop


@contextmanager
def few_and_many(engine: str) -> Iterator[tuple[Settings, Settings]]:
    """Yield the settings of two new databases, for few stored rows and for many."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if engine == "PostgreSQL":
            url = stack.enter_context(server())
            few, many = (stack.enter_context(new_database(url)) for _ in range(2))
        else:
            few, many = (
                Settings(database_url=f"sqlite:///{directory}/{name}.db", mail_url="recording:")
                for name in ("few", "many")
            )
        yield (
            attrs.evolve(few, handover_mark=directory / "few.mark"),
            attrs.evolve(many, handover_mark=directory / "many.mark"),
        )


def _measured(engine: str, sizes: Sizes) -> Iterator[Row]:
    with (
        few_and_many(engine) as (few, many),
        shop_with(sizes.few, few) as few_shop,
        shop_with(sizes.many, many) as many_shop,
    ):
        if engine == "PostgreSQL":
            for settings in (few, many):
                tidy(settings.database_url)
        for name, (_, task) in TASKS.items():
            if name == "overview":
                _end_all(few_shop, few)
                _end_all(many_shop, many)
            if name == "hidden-public-page":
                _hide_most(few_shop, few, sizes.few)
                _hide_most(many_shop, many, sizes.many)
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
    change_stored(settings, [_END_ALL])
    assert shop.app.invitations.recount() == [SITE]


def _hide_most(shop: Shop, settings: Settings, stored: int) -> None:
    """Let one of 100 reviews stay published, the oldest, and count these."""
    shown = str(max(LEAST_SHOWN, stored // 100))
    change_stored(settings, [statement.replace(":shown", shown) for statement in _HIDE_MOST])
    assert shop.app.reviews.recount() == [SITE]


def change_stored(settings: Settings, statements: Sequence[str]) -> None:
    """Change what is stored by these statements, which take minutes at most, where use cases would take hours."""
    url = settings.database_url
    if is_postgres(url):
        with psycopg.connect(url) as server:
            for statement in statements:
                server.execute(statement.encode())
        tidy(url)
    else:
        with closing(sqlite3.connect(sqlite_path(url))) as file, file:
            for statement in statements:
                file.execute(statement)


def _claim_due(work: UnitContext) -> Claimed:
    return claim_due(work, "https://reviews.example.com", DUE, since=None, high_water_mark=None)


SQLITE = Group(tuple(CLAIMS["SQLite"].values()), partial(_measured, "SQLite"))
POSTGRES = Group(tuple(CLAIMS["PostgreSQL"].values()), partial(_measured, "PostgreSQL"))

"""Reporting and claiming with many invitations stored, against the same with few.

All that is stored waits to be sent, which is the worst case for what looks for due ones.

`python -m benchmarks.growth`
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import attrs

from benchmarks.measure import Row, at_most, compared, in_turns, progress, report
from reviewinvite_core import Application, Caller, NewShop, OrderReport, Reported, Settings, State, build
from reviewinvite_core.bootstrap.adapter_factory import open_storage
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.claim import Claimed, claim_due

FEW = 1_000
MANY = 1_000_000
AT_ONCE = 1_000
BATCH = 64
DUE = 100


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
        """Report `count` orders, one each 100 ms by the clock."""
        for _ in range(count // AT_ONCE):
            reported = self.app.orders.import_many(self.caller, self.orders(AT_ONCE))
            assert all(isinstance(each, Reported) and not each.duplicate for each in reported)
            self.clock.advance(timedelta(milliseconds=100 * AT_ONCE))

    def report_single(self, calls: int) -> float:
        """Return the milliseconds per report over `calls` reports, each with a durable commit."""
        orders = self.orders(calls)
        begin = time.perf_counter()
        for order in orders:
            self.app.orders.report(self.caller, order)
        return (time.perf_counter() - begin) * 1000 / calls

    def report_batched(self, batches: int) -> float:
        """Milliseconds for each report, 64 of them in a durable commit."""
        orders = [self.orders(BATCH) for _ in range(batches)]
        begin = time.perf_counter()
        for batch in orders:
            self.app.orders.import_many(self.caller, batch)
        return (time.perf_counter() - begin) * 1000 / (batches * BATCH)

    def claim(self, times: int) -> float:
        """Milliseconds to take 100 due invitations in hand, their letters included, in one durable commit."""
        self.app.orders.import_many(self.caller, self.orders(DUE * times, delay=0))
        transactions = self.app.delivery._transactions()
        begin = time.perf_counter()
        for _ in range(times):
            claimed = transactions.run(_claim_due, locks=frozenset())
            assert len(claimed.assignments) == DUE
        return (time.perf_counter() - begin) * 1000 / times

    def deliver(self) -> float:
        """Milliseconds for the whole way of 100 due invitations to the mailer."""
        self.app.orders.import_many(self.caller, self.orders(DUE, delay=0))
        begin = time.perf_counter()
        delivered = sum(invitation.state is State.SENT for invitation in self.app.delivery.once())
        assert delivered == DUE
        return (time.perf_counter() - begin) * 1000


def _claim_due(work: UnitContext) -> Claimed:
    return claim_due(work, "https://reviews.example.com", DUE, since=None, high_water_mark=None)


@contextmanager
def shop_with(stored: int, settings: Settings) -> Iterator[Shop]:
    """Yield a shop on a new database with `stored` waiting invitations."""
    begin = time.perf_counter()
    clock = ManualClock()
    storage = open_storage(settings.database_url)
    with closing(build(settings, clock=clock, storage=storage)) as app:
        app.shops.add(NewShop(site_id="bakery", name="Bakery"))
        caller = app.shops.act_for("bakery")
        assert isinstance(caller, Caller)
        shop = Shop(app, storage, caller, clock, itertools.count())
        shop.fill(stored)
        progress(f"{stored:,} invitations stored in {time.perf_counter() - begin:.0f} s")
        yield shop


def measure(*, many: int = MANY, repetitions: int = 9) -> Iterator[Row]:
    """Milliseconds with many stored against milliseconds with few, in turns."""
    with (
        tempfile.TemporaryDirectory() as directory,
        shop_with(FEW, _sqlite_settings(directory, "few")) as few_shop,
        shop_with(many, _sqlite_settings(directory, "many")) as many_shop,
    ):
        yield from with_many_and_few(many_shop, few_shop, many, repetitions)


def with_many_and_few(
    many_shop: Shop, few_shop: Shop, many: int, repetitions: int, *, engine: str = "SQLite"
) -> Iterator[Row]:
    """The rows for two shops, on databases of their own."""
    for claim, task in (
        ("report_order, one at a time", lambda shop: shop.report_single(40)),
        (f"import_orders, {BATCH} at once, each order", lambda shop: shop.report_batched(4)),
        (f"claiming {DUE} due invitations", lambda shop: shop.claim(2)),
        (f"claiming and delivering {DUE} due invitations", lambda shop: shop.deliver()),
    ):
        figures = _both(task, few_shop, many_shop, repetitions)
        yield compared(
            f"{engine}, {claim}: {many:,} stored, against {FEW:,}", "ms", figures["many"], figures["few"], at_most(1.3)
        )


def _sqlite_settings(directory: str, name: str) -> Settings:
    return Settings(database_url=f"sqlite:///{directory}/{name}.db", mail_url="recording:")


def _both(task: Callable[[Shop], float], few: Shop, many: Shop, repetitions: int) -> dict[str, list[float]]:
    """In turns, once for nothing: both then have their statements prepared and their files at full length."""
    task(few)
    task(many)
    return in_turns({"few": lambda: task(few), "many": lambda: task(many)}, repetitions)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--many", type=int, default=MANY, help="invitations stored, in steps of 1,000")
    parser.add_argument("--repetitions", type=int, default=9)
    given = parser.parse_args()
    report(measure(many=given.many, repetitions=given.repetitions))


if __name__ == "__main__":
    main()

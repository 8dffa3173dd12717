"""What a key's limit costs if its minute holds thousands of admissions, against the same with a hundred."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial

import attrs

from benchmarks.growth import few_and_many, tidy
from benchmarks.measure import Claim, Group, Row, Sizes, at_most, compared, in_turns
from reviewinvite_core import Application, NewShop, OrderReport, Reported, SecretKey, Settings, accepted, build
from reviewinvite_core.bootstrap.adapter_factory import open_storage
from reviewinvite_core.domain.limits import MINUTE, LimitKey
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import ManualClock

LIMIT = 10_000
FEW, MANY = 100, 9_000
DECISIONS, ORDERS = 200, 40
SITE = "bakery"


@attrs.frozen
class Till:
    """A key with a limit of 10,000 orders a minute, of which some are used."""

    app: Application
    storage: Storage
    clock: ManualClock
    key: SecretKey
    limit_key: LimitKey
    numbers: Iterator[int] = attrs.field(factory=itertools.count)

    def decide(self) -> float:
        """Milliseconds for the question how much of the limit is used."""
        after = self.clock.now() - MINUTE
        begin = time.perf_counter()
        for _ in range(DECISIONS):
            self.storage.read(lambda store: store.rate_limit_log.usage([self.limit_key], LIMIT, after=after))
        return (time.perf_counter() - begin) * 1000 / DECISIONS

    def report(self) -> float:
        """Milliseconds for an order that the key reports, in a durable commit of its own."""
        begin = time.perf_counter()
        for number in itertools.islice(self.numbers, ORDERS):
            order = OrderReport(email=f"customer{number}@example.com", order_number=str(number))
            assert isinstance(self.app.orders.report(self.key, order), Reported)
        return (time.perf_counter() - begin) * 1000 / ORDERS


TASKS: Mapping[str, tuple[str, Callable[[Till], float]]] = {
    "decision": ("what is left of a limit", Till.decide),
    "order": ("an order of a key in its own commit", Till.report),
}


def _claims(engine: str) -> Mapping[str, Claim]:
    return {
        name: Claim(
            key=f"limit-{engine.lower()}-{name}",
            what=f"{what}, {engine}, {MANY:,} of {LIMIT:,} used",
            against=f"the same with {FEW} used",
            unit="ms",
            goal=at_most(1.3),
        )
        for name, (what, _) in TASKS.items()
    }


CLAIMS = {engine: _claims(engine) for engine in ("SQLite", "PostgreSQL")}


@contextmanager
def till_with(used: int, settings: Settings) -> Iterator[Till]:
    """Yield a key on a new database that has been used so often within half a minute."""
    clock = ManualClock()
    storage = open_storage(settings.database_url)
    with closing(build(attrs.evolve(settings, orders_per_minute=LIMIT), clock=clock, storage=storage)) as app:
        app.shops.add(NewShop(site_id=SITE, name="Bakery"))
        created = accepted(app.api_keys.create(SITE, "till"))
        number = accepted(app.shops.act_for(SITE)).shop_number
        till = Till(app, storage, clock, created.secret, LimitKey(number, f"orders:{created.api_key.key_id}"))
        begin = clock.now()

        def use(store: Store) -> None:
            for place in range(used):
                store.rate_limit_log.admit([till.limit_key], begin + place * timedelta(seconds=30) / used)

        storage.run(use)
        clock.advance(timedelta(seconds=30))
        yield till


def _measured(engine: str, sizes: Sizes) -> Iterator[Row]:
    with few_and_many(engine) as (few, many), till_with(FEW, few) as little, till_with(MANY, many) as much:
        if engine == "PostgreSQL":
            for settings in (few, many):
                tidy(settings.database_url)
        for name, (_, task) in TASKS.items():
            task(little)  # once for nothing: statements are prepared then
            task(much)
            measures = {"many": partial(task, much), "few": partial(task, little)}
            figures = in_turns(measures, sizes.repetitions + 2)
            yield compared(CLAIMS[engine][name], figures["many"], figures["few"])


SQLITE = Group(tuple(CLAIMS["SQLite"].values()), partial(_measured, "SQLite"))
POSTGRES = Group(tuple(CLAIMS["PostgreSQL"].values()), partial(_measured, "PostgreSQL"))

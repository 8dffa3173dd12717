"""What an order leaves in the database, and what it costs in commits, on SQLite and on PostgreSQL.

Not a race, so there is no goal to be missed: the figures are those of `docs/explanation/capacity.md`. PostgreSQL is
one of our own, or that of `TEST_POSTGRES_URL`.

`python -m benchmarks.bytes_an_order`
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import attrs
import psycopg
from tests import postgres

from benchmarks.measure import progress, shown
from reviewinvite_core import Actor, Application, NewShop, OrderReport, Settings, build
from reviewinvite_core.bootstrap.adapter_factory import open_storage
from reviewinvite_core.ports import Executor, Outcome, Storage, UnitOfWork

T = TypeVar("T")

SECRET = "a secret that is long enough, and used in benchmarks only"
TABLES = ("orders", "invitations", "changes")
FIRST = 1_000
RATES = (1, 100, 10_000)
SECONDS_A_YEAR = 365 * 86_400


class Counting:
    """A storage that counts its commits, those that many units share as one."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._counting = threading.Lock()  # units of several threads run side by side
        self.commits = 0

    def run(self, unit: UnitOfWork[T]) -> T:
        """See `ports.Storage`."""
        self._count()
        return self._storage.run(unit)

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        """See `ports.Storage`."""
        self._count()
        return self._storage.run_all(units, executor=executor)

    def _count(self) -> None:
        with self._counting:
            self.commits += 1

    def __getattr__(self, name: str) -> object:
        return getattr(self._storage, name)


@attrs.frozen
class Engine:
    """A database, and how it is asked what its tables take, indexes included, and what its log has taken."""

    name: str
    url: str
    sizes: Callable[[], Mapping[str, int]]
    pack: Callable[[], object]
    logged: Callable[[], int]


@attrs.frozen(kw_only=True)
class Figures:
    """Bytes and commits an order."""

    stage: str
    tables: Mapping[str, float]
    logged: float
    commits: float

    @property
    def total(self) -> float:
        """The bytes of all tables together."""
        return sum(self.tables.values())


def measure(engine: Engine, orders: int, settings: Settings) -> list[Figures]:
    """An order when it is reported, alone in its commit; when it is sent as well; and packed, without any air."""
    storage = Counting(open_storage(engine.url))
    app = build(settings, storage=storage)  # type: ignore[arg-type]  # by __getattr__ it is all that a storage is
    try:
        app.shops.add(NewShop(site_id="bakkerij", name="Bakkerij De Molen"))
        _report(app, range(FIRST))  # the first pages of a table are not an order's
        _send(app)
        engine.pack()
        before, logged, commits = engine.sizes(), engine.logged(), storage.commits

        def figures(stage: str) -> Figures:
            sizes = engine.sizes()
            return Figures(
                stage=stage,
                tables={name: (sizes[name] - before[name]) / orders for name in TABLES},
                logged=(engine.logged() - logged) / orders,
                commits=(storage.commits - commits) / orders,
            )

        _report(app, range(FIRST, FIRST + orders))
        reported = figures("reported")
        _send(app)
        sent = figures("sent")
        engine.pack()
        return [reported, sent, attrs.evolve(figures("sent, packed"), logged=sent.logged, commits=sent.commits)]
    finally:
        app.close()


def _report(app: Application, numbers: range) -> None:
    caller = app.shops.act_for("bakkerij")
    assert isinstance(caller, Actor)
    for number in numbers:
        email, order_number = f"customer{number}@example.com", f"2026-{number:07}"
        app.orders.report(caller, OrderReport(email=email, order_number=order_number, delay_days=0))


def _send(app: Application) -> None:
    app.delivery.once()


def sqlite_engine(path: Path) -> Engine:
    """A file. What its log has taken is not counted: it is written over, again and again."""

    def sizes() -> Mapping[str, int]:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            rows = connection.execute(
                "SELECT sqlite_master.tbl_name, SUM(pgsize) FROM dbstat JOIN sqlite_master USING (name) GROUP BY 1"
            )
            return dict(rows.fetchall())

    def pack() -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("VACUUM")

    return Engine("SQLite", f"sqlite:///{path}", sizes, pack, lambda: 0)


def postgres_engine(url: str) -> Engine:
    """A database on a server that does nothing else meanwhile, since its log is that of the whole server."""

    def ask(statement: str) -> list[tuple[str, int]]:
        with psycopg.connect(url, autocommit=True) as connection:
            return connection.execute(statement.encode()).fetchall()

    def sizes() -> Mapping[str, int]:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"VACUUM {', '.join(TABLES)}".encode())
        return dict(ask("SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r'"))

    def pack() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"VACUUM FULL {', '.join(TABLES)}".encode())

    def logged() -> int:
        ((_, position),) = ask("SELECT '', (pg_current_wal_insert_lsn() - '0/0')::bigint")
        return position

    return Engine("PostgreSQL", url, sizes, pack, logged)


def print_figures(engine: Engine, figures: list[Figures]) -> None:
    """A row of the table a stage."""
    for one in figures:
        each = " | ".join(f"{one.tables[name]:,.0f}" for name in TABLES)
        logged = f"{one.logged:,.0f}" if one.logged else "-"
        print(f"| {engine.name} | {one.stage} | {each} | {one.total:,.0f} | {logged} | {one.commits:.2f} |")


def year_lines(sqlite: Figures, postgres: Figures) -> Iterator[str]:
    """Yield the table of a year of orders, from the figures of an order that was sent."""
    columns = ("orders per year", "stored per year: PostgreSQL", "SQLite", "log", "log per year", "commits per second")
    yield f"| orders per second | {' | '.join(columns)} |"
    yield f"|{'---:|' * (1 + len(columns))}"
    for rate in RATES:
        year = rate * SECONDS_A_YEAR
        cells = (
            f"{shown(year / 1e6)} million",
            f"{shown(year * postgres.total / 1e9)} GB",
            f"{shown(year * sqlite.total / 1e9)} GB",
            f"{shown(rate * postgres.logged / 1e3)} kB/s",
            f"{shown(year * postgres.logged / 1e9)} GB",
            shown(rate * postgres.commits),
        )
        yield f"| {rate:,} | {' | '.join(cells)} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=20_000, help="number of orders, reported and then sent")
    parser.add_argument("--sessions", type=int, default=4, help="number of concurrent SMTP sessions")
    given = parser.parse_args()
    print(f"| database | state of the order | {' | '.join(TABLES)} | total | log | commits |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder, postgres.server() as server, postgres.database(server) as url:
        sent: list[Figures] = []
        for engine in (sqlite_engine(Path(folder) / "reviewinvite.db"), postgres_engine(url)):
            progress(f"{engine.name}: {given.orders:,} orders")
            settings = Settings(
                database_url=engine.url,
                secret=SECRET,
                mail_url="recording:",
                handover_mark=Path(folder) / f"{engine.name}.mark",
                mail_connections=given.sessions,
            )
            build(settings).close()
            figures = measure(engine, given.orders, settings)
            print_figures(engine, figures)
            sent.append(figures[1])
    print("", *year_lines(*sent), sep="\n")


if __name__ == "__main__":
    main()

"""Report orders and write reviews, each in its own commit, and print what a commit of each kind takes, as JSON.

`commits` runs this file in the environment of an earlier commit as well, so it imports only what is there too.

`python benchmarks/commit_once.py DATABASE_URL STORED COUNT`
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from reviewinvite_core import Actor, Application, NewShop, OrderReport, Reported, ReviewDraft, Settings, build
from reviewinvite_core.domain.links import Purpose, link_token
from reviewinvite_core.usecases.context import UnitContext

SECRET = "a secret that only benchmarks have"
FRAME = 24 + 4096
HEADER = 32
AT_ONCE = 500


class Statements:
    """Counts the statements that SQLite or PostgreSQL is given."""

    def __init__(self) -> None:
        self.count = 0

    def watch_sqlite(self) -> None:
        """Count on every connection that is opened from now on; what a checkpoint runs is no commit's."""
        connect = sqlite3.connect

        def watched(*args: Any, **kwargs: Any) -> Any:
            connection = connect(*args, **kwargs)
            connection.set_trace_callback(self._note)
            return connection

        sqlite3.connect = watched

    def watch_postgres(self) -> None:
        """Count on every cursor."""
        import psycopg

        execute = psycopg.Cursor.execute

        def watched(cursor: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
            self._note(str(query))
            return execute(cursor, query, *args, **kwargs)

        psycopg.Cursor.execute = watched  # type: ignore[assignment, method-assign]

    def _note(self, statement: str) -> None:
        self.count += not statement.startswith("PRAGMA")


class SqliteLog:
    """The write-ahead log of a file, emptied before each commit."""

    def __init__(self, url: str) -> None:
        self._path = Path(url.removeprefix("sqlite:///"))

    def begin(self) -> None:
        with closing(sqlite3.connect(self._path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def pages(self) -> float:
        """Return the pages that were written since."""
        size = self._path.with_name(f"{self._path.name}-wal").stat().st_size
        return (size - HEADER) / FRAME


class PostgresLog:
    """The log of a server that does nothing else; its pages have 8 KiB."""

    def __init__(self, url: str) -> None:
        import psycopg

        self._connection = psycopg.connect(url, autocommit=True)
        self._begin = 0.0

    def begin(self) -> None:
        self._begin = self._position()

    def pages(self) -> float:
        """Return how many pages the log has grown by since."""
        return self._position() - self._begin

    def _position(self) -> float:
        row = self._connection.execute("SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 / 8192").fetchone()
        assert row
        return float(row[0])


def measure(url: str, stored: int, count: int) -> dict[str, dict[str, float]]:
    """Return what an order's and a review's commit takes at the median, with `stored` orders before."""
    statements = Statements()
    if url.startswith("sqlite:"):
        statements.watch_sqlite()
    else:
        statements.watch_postgres()
    with closing(build(Settings(database_url=url, secret=SECRET, mail_url="recording:"))) as app:
        app.shops.add(NewShop(site_id="bakery", name="Bakery"))
        caller = app.shops.act_for("bakery")
        assert isinstance(caller, Actor)
        log = SqliteLog(url) if url.startswith("sqlite:") else PostgresLog(url)
        for first in range(0, stored, AT_ONCE):
            app.orders.import_many(caller, [_order(first + each) for each in range(AT_ONCE)])
        fresh = [_order(stored + each) for each in range(2 * count)]
        reported = app.orders.import_many(caller, [_order(stored + 2 * count + each) for each in range(2 * count)])
        tokens = _tokens(app, [each.invite_id for each in reported if isinstance(each, Reported)])
        orders: list[Callable[[], object]] = [lambda order=order: app.orders.report(caller, order) for order in fresh]  # type: ignore[misc]
        reviews: list[Callable[[], object]] = [
            lambda token=token: app.reviews.write(token, ReviewDraft(rating=5, text="Good bread."))  # type: ignore[misc]
            for token in tokens
        ]
        return {"order": _taken(orders, statements, log), "review": _taken(reviews, statements, log)}


def _taken(
    calls: Sequence[Callable[[], object]], statements: Statements, log: SqliteLog | PostgresLog
) -> dict[str, float]:
    """Time the first half of the calls, and count with the second half what they run and write."""
    half = len(calls) // 2
    milliseconds, run, written = [], [], []
    for call in calls[:half]:
        begin = time.perf_counter()
        call()
        milliseconds.append((time.perf_counter() - begin) * 1000)
    for call in calls[half:]:
        log.begin()
        before = statements.count
        call()
        run.append(statements.count - before)
        written.append(log.pages())
    return {"ms": median(milliseconds), "statements": sum(run) / len(run), "pages": sum(written) / len(written)}


def _order(number: int) -> OrderReport:
    return OrderReport(email=f"customer{number}@example.com", order_number=f"2026-{number:07}", delay_days=5)


def _tokens(app: Application, invite_ids: Sequence[str]) -> Sequence[str]:
    def made(work: UnitContext) -> Sequence[str]:
        return [link_token(work.ring.tokens, Purpose.REVIEW, 1, invite_id) for invite_id in invite_ids]

    return app.delivery._transactions().run(made)


def main() -> None:
    """Measure as the arguments say, and print."""
    url, stored, count = sys.argv[1:]
    print(json.dumps(measure(url, int(stored), int(count))))


if __name__ == "__main__":
    main()

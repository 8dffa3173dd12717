"""Durable orders through the library and the CSV import, against two job queues that do the same on SQLite.

The same means: a job that is known by its order, is added once, is due in five days, and is on disk when the call
returns. huey needs two commits for it (`put_if_empty`, `schedule`), APScheduler one, and so do we.

`python -m benchmarks.orders_library`
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from huey import SqliteHuey

from benchmarks.measure import Measure, Row, at_least, compared, in_turns, report
from reviewinvite_core import Caller, NewShop, OrderReport, Reported, Settings, build

DELAY = timedelta(days=5)
SITE_ID = "bakery"


def measure(*, calls: int = 300, lines: int = 30_000, repetitions: int = 7) -> Iterator[Row]:
    """Orders a second, one at a time, in turns; the import is the whole command, its start included."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        database_url = f"sqlite:///{directory}/reviewinvite.db"
        numbers = itertools.count(1)
        with closing(build(Settings(database_url=database_url))) as app:
            app.shops.add(NewShop(site_id=SITE_ID, name="Bakery"))
            caller = app.shops.act_for(SITE_ID)
            assert isinstance(caller, Caller)

            def ours(number: int) -> None:
                reported = app.orders.report(caller, OrderReport(email=_address(number), order_number=str(number)))
                assert isinstance(reported, Reported)
                assert not reported.duplicate

            huey = _huey(directory)
            scheduler = _scheduler(directory)
            figures = in_turns(
                {
                    "one at a time": _rate(ours, numbers, calls),
                    "huey": _rate(huey, numbers, calls),
                    "APScheduler": _rate(scheduler, numbers, calls),
                    "import": lambda: _import_rate(directory, database_url, numbers, lines),
                },
                repetitions,
            )
    better = [max(pair) for pair in zip(figures["huey"], figures["APScheduler"], strict=True)]
    yield compared(
        "report_order one at a time, durable; the better of huey and APScheduler",
        "orders/s",
        figures["one at a time"],
        better,
        at_least(1.5),
    )
    yield compared("order import of a CSV file; the same", "orders/s", figures["import"], better, at_least(5))


def remind(order: str) -> None:
    """What the job queues would call."""


def _huey(directory: Path) -> Callable[[int], None]:
    huey = SqliteHuey(filename=str(directory / "huey.db"), fsync=True)
    job = huey.task()(remind)

    def schedule(number: int) -> None:
        order = f"{SITE_ID}/{_address(number)}/{number}"
        assert huey.put_if_empty(order, True)  # noqa: FBT003 - as huey has it
        job.schedule(args=(order,), delay=DELAY)

    return schedule


def _scheduler(directory: Path) -> Callable[[int], None]:
    store = SQLAlchemyJobStore(url=f"sqlite:///{directory}/apscheduler.db")
    scheduler = BackgroundScheduler(jobstores={"default": store}, timezone=UTC)
    scheduler.start(paused=True)

    def schedule(number: int) -> None:
        order = f"{SITE_ID}/{_address(number)}/{number}"
        due = datetime.now(UTC) + DELAY
        scheduler.add_job("benchmarks.orders_library:remind", "date", run_date=due, args=(order,), id=order)

    return schedule


def _rate(report_one: Callable[[int], None], numbers: Iterator[int], calls: int) -> Measure:
    def rate() -> float:
        begin = time.perf_counter()
        for number in itertools.islice(numbers, calls):
            report_one(number)
        return calls / (time.perf_counter() - begin)

    return rate


def _import_rate(directory: Path, database_url: str, numbers: Iterator[int], lines: int) -> float:
    file = directory / "orders.csv"
    orders = (f"{_address(number)},{number}\n" for number in itertools.islice(numbers, lines))
    file.write_text("email,orderNumber\n" + "".join(orders))
    command = [sys.executable, "-m", "reviewinvite_cli", "--database-url", database_url, "order", "import"]
    begin = time.perf_counter()
    done = subprocess.run([*command, SITE_ID, str(file)], capture_output=True, text=True, check=True, cwd=directory)
    took = time.perf_counter() - begin
    assert done.stdout.strip() == f"{lines} new, 0 duplicate, 0 refused", done.stdout
    return lines / took


def _address(number: int) -> str:
    return f"customer{number}@example.com"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=300, help="in each repetition")
    parser.add_argument("--lines", type=int, default=30_000, help="in each imported file")
    parser.add_argument("--repetitions", type=int, default=7)
    given = parser.parse_args()
    report(measure(calls=given.calls, lines=given.lines, repetitions=given.repetitions))


if __name__ == "__main__":
    main()

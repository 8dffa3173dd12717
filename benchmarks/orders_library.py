"""Durable orders through the library and the CSV import, against two job queues that do the same on SQLite.

The same means: a job that is known by its order, is added once, is due in five days, and is on disk when the call
returns. huey needs two commits for it (`put_if_empty`, `schedule`), APScheduler one, and so do we.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.known_orders import SITE_ID, address
from benchmarks.measure import Claim, Group, Measure, Row, Sizes, at_least, compared, in_turns
from reviewinvite_core import Actor, NewShop, OrderReport, Reported, Settings, build

ONE = Claim(
    key="report-one",
    what="`app.orders.report`, one at a time, durable, SQLite",
    against="the better of huey and APScheduler",
    unit="orders/s",
    goal=at_least(1.3),
    stretch=at_least(1.5),
)
IMPORT = Claim(
    key="import-csv",
    what="`order import` of a CSV file, durable, SQLite",
    against="the better of huey and APScheduler, one at a time",
    unit="orders/s",
    goal=at_least(7),
    stretch=at_least(10),
)


def _measure(sizes: Sizes) -> Iterator[Row]:
    """Orders a second, one at a time, in turns; the import is the whole command, its start included."""
    from benchmarks.order_peers import apscheduler_scheduling, huey_scheduling  # only `nox -s bench` installs them

    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        database_url = f"sqlite:///{directory}/reviewinvite.db"
        numbers = itertools.count(1)
        with closing(build(Settings(database_url=database_url))) as app:
            app.shops.add(NewShop(site_id=SITE_ID, name="Bakery"))
            caller = app.shops.act_for(SITE_ID)
            assert isinstance(caller, Actor)

            def ours(number: int) -> None:
                reported = app.orders.report(caller, OrderReport(email=address(number), order_number=str(number)))
                assert isinstance(reported, Reported)
                assert not reported.duplicate

            huey = huey_scheduling(directory)
            scheduler = apscheduler_scheduling(directory)
            figures = in_turns(
                {
                    "one at a time": _rate(ours, numbers, sizes.calls),
                    "huey": _rate(huey, numbers, sizes.calls),
                    "APScheduler": _rate(scheduler, numbers, sizes.calls),
                    "import": lambda: _import_rate(directory, database_url, numbers, sizes.lines),
                },
                sizes.repetitions,
            )
    better = [max(pair) for pair in zip(figures["huey"], figures["APScheduler"], strict=True)]
    yield compared(ONE, figures["one at a time"], better)
    yield compared(IMPORT, figures["import"], better)


def _rate(report_one: Callable[[int], None], numbers: Iterator[int], calls: int) -> Measure:
    def rate() -> float:
        begin = time.perf_counter()
        for number in itertools.islice(numbers, calls):
            report_one(number)
        return calls / (time.perf_counter() - begin)

    return rate


def _import_rate(directory: Path, database_url: str, numbers: Iterator[int], lines: int) -> float:
    file = directory / "orders.csv"
    orders = (f"{address(number)},{number}\n" for number in itertools.islice(numbers, lines))
    file.write_text("email,orderNumber\n" + "".join(orders))
    command = [sys.executable, "-m", "reviewinvite_cli", "--database-url", database_url, "order", "import"]
    begin = time.perf_counter()
    done = subprocess.run([*command, SITE_ID, str(file)], capture_output=True, text=True, check=True, cwd=directory)
    took = time.perf_counter() - begin
    assert done.stdout.strip() == f"{lines} new, 0 duplicate, 0 refused", done.stdout
    return lines / took


def _address(number: int) -> str:
    return f"customer{number}@example.com"


GROUP = Group((ONE, IMPORT), _measure)

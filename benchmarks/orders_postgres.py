"""Durable orders on PostgreSQL: through the library against a job queue on the same server, and over HTTP.

The job queue does the same: a job that is known by its order, is added once, is due in five days, and is on disk
when the call returns.

`python -m benchmarks.orders_postgres`
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import procrastinate
import uvloop

from benchmarks.load import CONNECTIONS, generate
from benchmarks.measure import Measure, Row, at_least, compared, in_turns, report
from benchmarks.orders_http import KEYS, ORDERS_A_RUN
from benchmarks.orders_library import DELAY, SITE_ID, remind
from benchmarks.postgres import new_database, server
from benchmarks.servers import bare_server, free_port, make_keys, our_server
from reviewinvite_core import AsyncApplication, Caller, NewShop, OrderReport, Reported, build

IN_FLIGHT = 64
THREADS = 8
POOL = 8  # the connections of the job queue, as many as ours


def measure(*, calls: int = 2_000, seconds: float = 4, repetitions: int = 7) -> Iterator[Row]:
    """Orders a second of the library, then of the service, in turns."""
    with server() as url:
        yield from _library(url, calls, repetitions)
        yield from _service(url, seconds, repetitions)


def _library(server_url: str, calls: int, repetitions: int) -> Iterator[Row]:
    numbers = itertools.count(1)
    with (
        new_database(server_url) as settings,
        new_database(server_url) as of_queue,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        closing(build(settings)) as app,
        closing(AsyncApplication(app)) as together,
    ):
        app.shops.add(NewShop(site_id=SITE_ID, name="Bakery"))
        caller = app.shops.act_for(SITE_ID)
        assert isinstance(caller, Caller)
        queue = _Queue(of_queue.database_url)
        runner.run(queue.open())

        async def reported_together(number: int) -> None:
            _require_new(await together.orders.report(caller, _order(number)))

        def single(number: int) -> None:
            _require_new(app.orders.report(caller, _order(number)))

        def rate(report_one: Callable[[int], Awaitable[None]]) -> Measure:
            return lambda: runner.run(_rate_in_flight(report_one, itertools.islice(numbers, calls)))

        figures = in_turns(
            {
                "together": rate(reported_together),
                "single": lambda: _rate_of_threads(single, itertools.islice(numbers, calls)),
                "procrastinate": rate(queue.defer),
            },
            repetitions,
        )
        runner.run(queue.close())
    yield compared(
        f"PostgreSQL: report_order, durable, {IN_FLIGHT} in flight; procrastinate, as many in flight",
        "orders/s",
        figures["together"],
        figures["procrastinate"],
        at_least(3),
    )
    yield compared(
        f"PostgreSQL: report_order, {THREADS} threads, a commit each; the same",
        "orders/s",
        figures["single"],
        figures["procrastinate"],
    )


class _Queue:
    """procrastinate, on a database of its own."""

    def __init__(self, url: str) -> None:
        connector = procrastinate.PsycopgConnector(conninfo=url, min_size=POOL, max_size=POOL)
        self._app = procrastinate.App(connector=connector)
        self._job = self._app.task(name="remind")(remind)

    async def open(self) -> None:
        await self._app.open_async()
        await self._app.schema_manager.apply_schema_async()

    async def close(self) -> None:
        await self._app.close_async()

    async def defer(self, number: int) -> None:
        order = f"{SITE_ID}/{_address(number)}/{number}"
        due = datetime.now(UTC) + DELAY
        await self._job.configure(queueing_lock=order, schedule_at=due).defer_async(order=order)


async def _rate_in_flight(report_one: Callable[[int], Awaitable[None]], numbers: Iterator[int]) -> float:
    """Return the orders per second of concurrent callers; each waits for its answer before its next order."""
    done = 0

    async def one_after_the_other() -> None:
        nonlocal done
        for number in numbers:
            await report_one(number)
            done += 1

    begin = time.perf_counter()
    await asyncio.gather(*(one_after_the_other() for _ in range(IN_FLIGHT)))
    return done / (time.perf_counter() - begin)


def _rate_of_threads(report_one: Callable[[int], None], numbers: Iterator[int]) -> float:
    begin = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        done = sum(1 for _ in threads.map(report_one, numbers))
    return done / (time.perf_counter() - begin)


def _require_new(answer: object) -> None:
    assert isinstance(answer, Reported)
    assert not answer.duplicate


def _order(number: int) -> OrderReport:
    return OrderReport(email=_address(number), order_number=str(number))


def _address(number: int) -> str:
    return f"customer{number}@example.com"


def _service(server_url: str, seconds: float, repetitions: int) -> Iterator[Row]:
    """One process against the bare handler, and two on one database against one of them."""
    first_orders = itertools.count(ORDERS_A_RUN, ORDERS_A_RUN)
    with tempfile.TemporaryDirectory() as temporary, new_database(server_url) as settings:
        directory = Path(temporary)
        keys = make_keys(directory, KEYS, settings)

        def load(*ports: int, seconds: float = seconds) -> float:
            first_order = next(first_orders)
            return generate(*ports, keys=keys, seconds=seconds, first_order=first_order).requests_per_second

        one, two, bare = free_port(), free_port(), free_port()
        with (
            our_server(directory, one, settings),
            our_server(directory, two, settings),
            bare_server(bare),
        ):
            for port in (one, two, bare):
                load(port, seconds=1)
            figures = in_turns(
                {
                    "ours, requests/s": lambda: load(one),
                    "bare": lambda: load(bare),
                    "two of ours": lambda: load(one, two),
                },
                repetitions,
            )
    ours = figures["ours, requests/s"]
    yield compared(
        f"PostgreSQL: POST /v1/orders, durable, {CONNECTIONS} connections",
        "requests/s",
        ours,
        figures["bare"],
        at_least(0.35),
    )
    yield compared(
        f"PostgreSQL: two serve processes, {CONNECTIONS} connections over both, against one",
        "requests/s",
        figures["two of ours"],
        ours,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2_000, help="of the library in each repetition")
    parser.add_argument("--seconds", type=float, default=4, help="of each load on the servers")
    parser.add_argument("--repetitions", type=int, default=7)
    given = parser.parse_args()
    report(measure(calls=given.calls, seconds=given.seconds, repetitions=given.repetitions))


if __name__ == "__main__":
    main()

"""Durable orders on PostgreSQL through the library, against a job queue on the same server.

The job queue does the same: a job that is known by its order, is added once, is due in five days, and is on disk
when the call returns.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing

import uvloop

from benchmarks.known_orders import SITE_ID, address
from benchmarks.measure import Claim, Group, Measure, Row, Sizes, at_least, compared, in_turns
from benchmarks.postgres import new_database, server
from reviewinvite_core import Actor, AsyncApplication, NewShop, OrderReport, Reported, build

IN_FLIGHT = 64

REPORT = Claim(
    key="report-postgres",
    what=f"`app.orders.report`, {IN_FLIGHT} in flight, durable, PostgreSQL",
    against="procrastinate, as many in flight",
    unit="orders/s",
    goal=at_least(3),
    stretch=at_least(4),
)


def _measure(sizes: Sizes) -> Iterator[Row]:
    from benchmarks.order_peers import ProcrastinateQueue  # only `nox -s bench` installs it

    numbers = itertools.count(1)
    with (
        server() as url,
        new_database(url) as settings,
        new_database(url) as of_queue,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        closing(build(settings)) as app,
        closing(AsyncApplication(app)) as together,
    ):
        app.shops.add(NewShop(site_id=SITE_ID, name="Bakery"))
        caller = app.shops.act_for(SITE_ID)
        assert isinstance(caller, Actor)
        queue = ProcrastinateQueue(of_queue.database_url)
        runner.run(queue.open())

        async def report(number: int) -> None:
            answer = await together.orders.report(caller, OrderReport(email=address(number), order_number=str(number)))
            assert isinstance(answer, Reported)
            assert not answer.duplicate

        def rate(report_one: Callable[[int], Awaitable[None]]) -> Measure:
            return lambda: runner.run(_rate_in_flight(report_one, itertools.islice(numbers, sizes.concurrent_calls)))

        figures = in_turns({"ours": rate(report), "procrastinate": rate(queue.defer)}, sizes.repetitions)
        runner.run(queue.close())
    yield compared(REPORT, figures["ours"], figures["procrastinate"])


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


def _address(number: int) -> str:
    return f"customer{number}@example.com"


GROUP = Group((REPORT,), _measure)

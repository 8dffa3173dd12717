"""Job queues that schedule what an order needs: known by its order, added once, due in days, durable at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import procrastinate
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from huey import SqliteHuey

from benchmarks.known_orders import name

DELAY = timedelta(days=5)
POOL = 8  # the connections of procrastinate, as many as ours


def remind(order: str) -> None:
    """What the job queues would call."""


def huey_scheduling(directory: Path) -> Callable[[int], None]:
    """Return what schedules an order, in two commits: the key by which it is known, and the job."""
    huey = SqliteHuey(filename=str(directory / "huey.db"), fsync=True)
    job = huey.task()(remind)

    def schedule(number: int) -> None:
        order = name(number)
        assert huey.put_if_empty(order, True)  # noqa: FBT003 - as huey has it
        job.schedule(args=(order,), delay=DELAY)

    return schedule


def apscheduler_scheduling(directory: Path) -> Callable[[int], None]:
    """Return what schedules an order, in one commit."""
    store = SQLAlchemyJobStore(url=f"sqlite:///{directory}/apscheduler.db")
    scheduler = BackgroundScheduler(jobstores={"default": store}, timezone=UTC)
    scheduler.start(paused=True)

    def schedule(number: int) -> None:
        order = name(number)
        due = datetime.now(UTC) + DELAY
        scheduler.add_job("benchmarks.order_peers:remind", "date", run_date=due, args=(order,), id=order)

    return schedule


class ProcrastinateQueue:
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
        order = name(number)
        due = datetime.now(UTC) + DELAY
        await self._job.configure(queueing_lock=order, schedule_at=due).defer_async(order=order)

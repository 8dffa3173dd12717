"""Values as they are when Prometheus asks for them; all are in memory.

What only storage knows is read in the background: a database that hangs delays no answer of `/metrics`.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

import attrs
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from reviewinvite_core import Application, ApplicationClosed, AsyncApplication, ConfigurationError, StorageUnavailable
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_core.domain.jobs import Job
from reviewinvite_core.ports import Connections
from reviewinvite_core.values import Backlog

EVERY_SECONDS = 15.0
"""Time between two readings of storage."""

_BACKLOG = {
    "due": "Invitations due in the whole database, counted up to 100,000.",
    "oldest_due_seconds": "How long the longest due invitation has been due; 0 if none is.",
    "waiting_retry": "Invitations and messages that were tried in vain and wait to be tried again, up to 100,000.",
    "oldest_first_due_seconds": "How long ago the invitation that waits longest was first due; 0 if none waits.",
    "stuck": "Invitations and messages that have been with a worker for more than 5 minutes, up to 1,000.",
    "uncertain": "Invitations that wait for an operator's word, counted up to 1,000.",
    "relay_refuses": "1 in an outage: the mail server refuses all mail, or cannot be reached.",
    "deliveries_paused": "1 if nothing is delivered because the database may be an older copy.",
}
_WORKERS = "Workers of all processes on this database: those that beat, and those that stopped to without a clean stop."
_CONNECTIONS = "Connections of this process to PostgreSQL: open, in use or being opened, and waited for."

_log = get_logger("reviewinvite.http")


@attrs.frozen
class Reading:
    """What storage said, and when by a monotonic clock."""

    backlog: Backlog
    is_paused: bool
    at: float


@attrs.frozen
class JobReading:
    """How long ago a job last succeeded, in seconds, infinite for never; and whether it failed since."""

    age_seconds: float
    has_failed: bool


class StorageReader:
    """Reads an application's storage every 15 seconds, on a thread that ends with the process."""

    def __init__(self, app: Application, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Begin to read."""
        self._app = app
        self.newest: Reading | None = None
        self._await_jobs()
        self._monotonic = monotonic
        self._began = monotonic()
        self._stop = threading.Event()
        threading.Thread(target=self._read_all, name="metrics-reader", daemon=True).start()

    @property
    def age_seconds(self) -> float:
        """Seconds since the newest reading, or since the start if there is none."""
        return self._monotonic() - (self.newest.at if self.newest else self._began)

    def job(self, job: Job) -> JobReading:
        """Return what the file of this job says now; one that cannot be read tells of no success."""
        try:
            state = self._app.jobs.state(job)
        except ConfigurationError:
            return JobReading(math.inf, has_failed=False)
        age = state.age(self._app.now())
        return JobReading(math.inf if age is None else age.total_seconds(), state.has_failed)

    def _await_jobs(self) -> None:
        """Let the age of what was never done count from now on, if it does not yet."""
        for job in Job:
            with suppress(ConfigurationError):
                self._app.jobs.await_first(job)

    def stop(self) -> None:
        """Read no more; do not wait for a reading in progress."""
        self._stop.set()

    def _read_all(self) -> None:
        while not self._stop.is_set():
            try:
                self.newest = self._read()
            except (StorageUnavailable, ApplicationClosed):  # requests log it; here, the age of the reading says so
                pass
            except Exception as error:  # its text may contain anything
                _log.error("metrics cannot read storage", cause=type(error).__name__)
            self._stop.wait(EVERY_SECONDS)

    def _read(self) -> Reading:
        at = self._monotonic()
        return Reading(self._app.delivery.backlog(), self._is_paused(), at)

    def _is_paused(self) -> bool:
        try:
            return self._app.delivery.paused() is not None
        except ConfigurationError:  # the high-water mark cannot be read
            return True


@attrs.define(eq=False)
class Gauges(Collector):
    """What a process shows besides its counters; each part is None until there is one."""

    reader: StorageReader | None = None
    connections: Callable[[], Connections | None] = lambda: None
    app: AsyncApplication | None = None
    is_worker_running: Callable[[], bool] | None = None

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the metrics with their present values."""
        yield from self._of_storage()
        yield from self._of_pools()
        yield GaugeMetricFamily(
            "reviewinvite_worker_running",
            "1 if the deliveries of this process run, 0 if they ended or it has none.",
            float(self.is_worker_running() if self.is_worker_running else 0),
        )

    def _of_storage(self) -> Iterator[GaugeMetricFamily]:
        if self.reader is None:
            return
        yield GaugeMetricFamily(
            "reviewinvite_storage_reading_age_seconds",
            "Age of the reading that the figures about what waits, and about workers, come from.",
            self.reader.age_seconds,
        )
        if reading := self.reader.newest:
            backlog = reading.backlog
            values: Sequence[float] = (
                *(backlog.due, backlog.oldest_due.total_seconds(), backlog.waiting_retry),
                *(backlog.oldest_first_due.total_seconds(), backlog.stuck, backlog.uncertain),
                *(backlog.relay_refuses, reading.is_paused),
            )
            for (name, help_text), value in zip(_BACKLOG.items(), values, strict=True):
                yield GaugeMetricFamily(f"reviewinvite_{name}", help_text, float(value))
            workers = GaugeMetricFamily("reviewinvite_workers", _WORKERS, labels=["state"])
            workers.add_metric(["alive"], backlog.workers)
            workers.add_metric(["missing"], backlog.workers_missing)
            yield workers
        for job in Job:
            last = self.reader.job(job)
            yield GaugeMetricFamily(
                f"reviewinvite_{job}_age_seconds",
                f"Time since a {job} succeeded, or since it is awaited.",
                last.age_seconds,
            )
            yield GaugeMetricFamily(
                f"reviewinvite_{job}_failed", f"1 if the last {job} failed.", float(last.has_failed)
            )

    def _of_pools(self) -> Iterator[GaugeMetricFamily]:
        if figures := self.connections():
            family = GaugeMetricFamily("reviewinvite_database_connections", _CONNECTIONS, labels=["state"])
            family.add_metric(["open"], figures.open)
            family.add_metric(["in_use"], figures.in_use)
            family.add_metric(["waiting"], figures.waiting)
            yield family
        if self.app:
            family = GaugeMetricFamily(
                "reviewinvite_reads", "Reads of storage on the reader threads: running and waiting.", labels=["state"]
            )
            family.add_metric(["running"], self.app.readers.running)
            family.add_metric(["waiting"], self.app.readers.waiting)
            yield family

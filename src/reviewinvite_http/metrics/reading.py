"""What only storage knows, read in the background: a database that hangs delays no answer of `/metrics`."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import attrs

from reviewinvite_core import Application, ApplicationClosed, ConfigurationError, StorageUnavailable
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_core.domain.jobs import Job
from reviewinvite_core.values import Backlog

EVERY_SECONDS = 15.0

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

"""`GET /healthz`: the process answers. `GET /readyz`: it can do its work. Spec: §4."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future
from contextlib import suppress

from litestar import route
from litestar.di import NamedDependency

from reviewinvite_core import ConfigurationError, StorageUnavailable
from reviewinvite_http.context import ServerContext
from reviewinvite_http.operations import ApiOperation, refusals
from reviewinvite_http.requests import READ
from reviewinvite_http.schemas.health import DeliveryStatus, Health, Readiness

READY_SECONDS = 8.0  # a database that is silent, and not gone, would never be heard of

TAGS = ["Health"]


class ReadinessProbe:
    """Checks storage; concurrent requests share one check.

    Each check has a thread of its own, which ends with the process: an executor's would be waited for at its end.
    """

    def __init__(self, server: ServerContext) -> None:
        self._server = server
        self._newest: Future[Readiness] = Future()
        self._given_up_at = 0.0

    async def readiness(self) -> Readiness:
        """Return how storage is, and what deliveries do.

        Raises: `StorageUnavailable`, also if that cannot be told in time.
        """
        if self._newest.done() or time.monotonic() >= self._given_up_at:
            self._newest = Future()
            self._given_up_at = time.monotonic() + READY_SECONDS
            threading.Thread(target=self._check, args=(self._newest,), name="readiness", daemon=True).start()
        check, loop, done = self._newest, asyncio.get_running_loop(), asyncio.Event()

        def wake(_: object) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(done.set)

        check.add_done_callback(wake)
        try:
            await asyncio.wait_for(done.wait(), READY_SECONDS)
        except TimeoutError:
            raise StorageUnavailable("no answer in time") from None
        return check.result()

    def _check(self, answer: Future[Readiness]) -> None:
        try:
            condition = self._server.app.sync.check_ready()
            delivery, reason = self._delivery()
            answer.set_result(Readiness(storage=condition, delivery=delivery, reason=reason))
        except Exception as error:  # it belongs to whoever asked
            answer.set_exception(error)

    def _delivery(self) -> tuple[DeliveryStatus, str | None]:
        """Return what deliveries do, and why if they are paused."""
        if not self._server.worker:
            return "off", None
        if self._server.worker_ended:
            return "stopped", None
        reason = self._pause()
        return ("paused" if reason else "running"), reason

    def _pause(self) -> str | None:
        try:
            return self._server.app.sync.delivery.paused()
        except ConfigurationError:  # its words hold a path, which is for the log alone
            return "mark_unreadable"


@route(
    "/healthz",
    http_method=READ,
    operation_class=ApiOperation,
    tags=TAGS,
    summary="Whether the process answers",
    responses=refusals(),
)
async def health() -> Health:
    """It asks nothing of storage."""
    return Health()


@route(
    "/readyz",
    http_method=READ,
    operation_class=ApiOperation,
    tags=TAGS,
    summary="Whether storage, its schema and the keys are in order",
    responses=refusals(503),
)
async def readiness(probe: NamedDependency[ReadinessProbe]) -> Readiness:
    """It also says what deliveries do, and why they are paused if they are."""
    return await probe.readiness()

"""`GET /healthz`: the process responds. `GET /readyz`: it can do its work. Spec: §4."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future
from contextlib import suppress

from litestar import Router, route
from litestar.di import NamedDependency

from reviewinvite_core import ConfigurationError, StorageUnavailable
from reviewinvite_core.ports import Condition as StorageCondition
from reviewinvite_core.wire.health import Condition, Connections, DeliveryStatus, Health, Readiness
from reviewinvite_http.context import ServerContext
from reviewinvite_http.openapi.operations import ApiOperation, refusals
from reviewinvite_http.requests import READ

READY_SECONDS = 8.0  # a database that hangs without closing its connections would never be reported


class ReadinessProbe:
    """Checks storage; concurrent requests share one check.

    Each check has its own thread, which ends with the process; an executor would wait for its threads at exit.
    """

    def __init__(self, server: ServerContext) -> None:
        self._server = server
        self._newest: Future[Readiness] = Future()
        self._given_up_at = 0.0

    async def readiness(self) -> Readiness:
        """Return the condition of storage and of deliveries.

        Raises: `StorageUnavailable`, also if the check takes too long.
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
            answer.set_result(Readiness(storage=_shown(condition), delivery=delivery, reason=reason))
        except Exception as error:  # it belongs to the caller
            answer.set_exception(error)

    def _delivery(self) -> tuple[DeliveryStatus, str | None]:
        """Return the status of deliveries, and the reason if they are paused."""
        if not self._server.worker:
            return "off", None
        if self._server.worker_ended:
            return "stopped", None
        reason = self._pause()
        return ("paused" if reason else "running"), reason

    def _pause(self) -> str | None:
        try:
            return self._server.app.sync.delivery.paused()
        except ConfigurationError:  # its text holds a path, which belongs in the log only
            return "mark_unreadable"


def _shown(condition: StorageCondition) -> Condition:
    counts = condition.connections
    return Condition(engine=condition.engine, connections=Connections.taken_from(counts) if counts else None)


@route(
    "/healthz",
    http_method=READ,
    operation_class=ApiOperation,
    summary="Check that the process responds",
    responses=refusals(),
)
async def health() -> Health:
    """Check that the process responds, without using storage."""
    return Health()


@route(
    "/readyz",
    http_method=READ,
    operation_class=ApiOperation,
    summary="Check that the service is ready",
    responses=refusals(503),
)
async def readiness(probe: NamedDependency[ReadinessProbe]) -> Readiness:
    """Check storage, its schema and the keys, and after a failed write also that writing works again.

    The response also gives the status of deliveries, and the reason if they are paused.
    """
    return await probe.readiness()


HEALTH = Router("/", route_handlers=[health, readiness], tags=["Health"])

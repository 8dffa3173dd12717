"""`GET /healthz`: the process answers. `GET /readyz`: it can do its work. Spec: §4."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future
from contextlib import suppress

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_core import ConfigurationError, StorageUnavailable
from reviewinvite_http.answers import JsonAnswer
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.wire import Readiness, encode_readiness

READY_SECONDS = 8.0  # a database that is silent, and not gone, would never be heard of


class ReadinessProbe:
    """Looks at storage, each shared by all who ask while it lasts.

    Each has a thread of its own, which ends with the process: those of an executor are waited for at its end.
    """

    def __init__(self, edge: ServerContext) -> None:
        self._edge = edge
        self._newest: Future[Readiness] = Future()
        self._given_up_at = 0.0

    async def readiness(self) -> Readiness:
        """How storage is, and what deliveries do.

        Raises: `StorageUnavailable`, also if that cannot be told in time.
        """
        if self._newest.done() or time.monotonic() >= self._given_up_at:
            self._newest = Future()
            self._given_up_at = time.monotonic() + READY_SECONDS
            threading.Thread(target=self._look, args=(self._newest,), name="readiness", daemon=True).start()
        look, loop, seen = self._newest, asyncio.get_running_loop(), asyncio.Event()

        def wake(_: object) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(seen.set)

        look.add_done_callback(wake)
        try:
            await asyncio.wait_for(seen.wait(), READY_SECONDS)
        except TimeoutError:
            raise StorageUnavailable("no answer in time") from None
        return look.result()

    def _look(self, answer: Future[Readiness]) -> None:
        try:
            condition = self._edge.app.check_ready()
            delivery, reason = self._delivery()
            answer.set_result(Readiness(condition=condition, delivery=delivery, reason=reason))
        except Exception as error:  # it belongs to whoever asked
            answer.set_exception(error)

    def _delivery(self) -> tuple[str, str | None]:
        """What deliveries do, and why where they are paused."""
        if not self._edge.worker:
            return "off", None
        if self._edge.worker_ended:
            return "stopped", None
        reason = self._pause()
        return ("paused" if reason else "running"), reason

    def _pause(self) -> str | None:
        try:
            return self._edge.app.delivery.paused()
        except ConfigurationError:  # its words hold a path, which is for the log alone
            return "mark_unreadable"


def health_routes(edge: ServerContext) -> list[HTTPRouteHandler]:
    """The routes that tell an operator's tools how the service is."""
    looks = ReadinessProbe(edge)

    @route("/healthz", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def healthz() -> ASGIApp:
        return JsonAnswer(200, b'{"status":"ok"}')

    @route("/readyz", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def readyz() -> ASGIApp:
        return JsonAnswer(200, encode_readiness(await looks.readiness()))

    return [healthz, readyz]

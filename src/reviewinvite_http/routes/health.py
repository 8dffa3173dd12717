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

from reviewinvite_core import Application, Condition, StorageUnavailable
from reviewinvite_http.answers import JsonAnswer
from reviewinvite_http.edge import Edge
from reviewinvite_http.wire import encode_readiness

READY_SECONDS = 8.0  # a database that is silent, and not gone, would never be heard of


class Looks:
    """Looks at storage, each shared by all who ask while it lasts.

    Each has a thread of its own, which ends with the process: those of an executor are waited for at its end.
    """

    def __init__(self, app: Application) -> None:
        self._app = app
        self._newest: Future[Condition] = Future()
        self._given_up_at = 0.0

    async def condition(self) -> Condition:
        """How storage is.

        Raises: `StorageUnavailable`, also where that cannot be told in time.
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

    def _look(self, answer: Future[Condition]) -> None:
        try:
            answer.set_result(self._app.check_ready())
        except Exception as error:  # it belongs to whoever asked
            answer.set_exception(error)


def health_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """The routes that tell an operator's tools how the service is."""
    looks = Looks(edge.app)

    @route("/healthz", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def healthz() -> ASGIApp:
        return JsonAnswer(200, b'{"status":"ok"}')

    @route("/readyz", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def readyz() -> ASGIApp:
        return JsonAnswer(200, encode_readiness(await looks.condition()))

    return [healthz, readyz]

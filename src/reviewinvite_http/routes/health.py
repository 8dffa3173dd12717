"""`GET /healthz`: the process answers. `GET /readyz`: it can do its work. Spec: §4."""

from __future__ import annotations

import asyncio

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_core import StorageUnavailable
from reviewinvite_http.answers import JsonAnswer
from reviewinvite_http.edge import Edge
from reviewinvite_http.wire import encode_readiness

READY_SECONDS = 8.0  # a database that is silent, and not gone, would never be heard of


def health_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """The routes that tell an operator's tools how the service is."""

    @route("/healthz", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def healthz() -> ASGIApp:
        return JsonAnswer(200, b'{"status":"ok"}')

    @route("/readyz", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def readyz() -> ASGIApp:
        try:
            condition = await asyncio.wait_for(asyncio.to_thread(edge.app.check_ready), READY_SECONDS)
        except TimeoutError:
            raise StorageUnavailable("no answer in time") from None
        return JsonAnswer(200, encode_readiness(condition))

    return [healthz, readyz]

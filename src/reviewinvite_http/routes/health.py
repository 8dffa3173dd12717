"""`GET /healthz`: the process answers. `GET /readyz`: it can do its work. Spec: §4."""

from __future__ import annotations

import asyncio

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_http.answers import JsonAnswer
from reviewinvite_http.edge import Edge
from reviewinvite_http.wire import encode_readiness


def health_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """The routes that tell an operator's tools how the service is."""

    @route("/healthz", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def healthz() -> ASGIApp:
        return JsonAnswer(200, b'{"status":"ok"}')

    @route("/readyz", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def readyz() -> ASGIApp:
        condition = await asyncio.to_thread(edge.app.check_ready)
        return JsonAnswer(200, encode_readiness(condition))

    return [healthz, readyz]

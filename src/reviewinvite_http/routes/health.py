"""`GET /healthz`: the process answers. `GET /readyz`: it can do its work. Spec: §4."""

from __future__ import annotations

import asyncio

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.response.base import ASGIResponse

from reviewinvite_http.answers import json_answer
from reviewinvite_http.edge import Edge


def health_routes(edge: Edge) -> list[HTTPRouteHandler]:
    """The routes that tell an operator's tools how the service is."""

    @get("/healthz")
    async def healthz() -> ASGIResponse:
        return json_answer(200, b'{"status":"ok"}')

    @get("/readyz")
    async def readyz() -> ASGIResponse:
        await asyncio.to_thread(edge.app.check_ready)
        return json_answer(200, b'{"status":"ready"}')

    return [healthz, readyz]

"""`GET /v1/openapi.json`: the API described for programs."""

from __future__ import annotations

import json

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_http.answers import JsonAnswer
from reviewinvite_http.openapi import DESCRIPTION


def description_routes() -> list[HTTPRouteHandler]:
    """The route of the OpenAPI description."""
    body = json.dumps(DESCRIPTION, ensure_ascii=False, indent=2).encode()

    @get("/v1/openapi.json")
    async def openapi() -> ASGIApp:
        return JsonAnswer(200, body)

    return [openapi]

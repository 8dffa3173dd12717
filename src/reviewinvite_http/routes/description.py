"""`GET /v1/openapi.json`: the API described for programs."""

from __future__ import annotations

import json

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_http.answers import JsonAnswer
from reviewinvite_http.openapi import DESCRIPTION


def description_routes() -> list[HTTPRouteHandler]:
    """The route of the OpenAPI description."""
    body = json.dumps(DESCRIPTION, ensure_ascii=False, indent=2).encode()

    @route("/v1/openapi.json", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def openapi() -> ASGIApp:
        return JsonAnswer(200, body)

    return [openapi]

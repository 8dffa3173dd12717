"""The ASGI application: routes, and what becomes of what they do not answer themselves."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import structlog
from litestar import Litestar, Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, Receive, Scope, Send

from reviewinvite_core import StorageUnavailable
from reviewinvite_http.answers import error_answer, error_response
from reviewinvite_http.edge import Edge
from reviewinvite_http.errors import refusal_answer, status_answer
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.routes.description import description_routes
from reviewinvite_http.routes.health import health_routes
from reviewinvite_http.routes.orders import order_routes

_log = structlog.get_logger("reviewinvite.http")


def create_app(edge: Edge) -> ASGIApp:
    """The HTTP API over an edge. Whoever makes the edge closes it.

    A request that is still unanswered when the server's patience with it ends is told to come again.
    """
    routes = _routes(edge)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await routes(scope, receive, send)
        except asyncio.CancelledError:
            ending = StorageUnavailable("shutting down")
            with suppress(RuntimeError):  # its answer had begun
                await error_answer(refusal_answer(ending, next_request_id()))(scope, receive, send)

    return answer


def _routes(edge: Edge) -> Litestar:

    def http_refusal(_: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
        headers = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
        return error_response(status_answer(error.status_code, next_request_id(), headers))

    def storage_away(request: Request[Any, Any, Any], error: StorageUnavailable) -> Response[bytes]:
        request_id = next_request_id()
        _log.warning("storage unavailable", path=request.url.path, requestId=request_id, cause=str(error))
        return error_response(refusal_answer(error, request_id))

    def fault(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
        request_id = next_request_id()
        _log.error("internal error", path=request.url.path, requestId=request_id, exc_info=error)
        return error_response(status_answer(500, request_id))

    return Litestar(
        route_handlers=[*order_routes(edge), *health_routes(edge), *description_routes()],
        exception_handlers={
            HTTPException: http_refusal,
            StorageUnavailable: storage_away,
            Exception: fault,
        },
        openapi_config=None,
        logging_config=None,
    )

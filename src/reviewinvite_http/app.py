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
from reviewinvite_http.errors import ErrorAnswer, refusal_answer, status_answer
from reviewinvite_http.pages.page import is_page, problem_page, without_token
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.routes.description import description_routes
from reviewinvite_http.routes.health import health_routes
from reviewinvite_http.routes.orders import order_routes
from reviewinvite_http.routes.unsubscribe import unsubscribe_routes

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
            told = refusal_answer(ending, next_request_id())
            last = problem_page(told) if is_page(scope["path"]) else error_answer(told)
            with suppress(RuntimeError):  # its answer had begun
                await last(scope, receive, send)

    return answer


def _routes(edge: Edge) -> Litestar:

    def http_refusal(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
        headers = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
        return _response(request, status_answer(error.status_code, next_request_id(), headers))

    def storage_away(request: Request[Any, Any, Any], error: StorageUnavailable) -> Response[bytes]:
        request_id = next_request_id()
        _log.warning(
            "storage unavailable", path=without_token(request.url.path), requestId=request_id, cause=str(error)
        )
        return _response(request, refusal_answer(error, request_id), request_id)

    def fault(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
        request_id = next_request_id()
        _log.error("internal error", path=without_token(request.url.path), requestId=request_id, exc_info=error)
        return _response(request, status_answer(500, request_id), request_id)

    return Litestar(
        route_handlers=[
            *order_routes(edge),
            *unsubscribe_routes(edge),
            *health_routes(edge),
            *description_routes(),
        ],
        exception_handlers={
            HTTPException: http_refusal,
            StorageUnavailable: storage_away,
            Exception: fault,
        },
        openapi_config=None,
        logging_config=None,
    )


def _response(request: Request[Any, Any, Any], answer: ErrorAnswer, request_id: str | None = None) -> Response[bytes]:
    """A refusal or failure as whoever asked can read it: people a page, programs JSON."""
    if is_page(request.url.path):
        return problem_page(answer, request_id).as_response()
    return error_response(answer)

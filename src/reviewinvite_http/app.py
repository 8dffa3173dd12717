"""The ASGI application: routes, and what becomes of what they do not answer themselves."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from litestar import Litestar, Request
from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, Receive, Scope, Send

from reviewinvite_core import StorageUnavailable
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_http.answers import Ready, error_answer
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.cors import readable_by_pages
from reviewinvite_http.endpoints import DirectWays, Endpoint
from reviewinvite_http.errors import ErrorAnswer, refusal_answer, status_answer
from reviewinvite_http.pages.page import is_page, problem_page, without_token
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.routes.description import description_routes
from reviewinvite_http.routes.health import health_routes
from reviewinvite_http.routes.merchant import merchant_routes
from reviewinvite_http.routes.orders import order_endpoint
from reviewinvite_http.routes.profile import profile_routes
from reviewinvite_http.routes.public_keys import public_key_routes
from reviewinvite_http.routes.review import review_routes
from reviewinvite_http.routes.snippet import snippet_endpoint, snippet_preflight
from reviewinvite_http.routes.snippet_script import snippet_script_routes
from reviewinvite_http.routes.unsubscribe import unsubscribe_routes
from reviewinvite_http.routes.verify import verify_endpoint, verify_preflight
from reviewinvite_http.routes.widget import widget_endpoint
from reviewinvite_http.scripts import EMPTY_SCRIPT, is_script

_log = get_logger("reviewinvite.http")


def create_app(edge: ServerContext) -> ASGIApp:
    """The HTTP API over an edge. Whoever makes the edge closes it.

    A request that is still unanswered when the server's patience with it ends is told to come again.
    """
    endpoints = _endpoints(edge)
    ways, routes = DirectWays(endpoints), _routes(edge, endpoints)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:  # other servers than ours also tell of their start and end
            await routes(scope, receive, send)
            return
        send = readable_by_pages(scope["path"], send)
        answering = ways.answering(scope)
        try:
            if answering is None:
                await routes(scope, receive, send)
                return
            try:
                told = await answering(scope, receive)
            except Exception as error:  # as Litestar has it answered
                told = _answer_to(error, scope["path"])
            await told(scope, receive, send)
        except asyncio.CancelledError:
            ending = StorageUnavailable("shutting down")
            last = _last_answer(scope["path"], refusal_answer(ending, next_request_id()))
            with suppress(RuntimeError):  # its answer had begun
                await last(scope, receive, send)

    return answer


def _endpoints(edge: ServerContext) -> list[Endpoint]:
    """What nearly all requests are for."""
    return [order_endpoint(edge), snippet_endpoint(edge), verify_endpoint(edge), widget_endpoint(edge)]


def _routes(edge: ServerContext, endpoints: Iterable[Endpoint]) -> Litestar:
    """All there is, these endpoints too."""

    def answered(request: Request[Any, Any, Any], error: Exception) -> Ready:
        return Ready(_answer_to(error, request.scope["path"]))

    return Litestar(
        route_handlers=[
            snippet_preflight(),  # before the routes of these paths, or Litestar would make an OPTIONS of its own
            verify_preflight(),
            *(endpoint.as_route() for endpoint in endpoints),
            *merchant_routes(edge),
            *snippet_script_routes(edge),
            *review_routes(edge),
            *unsubscribe_routes(edge),
            *public_key_routes(edge),
            *profile_routes(edge),
            *health_routes(edge),
            *description_routes(),
        ],
        exception_handlers={HTTPException: answered, Exception: answered},
        openapi_config=None,
        logging_config=None,
    )


def _answer_to(error: Exception, path: str) -> ASGIApp:
    """What is answered where a route raised; a failure of ours is logged."""
    request_id = next_request_id()
    match error:
        case HTTPException():
            headers = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
            return _told(path, status_answer(error.status_code, request_id, headers))
        case StorageUnavailable():
            _log.warning("storage unavailable", path=without_token(path), requestId=request_id, cause=str(error))
            return _failure(path, refusal_answer(error, request_id), request_id)
        case _:
            # The text and no more: a log that is handed the frames may write what their variables hold, keys and
            # addresses.
            told = "".join(traceback.format_exception(error))
            _log.error("internal error", path=without_token(path), requestId=request_id, exception=told)
            return _failure(path, status_answer(500, request_id), request_id)


def _last_answer(path: str, told: ErrorAnswer) -> ASGIApp:
    """What is told to whoever waits when the service ends."""
    if is_script(path):
        return EMPTY_SCRIPT
    return problem_page(told) if is_page(path) else error_answer(told)


def _failure(path: str, answer: ErrorAnswer, request_id: str) -> ASGIApp:
    """A failure of ours as whoever asked can read it; to a shop's page it is no error at all, only no script."""
    return EMPTY_SCRIPT if is_script(path) else _told(path, answer, request_id)


def _told(path: str, answer: ErrorAnswer, request_id: str | None = None) -> ASGIApp:
    """A refusal or failure as whoever asked can read it: people a page, programs JSON."""
    return problem_page(answer, request_id) if is_page(path) else error_answer(answer)

"""Turn exceptions from handlers into responses. Spec: §7."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, ExceptionHandlersMap, Message, Receive, Scope, Send
from litestar.utils import normalize_path

from reviewinvite_core import ApplicationClosed, Refused, StorageUnavailable
from reviewinvite_http.cors import add_cors_headers
from reviewinvite_http.dashboard.address import address_of, is_dashboard
from reviewinvite_http.dashboard.problems import answer_http_exception as answer_on_dashboard, failure_page
from reviewinvite_http.errors import ErrorAnswer, refusal_answer, status_answer
from reviewinvite_http.exchanges import complete_response, note_client_gone, note_code
from reviewinvite_http.log import log_fault, log_unavailable
from reviewinvite_http.pages.page import is_mistyped_page, is_page, problem_page, unsent_page
from reviewinvite_http.pages.review.form import decode_review, submitted_in
from reviewinvite_http.requests import AnyRequest, header, request_id_of, routed_path
from reviewinvite_http.responses import error_response
from reviewinvite_http.widget.scripts import empty_script, is_script


def answer_refusal(request: AnyRequest, refused: Refused) -> Response[Any]:
    """Return the response to a refusal by a use case; only the JSON API and `/metrics` raise `Refused`."""
    return _error_response(request, refusal_answer(refused.refusal, request_id_of(request.scope)))


def answer_http_exception(request: AnyRequest, error: HTTPException) -> Response[Any]:
    """Return the response to an error of Litestar or a handler, such as an unknown path or a body that is too large."""
    if error.status_code >= 500 and error.__cause__:  # one of our dependencies failed; no cause: the client went away
        return answer_fault(request, error)
    if error.status_code >= 500:
        note_client_gone(request.scope)
    allowed = (error.headers or {}).get("allow")
    headers = {"allow": ", ".join(sorted(allowed.split(", ")))} if allowed else {}  # Litestar's order is any
    answer = status_answer(error.status_code, request_id_of(request.scope), headers)
    path = routed_path(request.scope)
    if error.status_code == 405:
        _note_route(request, path)
    if is_dashboard(path):
        return answer_on_dashboard(request, error)
    if is_script(path) and error.status_code == 400:  # for example, a malformed Host; a wrong name is 404
        return empty_script()
    is_read = is_page(path) or is_mistyped_page(path, header(request, "accept") or "")
    return (
        problem_page(answer, header(request, "accept-language") or "") if is_read else _error_response(request, answer)
    )


def _note_route(request: AnyRequest, path: str) -> None:
    """Note the template of a path that does not take this method: Litestar sets it only with a handler's method.

    Each path takes OPTIONS.
    """
    with suppress(HTTPException):
        *_, template = request.app.asgi_router.handle_routing(normalize_path(path), "OPTIONS")
        request.scope["path_template"] = template


def answer_storage_unavailable(request: AnyRequest, error: StorageUnavailable | ApplicationClosed) -> Response[Any]:
    """Return the response if storage is unavailable, and log the failure."""
    log_unavailable(request.scope, error)
    request_id = request_id_of(request.scope)
    return _failure(request, refusal_answer(error, request_id), request_id)


def answer_fault(request: AnyRequest, error: Exception) -> Response[Any]:
    """Return the response to an unexpected exception, and log where it happened."""
    log_fault(request.scope, error)
    request_id = request_id_of(request.scope)
    return _failure(request, status_answer(500, request_id), request_id)


def _failure(request: AnyRequest, answer: ErrorAnswer, request_id: str) -> Response[Any]:
    """Return a server error in the form that the path needs: a script, a page, or JSON.

    If a submitted review was not stored, the page holds it, ready to be sent again: going back may lose it.
    """
    path = routed_path(request.scope)
    if is_script(path):
        return empty_script()
    if is_dashboard(path):
        return failure_page(request, answer.status)
    if submitted := submitted_in(request.scope):
        return unsent_page(answer, request_id, decode_review(submitted.body), submitted.language)
    if is_page(path):
        return problem_page(answer, header(request, "accept-language") or "", request_id)
    return _error_response(request, answer)


def _error_response(request: AnyRequest, answer: ErrorAnswer) -> Response[Any]:
    note_code(request.scope, answer.body.code)
    return error_response(answer, address_of(request).base_url, header(request, "accept"))


EXCEPTION_HANDLERS: ExceptionHandlersMap = {
    Refused: answer_refusal,
    StorageUnavailable: answer_storage_unavailable,
    ApplicationClosed: answer_storage_unavailable,
    HTTPException: answer_http_exception,
    Exception: answer_fault,
}


def answer_at_deadline(app: ASGIApp) -> ASGIApp:
    """Wrap the application so that requests cancelled at the shutdown deadline get 503, or an empty script.

    A request whose response has begun gets nothing more.
    """

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        except asyncio.CancelledError:
            request: AnyRequest = Request(scope, receive, send)
            request_id = request_id_of(scope)
            response = _failure(request, refusal_answer(StorageUnavailable("shutting down"), request_id), request_id)

            async def send_last(message: Message) -> None:
                await add_cors_headers(message, scope)
                await complete_response(message, scope)
                await send(message)

            with suppress(RuntimeError):  # its response had begun
                await response.to_asgi_response(app=None, request=request)(scope, receive, send_last)

    return answering

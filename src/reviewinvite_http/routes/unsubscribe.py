"""`GET /u/<token>` and `POST /u/<token>`: a customer opts out. Spec: §4 (Pages), §6 (Links), RFC 8058."""

from __future__ import annotations

from email.parser import BytesParser
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from litestar import HttpMethod, Request, post, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_core import Application, Reach, Subscription
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.errors import status_answer
from reviewinvite_http.pages.page import Page, chosen_language, page, problem_page
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.requests import header, read_body

EVERYWHERE = ("everywhere", "yes")


def unsubscribe_routes(edge: ServerContext) -> list[HTTPRouteHandler]:
    """The page behind the link to opt out."""

    @route("/u/{token:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def show(request: Request[Any, Any, Any]) -> ASGIApp:
        """Ask first: whoever only looks, as mail scanners do, changes nothing."""
        return await edge.readers.run(partial(_shown, edge.app, _token(request), _query(request)))

    @post("/u/{token:str}")
    async def stop(request: Request[Any, Any, Any]) -> ASGIApp:
        """Opt out. The button of the page and the one click of a mail program are the same request."""
        token, body = _token(request), await read_body(request.receive)
        reach = reach_of(header(request.scope, b"content-type") or "", body)
        if await edge.readers.run(partial(edge.app.show_subscription, token)) is None:  # so that it costs no write
            return _unknown()
        subscription = await edge.commit(edge.app.unsubscribe, token, reach)
        return await edge.readers.run(partial(_page, subscription, _query(request)))

    return [show, stop]


def reach_of(content_type: str, body: bytes) -> Reach:
    """Which shops the form in `body` is about; one that says nothing, or cannot be read, is about the link's own."""
    if content_type.partition(";")[0].strip().lower() == "multipart/form-data":
        everywhere = EVERYWHERE in _fields_of_multipart(content_type, body)
    else:
        everywhere = EVERYWHERE in parse_qsl(body.decode("utf-8", "replace"))
    return Reach.EVERY_SHOP if everywhere else Reach.THIS_SHOP


def _fields_of_multipart(content_type: str, body: bytes) -> list[tuple[object, str]]:
    head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
    parts = [part for part in BytesParser().parsebytes(head + body).walk() if not part.is_multipart()]
    return [(part.get_param("name", header="content-disposition"), str(part.get_payload()).strip()) for part in parts]


def _shown(app: Application, token: str, query: str) -> Page:
    return _page(app.show_subscription(token), query)


def _page(subscription: Subscription | None, query: str) -> Page:
    if subscription is None:
        return _unknown()
    return page("unsubscribe", chosen_language(query, subscription.language), subscription=subscription)


def _unknown() -> Page:
    return problem_page(status_answer(404, next_request_id()))


def _token(request: Request[Any, Any, Any]) -> str:
    return str(request.path_params["token"])


def _query(request: Request[Any, Any, Any]) -> str:
    query: bytes = request.scope["query_string"]
    return query.decode("utf-8", "replace")

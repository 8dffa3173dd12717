"""`POST /v1/orders/snippet`, and the question that browsers ask before it. Spec: §4.2."""

from __future__ import annotations

from litestar import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, HTTPScope, Receive

from reviewinvite_core import Acknowledged
from reviewinvite_http.answers import JsonAnswer, error_answer
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.cors import SNIPPET_PATH, TO_REPORT, preflight_route
from reviewinvite_http.endpoints import Endpoint
from reviewinvite_http.errors import refusal_answer, status_answer
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.requests import header, header_lines, read_body
from reviewinvite_http.wire import SNIPPET_ACKNOWLEDGED, decode_snippet, is_json

_ACKNOWLEDGED = JsonAnswer(202, SNIPPET_ACKNOWLEDGED)


def snippet_endpoint(edge: ServerContext) -> Endpoint:
    """Orders as customers' browsers tell of them."""

    async def report_snippet(scope: HTTPScope, receive: Receive) -> ASGIApp:
        """Report a completed order; the answer is the same for a new one, a repeat, and one that is forgotten."""
        body = await read_body(receive)
        if not is_json(header(scope, b"content-type")):
            return error_answer(status_answer(415, next_request_id()))
        peer = scope["client"]
        client = edge.app.proxies.client(peer[0] if peer else None, header_lines(scope, b"x-forwarded-for"))
        # An Origin given twice is a list of two, which is no origin.
        answer = await edge.commit(edge.app.report_snippet, client, header(scope, b"origin"), decode_snippet(body))
        if isinstance(answer, Acknowledged):
            return _ACKNOWLEDGED
        return error_answer(refusal_answer(answer, next_request_id()))

    return Endpoint(SNIPPET_PATH, [HttpMethod.POST], report_snippet)


def snippet_preflight() -> HTTPRouteHandler:
    """The question that browsers ask before they report."""
    return preflight_route(SNIPPET_PATH, TO_REPORT)

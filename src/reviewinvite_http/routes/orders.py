"""`POST /v1/orders`. Spec: §4.1."""

from __future__ import annotations

from litestar import HttpMethod
from litestar.types import ASGIApp, HTTPScope, Receive

from reviewinvite_core import KeyRefused, Reported
from reviewinvite_http.answers import JsonAnswer, error_answer
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.endpoints import Endpoint
from reviewinvite_http.errors import refusal_answer, status_answer
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.requests import header, read_body
from reviewinvite_http.wire import decode_authorization, decode_order, encode_reported, is_json


def order_endpoint(edge: ServerContext) -> Endpoint:
    """The orders API."""

    async def report_order(scope: HTTPScope, receive: Receive) -> ASGIApp:
        """Report a completed order; its invitation is on disk before the answer is written."""
        body = await read_body(receive)
        if not is_json(header(scope, b"content-type")):
            return error_answer(status_answer(415, next_request_id()))
        key = decode_authorization(header(scope, b"authorization"))
        if isinstance(key, KeyRefused):
            return error_answer(refusal_answer(key, next_request_id()))
        answer = await edge.commit(edge.app.receive_order, key, decode_order(body))
        if isinstance(answer, Reported):
            return JsonAnswer(200 if answer.duplicate else 201, encode_reported(answer))
        return error_answer(refusal_answer(answer, next_request_id()))

    return Endpoint("/v1/orders", [HttpMethod.POST], report_order)

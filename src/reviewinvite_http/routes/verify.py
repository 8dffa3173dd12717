"""`GET /v1/verify/<site_id>`: the signed statement about a shop, for anyone. Spec: §4.4."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache

from litestar import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, HTTPScope, Receive

from reviewinvite_core import Form, Verified
from reviewinvite_http.answers import error_answer
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.cors import TO_READ, VERIFY_PATH, preflight_route
from reviewinvite_http.endpoints import Endpoint, last_part
from reviewinvite_http.errors import refusal_answer
from reviewinvite_http.kept import KeptAnswer, Representation
from reviewinvite_http.looking import looking, note_crossings
from reviewinvite_http.negotiation import prefers
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.requests import header
from reviewinvite_http.wire import JSON

JOSE = "application/jose"

_MEDIA_TYPES = {Form.JSON: JSON, Form.COMPACT_JWS: JOSE}


def verify_endpoint(edge: ServerContext) -> Endpoint:
    """The verification."""

    async def verify(scope: HTTPScope, receive: Receive) -> ASGIApp:  # noqa: ARG001 - as endpoints are called
        """The statement, as JSON or as compact JWS; counted, unless it is a HEAD."""
        site_id = last_part(scope)
        form = Form.COMPACT_JWS if prefers(header(scope, b"accept") or "", JOSE, JSON) else Form.JSON
        answer = await edge.commit(edge.app.verify_trust_mark, site_id, form, looking(scope))
        if not isinstance(answer, Verified):
            return error_answer(refusal_answer(answer, next_request_id()))
        note_crossings(site_id, answer.crossed)
        seconds = answer.max_age // timedelta(seconds=1)
        return KeptAnswer(_representation(answer.document, form), f"public, max-age={seconds}")

    return Endpoint(VERIFY_PATH, [HttpMethod.GET, HttpMethod.HEAD], verify)


def verify_preflight() -> HTTPRouteHandler:
    """The question that browsers ask before it where a page sends header fields of its own."""
    return preflight_route(VERIFY_PATH + "{name:str}", TO_READ)


@lru_cache(maxsize=1024)
def _representation(document: bytes, form: Form) -> Representation:
    """What is handed out in this form; the same for all who ask within a minute."""
    fields = (
        (b"content-type", _MEDIA_TYPES[form].encode()),
        (b"vary", b"Accept"),
        (b"x-content-type-options", b"nosniff"),
    )
    return Representation(document, fields)

"""`GET /v1/verify/<site_id>`: the signed statement about a shop, for everybody. Spec: §4.4."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache

from litestar import Router, route
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from reviewinvite_core import ClientAddress, accepted
from reviewinvite_core.values import Form
from reviewinvite_core.wire.statements import SignedStatement
from reviewinvite_http.context import ServerContext
from reviewinvite_http.cors import TO_READ, VERIFY_PATH, preflight
from reviewinvite_http.negotiation import best_match
from reviewinvite_http.openapi.operations import PublicOperation, refusals
from reviewinvite_http.requests import READ, AnyRequest, header
from reviewinvite_http.responses import JSON, Variant, cacheable
from reviewinvite_http.view_counting import count_mode, log_view

JOSE = "application/jose"


@route(
    VERIFY_PATH + "{site_id:str}",
    http_method=READ,
    media_type=JSON,
    operation_class=PublicOperation,
    summary="Get the signed statement about a shop",
    responses={
        200: ResponseSpec(SignedStatement, description="The statement.", generate_examples=False),
        304: ResponseSpec(None, description="The client's copy is current.", generate_examples=False),
        **refusals(404, 429),
    },
)
async def verify(
    server: NamedDependency[ServerContext],
    client: NamedDependency[ClientAddress],
    request: AnyRequest,
    site_id: FromPath[str],
) -> ASGIResponse:
    """Retrieve the signed statement about a shop.

    Every GET request that gets 200 or 304 counts as one of the shop's daily views. Send `Accept: application/jose` to
    get the statement as a compact JWS.
    """
    media_type = best_match(header(request, "accept") or "", (JSON, JOSE))
    form = Form.COMPACT_JWS if media_type == JOSE else Form.JSON
    answer = await server.app.trust_marks.verify(site_id, form, count_mode(request), client)
    verified = accepted(answer)
    log_view(site_id, verified)
    seconds = verified.max_age // timedelta(seconds=1)
    return cacheable(request, _variant(verified.document, form), f"public, max-age={seconds}")


@lru_cache(maxsize=1024)
def _variant(document: bytes, form: Form) -> Variant:
    """Return the statement in this form, the same for all requests within a minute."""
    return Variant(document, JSON if form is Form.JSON else JOSE, {"Vary": "Accept"})


TRUST_MARKS = Router(
    "/", route_handlers=[preflight(VERIFY_PATH + "{site_id:str}", TO_READ), verify], tags=["Verification"]
)

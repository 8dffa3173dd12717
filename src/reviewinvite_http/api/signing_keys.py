"""`GET /v1/badge/public-keys`: the keys that verify a statement. Never a view. Spec: §4.5, ADR-24."""

from __future__ import annotations

from functools import lru_cache

from litestar import Router, route
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.response.base import ASGIResponse

from reviewinvite_core.domain.signing import jwk_set
from reviewinvite_core.wire.statements import KeySet
from reviewinvite_http.context import ServerContext
from reviewinvite_http.cors import KEYS_PATH, TO_READ, preflight
from reviewinvite_http.openapi.operations import PublicOperation, refusals
from reviewinvite_http.requests import READ, AnyRequest
from reviewinvite_http.responses import Variant, cacheable

JWK_SET = "application/jwk-set+json"
MAX_AGE_SECONDS = 300  # a revoked key should disappear soon; ADR-24 says what this means for verifiers


@route(
    KEYS_PATH,
    http_method=READ,
    media_type=JWK_SET,
    operation_class=PublicOperation,
    summary="Get the keys that verify a statement, as a JWK Set",
    responses={
        200: ResponseSpec(KeySet, description="The keys.", generate_examples=False, media_type=JWK_SET),
        304: ResponseSpec(None, description="The client's copy is current.", generate_examples=False),
        **refusals(),
    },
)
async def public_keys(server: NamedDependency[ServerContext], request: AnyRequest) -> ASGIResponse:
    """Retrieve the keys that verify statements: the active key, the standby, and recently retired keys."""
    keys = await server.app.signing_keys.published()
    return cacheable(request, _variant(jwk_set(keys)), f"public, max-age={MAX_AGE_SECONDS}")


@lru_cache(maxsize=4)
def _variant(document: bytes) -> Variant:
    return Variant(document, JWK_SET)


SIGNING_KEYS = Router("/", route_handlers=[preflight(KEYS_PATH, TO_READ), public_keys], tags=["Verification"])

"""`GET /v1/badge/public-keys`: the keys that verify a statement. Never a view. Spec: §4.5, ADR-24."""

from __future__ import annotations

from functools import lru_cache

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_core.domain.signing import jwk_set
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.cors import KEYS_PATH, TO_READ, preflight_route
from reviewinvite_http.kept import KeptAnswer, Representation

KEPT_SECONDS = 300  # a withdrawn key is to go soon; ADR-24 says what follows from it for verifiers


def public_key_routes(edge: ServerContext) -> list[HTTPRouteHandler]:
    """The key set, and the question that browsers ask before it where a page sends header fields of its own."""

    @route(KEYS_PATH, http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def public_keys() -> ASGIApp:
        """The keys; the first who asks has them made."""
        keys = await edge.readers.run(edge.app.publish_keys)
        return KeptAnswer(_representation(jwk_set(keys)), f"public, max-age={KEPT_SECONDS}")

    return [preflight_route(KEYS_PATH, TO_READ), public_keys]


@lru_cache(maxsize=4)
def _representation(document: bytes) -> Representation:
    fields = (
        (b"content-type", b"application/jwk-set+json"),
        (b"x-content-type-options", b"nosniff"),
    )
    return Representation(document, fields)

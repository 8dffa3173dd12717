"""CORS: let pages of any origin read responses about reporting and verifying. Spec: §4.2, §4.4, §4.5.

Every response of these paths is readable, including errors, so that a page's script can see what it did wrong.
Credentials are not allowed, and not needed. The report itself checks the origin. Litestar's `CORSConfig` applies to all
paths of an application, so this is a separate hook.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from litestar import HttpMethod, Response, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import Message, Scope

from reviewinvite_http.requests import routed_path

Field: TypeAlias = tuple[bytes, bytes]

SNIPPET_PATH = "/v1/orders/snippet"
VERIFY_PATH = "/v1/verify/"
KEYS_PATH = "/v1/badge/public-keys"
_FOR_A_DAY = {"Access-Control-Max-Age": "86400"}
TO_REPORT = {"Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "content-type", **_FOR_A_DAY}
TO_READ = {"Access-Control-Allow-Methods": "GET, HEAD", "Access-Control-Allow-Headers": "*", **_FOR_A_DAY}

_ANY_ORIGIN = (b"access-control-allow-origin", b"*")
_OF_SNIPPET: Sequence[Field] = (_ANY_ORIGIN, (b"access-control-expose-headers", b"Retry-After, X-Request-Id"))
_OF_VERIFICATION: Sequence[Field] = (
    _ANY_ORIGIN,
    (b"access-control-expose-headers", b"ETag, Retry-After, X-Request-Id"),
)


def preflight(path: str, allowed: Mapping[str, str]) -> HTTPRouteHandler:
    """Return the handler of CORS preflight requests for a path; it answers every origin alike."""

    @route(path, http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
    async def preflight_request() -> Response[None]:
        """Answer a CORS preflight request, in the same way for any origin."""
        return Response(None, headers=allowed)

    return preflight_request


def header_fields_for(path: str) -> Sequence[Field]:
    """Return the header fields that let pages read a response of this routed path; empty for other paths."""
    if path.startswith(VERIFY_PATH) or path.rstrip("/") == KEYS_PATH:
        return _OF_VERIFICATION
    return _OF_SNIPPET if path.rstrip("/") == SNIPPET_PATH else ()


async def add_cors_headers(message: Message, scope: Scope) -> None:
    """Add the fields of `header_fields_for` to a response. A hook, because middleware would not see 404 responses."""
    if message["type"] == "http.response.start" and "/v1" in scope["path"]:
        message["headers"] = [*message["headers"], *header_fields_for(routed_path(scope))]

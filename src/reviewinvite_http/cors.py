"""What pages of any origin may ask for, and read the answer of: reporting, and verifying. Spec: §4.2, §4.4, §4.5.

Every answer of these paths is readable, refusals and failures too, so that a page's own script can tell what it did
wrong. No credentials are allowed, and none would be of use. Whose origin is good is decided by the report itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from litestar import HttpMethod, Response, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import Message, Send

from reviewinvite_http.paths import as_routed

Field: TypeAlias = tuple[bytes, bytes]

SNIPPET_PATH = "/v1/orders/snippet"
VERIFY_PATH = "/v1/verify/"
KEYS_PATH = "/v1/badge/public-keys"
_FOR_A_DAY = {"Access-Control-Max-Age": "86400"}
TO_REPORT = {"Access-Control-Allow-Methods": "POST", "Access-Control-Allow-Headers": "content-type", **_FOR_A_DAY}
TO_READ = {"Access-Control-Allow-Methods": "GET, HEAD", "Access-Control-Allow-Headers": "*", **_FOR_A_DAY}

_READABLE = (b"access-control-allow-origin", b"*")
_OF_SNIPPET: Sequence[Field] = (_READABLE, (b"access-control-expose-headers", b"Retry-After"))
_OF_VERIFICATION: Sequence[Field] = (_READABLE, (b"access-control-expose-headers", b"ETag, Retry-After"))


def preflight_route(path: str, allowed: Mapping[str, str]) -> HTTPRouteHandler:
    """The question that browsers ask before a page's request; any page may, and is told no more than what is allowed.

    It has to be registered before the other methods of its path, or Litestar makes an OPTIONS of its own.
    """

    @route(path, http_method=HttpMethod.OPTIONS)
    async def preflight() -> Response[None]:
        """What may be asked; the same for every page."""
        return Response(None, status_code=204, headers=allowed)

    return preflight


def fields_for_pages(path: str) -> Sequence[Field]:
    """The header fields with which an answer of this path can be read by pages; none where they need not."""
    routed = as_routed(path)
    if routed.startswith(VERIFY_PATH) or routed.rstrip("/") == KEYS_PATH:
        return _OF_VERIFICATION
    return _OF_SNIPPET if routed.rstrip("/") == SNIPPET_PATH else ()


def readable_by_pages(path: str, send: Send) -> Send:
    """`send`, with those fields added to the answer."""
    fields = fields_for_pages(path)
    if not fields:
        return send

    async def send_readable(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *fields]
        await send(message)

    return send_readable

"""`GET /v1/openapi.json`: the OpenAPI description of the API. Spec: §4 (Other addresses)."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from litestar import Response, route
from litestar.di import NamedDependency
from litestar.types import ControllerRouterHandler

from reviewinvite_http.openapi.document import describe
from reviewinvite_http.requests import READ
from reviewinvite_http.responses import JSON, PlainResponse


class Description:
    """The description of handlers as JSON, built on first use because that takes some 100 ms."""

    def __init__(self, handlers: Sequence[ControllerRouterHandler], provided: Collection[str], base_url: str) -> None:
        """Describe these handlers, served at `base_url`; `provided` names the dependencies injected into them."""
        self._handlers = handlers
        self._provided = provided
        self._base_url = base_url
        self._document: bytes | None = None

    def document(self) -> bytes:
        """Return the document."""
        if self._document is None:
            described = {**describe(self._handlers, self._provided), "servers": [{"url": self._base_url}]}
            self._document = json.dumps(described, ensure_ascii=False, indent=1).encode()
        return self._document


@route("/v1/openapi.json", http_method=READ, include_in_schema=False)
async def openapi_description(description: NamedDependency[Description]) -> Response[bytes]:
    """Return the OpenAPI description of this API as JSON.

    This replaces Litestar's own routes, which serve neither HEAD nor plain JSON, and claim all paths below their own.
    """
    return PlainResponse(description.document(), media_type=JSON)

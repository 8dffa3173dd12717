"""`GET /metrics` on the service's own port, for whoever has the token. Spec: §4."""

from __future__ import annotations

import hmac

from litestar import route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.response.base import ASGIResponse

from reviewinvite_core import Refused
from reviewinvite_core.values import KeyRefused
from reviewinvite_http.context import ServerContext
from reviewinvite_http.requests import READ, AnyRequest, header
from reviewinvite_http.responses import EncodedResponse, encoded

METRICS_PATH = "/metrics"


@route(METRICS_PATH, http_method=READ, include_in_schema=False)
async def show_metrics(server: NamedDependency[ServerContext], request: AnyRequest) -> ASGIResponse:
    """Return the metrics of this process from memory; without a token in the settings, there is no such page."""
    metrics = server.metrics
    if metrics is None or metrics.token is None:
        raise NotFoundException
    scheme, _, token = (header(request, "authorization") or "").partition(" ")
    given = token.strip() if scheme.lower() == "bearer" else ""
    if not hmac.compare_digest(given.encode(errors="surrogateescape"), metrics.token.encode()):
        raise Refused(KeyRefused(presented=bool(given)))
    metrics.begin_reading(server.app.sync, on_loop=server.app)  # a mounted application gets no start-up event
    body, content_type = metrics.exposition(header(request, "accept") or "")
    return EncodedResponse(200, _encoded(content_type, body), body)


def _encoded(content_type: str, body: bytes) -> list[tuple[bytes, bytes]]:
    return [field for field in encoded("", {}, body) if field[0] != b"content-type"] + [
        (b"content-type", content_type.encode())
    ]

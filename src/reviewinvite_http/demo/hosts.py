"""The hosts of the demo, on one port: the service at 127.0.0.1, and the shop at a name of its own."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

import attrs
from litestar.types import ASGIApp, Receive, Scope, Send

SHOP_HOST = "shop.localhost"
"""The demo shop's host; browsers look up names below `localhost` on the machine itself (RFC 6761)."""

DESK = "/demo"
"""Path of the demo's own pages, at the service's host."""

_BELIEVED = f"https://{SHOP_HOST}".encode()


def shop_url(base_url: str) -> str:
    """Return the URL of the demo's shop, which has the service's port."""
    return f"http://{SHOP_HOST}:{urlsplit(base_url).port}"


@attrs.frozen
class DemoHosts:
    """An ASGI application that passes each request to the shop, to the demo's pages or to the service.

    The service believes reports from `https://` pages only (Spec: §4.2), and a demo has no certificate. So this stands
    in for the TLS in front of a real shop: the `Origin` of the demo's own shop, and no other, is passed on as
    `https://`. The service checks it as ever: the host must be a verified one of the shop.
    """

    _service: ASGIApp
    _shop: ASGIApp
    _desk: ASGIApp
    _shop_url: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if dict(scope["headers"]).get(b"host") == urlsplit(self._shop_url).netloc.encode():
            await self._shop(scope, receive, send)
        elif scope["path"] == DESK or scope["path"].startswith(f"{DESK}/"):
            await self._desk(scope, receive, send)
        else:
            scope["headers"] = list(self._with_tls(scope["headers"]))
            await self._service(scope, receive, send)

    def _with_tls(self, fields: Iterable[tuple[bytes, bytes]]) -> Iterable[tuple[bytes, bytes]]:
        own = self._shop_url.encode()
        return ((name, _BELIEVED if (name, value) == (b"origin", own) else value) for name, value in fields)

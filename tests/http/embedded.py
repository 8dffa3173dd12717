"""What an embedder's module looks like: the API by itself, and mounted below another application's address."""

from __future__ import annotations

from litestar import Litestar, asgi, get
from litestar.types import Receive, Scope, Send

from reviewinvite_core import Settings, build
from reviewinvite_http.app import create_app

app = create_app(build(Settings.load()))


@get("/")
async def home() -> str:
    """Return something of the embedder's own."""
    return "a shop"


@asgi("/reviews", is_mount=True, copy_scope=True)
async def reviews(scope: Scope, receive: Receive, send: Send) -> None:
    """Hand everything below `/reviews` to the API."""
    await app(scope, receive, send)


mounted = Litestar([home, reviews], openapi_config=None)

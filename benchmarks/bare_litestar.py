"""The baselines of what is measured over HTTP: idiomatic Litestar handlers that do next to nothing.

Two decode an order, for `orders_http` and `snippet_http`; one returns a given number of bytes, for `views_http`. They
run with the settings of our own server: `python -m benchmarks.bare_litestar PORT`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from litestar import Litestar, get, post

from reviewinvite_http.server import GracefulServer, ShutdownDeadline, listening, server_config, tune_process


@dataclass
class Order:
    """The body of `POST /v1/orders`."""

    email: str
    orderNumber: str | None = None  # noqa: N815 - as it is on the wire
    language: str | None = None
    delayDays: float | None = None  # noqa: N815


@post("/v1/orders", status_code=201)
async def orders(data: Order) -> dict[str, str]:  # noqa: ARG001 - it is decoded, which is all
    """An answer of the same shape as ours."""
    return {"inviteId": "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86", "scheduledFor": "2026-03-07T09:15:30.120Z"}


@dataclass
class Snippet:
    """The body of `POST /v1/orders/snippet`."""

    siteId: str  # noqa: N815
    email: str
    orderNumber: str | None = None  # noqa: N815


@post("/v1/orders/snippet", status_code=202)
async def snippet(data: Snippet) -> dict[str, bool]:  # noqa: ARG001
    """An answer of the same shape as ours."""
    return {"ok": True}


@get("/bytes/{size:int}", media_type="application/octet-stream")
async def some_bytes(size: int) -> bytes:
    """Return `size` bytes."""
    return _BYTES[size]


class _Made(dict[int, bytes]):
    """Bytes of each size, made once."""

    def __missing__(self, size: int) -> bytes:
        made = self[size] = b"." * size
        return made


_BYTES = _Made()


def main() -> None:
    """Serve until SIGTERM."""
    tune_process()
    application = Litestar([orders, snippet, some_bytes], openapi_config=None, logging_config=None)
    ending = ShutdownDeadline(5)
    with listening("127.0.0.1", int(sys.argv[1])) as listener:
        GracefulServer(server_config(application, ending.seconds), ending).run(sockets=[listener])


if __name__ == "__main__":
    main()

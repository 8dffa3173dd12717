"""Read a request: a header, and the body within bounds. How long it may take is the connection's affair."""

from __future__ import annotations

from typing import Any

from litestar import Request
from litestar.exceptions import ClientException, HTTPException

LARGEST_BODY = 16 * 1024


class BodyTooLarge(HTTPException):
    """More than 16 KiB."""

    status_code = 413


def header(request: Request[Any, Any, Any], name: bytes) -> str | None:
    """The header of this name (lower-case), without a table of all headers; one given twice is one list, as in HTTP."""
    given = [value for key, value in request.scope["headers"] if key == name]
    return b", ".join(given).decode("latin-1") if given else None


async def read_body(request: Request[Any, Any, Any]) -> bytes:
    """The whole body, at most 16 KiB; a larger one is not read to its end.

    Raises: `BodyTooLarge`; `ClientException` where the client went away.
    """
    body = b""
    while True:
        message = await request.receive()
        if message["type"] != "http.request":
            raise ClientException(detail="the client went away")
        body += message["body"]
        if len(body) > LARGEST_BODY:
            raise BodyTooLarge
        if not message["more_body"]:
            return body

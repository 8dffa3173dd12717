"""Read a request: a header, and the body within bounds. How long it may take is the connection's affair."""

from __future__ import annotations

from litestar.exceptions import ClientException, HTTPException
from litestar.types import Receive, Scope

LARGEST_BODY = 16 * 1024


class BodyTooLarge(HTTPException):
    """More than is read: 16 KiB, unless a route says otherwise."""

    status_code = 413


def header(scope: Scope, name: bytes) -> str | None:
    """The header of this name (lower-case), without a table of all headers; one given twice is one list, as in HTTP."""
    given = [value for key, value in scope["headers"] if key == name]
    return b", ".join(given).decode("latin-1") if given else None


def header_lines(scope: Scope, name: bytes) -> list[str]:
    """All headers of this name (lower-case), in their order."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


async def read_body(receive: Receive, largest: int = LARGEST_BODY) -> bytes:
    """The whole body, at most `largest` bytes (16 KiB); a larger one is not read to its end.

    Raises: `BodyTooLarge`; `ClientException` if the client went away.
    """
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientException(detail="the client went away")
        body += message["body"]
        if len(body) > largest:
            raise BodyTooLarge
        if not message["more_body"]:
            return body

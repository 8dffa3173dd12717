"""Read a request's body, within bounds of size and time."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Request
from litestar.exceptions import ClientException, HTTPException

LARGEST_BODY = 16 * 1024
BODY_SECONDS = 10.0


class BodyTooLarge(HTTPException):
    """More than 16 KiB."""

    status_code = 413


class BodyTooSlow(HTTPException):
    """Not there within 10 seconds."""

    status_code = 408


async def read_body(request: Request[Any, Any, Any]) -> bytes:
    """The whole body: at most 16 KiB, within 10 seconds; a larger one is refused before it is read.

    Raises: `BodyTooLarge`, `BodyTooSlow`; `ClientException` where the client went away.
    """
    declared = request.headers.get("content-length")
    if declared is not None and int(declared) > LARGEST_BODY:  # the server has checked that it is a number
        raise BodyTooLarge
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _receive(request)
    except TimeoutError:
        raise BodyTooSlow from None


async def _receive(request: Request[Any, Any, Any]) -> bytes:
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

"""Send an answer that is ready: its head, and its whole body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from litestar.types import Scope, Send

Field: TypeAlias = tuple[bytes, bytes]


async def send_whole(scope: Scope, send: Send, status: int, fields: Sequence[Field], body: bytes) -> None:  # noqa: ARG001 - as its callers call it
    """Send an answer as ASGI has it, in two messages."""
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body, "more_body": False})

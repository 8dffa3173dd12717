"""An answer whose head and body go out together: each write costs a system call and a packet, here and there.

ADR-32.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, TypeAlias

from litestar.types import Scope, Send
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

Field: TypeAlias = tuple[bytes, bytes]

WHOLE = "reviewinvite.whole_answer"
"""By this name, among a scope's extensions, a server says that it takes a body together with the head."""


async def send_whole(scope: Scope, send: Send, status: int, fields: Sequence[Field], body: bytes) -> None:
    """Send an answer, as one message where the server takes it so, and as ASGI has it elsewhere."""
    head: dict[str, Any] = {"type": "http.response.start", "status": status, "headers": fields}
    if WHOLE in (scope.get("extensions") or ()):
        await send({**head, WHOLE: body})  # type: ignore[arg-type]
    else:
        await send(head)  # type: ignore[arg-type]
        await send({"type": "http.response.body", "body": body, "more_body": False})


class WholeAnswerCycle(RequestResponseCycle):
    """Uvicorn's cycle of a request and its answer, which also takes a body together with the head."""

    async def send(self, message: Any) -> None:
        """Send a message of ASGI's, or a head that holds its body."""
        body = message.pop(WHOLE, None)
        if body is None:
            await super().send(message)
            return
        transport = self.transport
        joined = _OneWrite(transport)
        self.transport = joined  # type: ignore[assignment]
        try:
            await super().send(message)
            await super().send({"type": "http.response.body", "body": body, "more_body": False})
        finally:
            joined.flush()
            self.transport = transport


class _OneWrite:
    """The part of a transport that is used while an answer is sent; what is written goes out at once in the end."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._pieces.append(data)

    def flush(self) -> None:
        if self._pieces:
            self._transport.write(b"".join(self._pieces))
            self._pieces.clear()

    def close(self) -> None:
        self.flush()
        self._transport.close()

"""Answers that browsers keep: each form of one has a tag of its own, and who has it already is sent nothing again."""

from __future__ import annotations

import hashlib
import re
from typing import TypeAlias

import attrs
from litestar.types import Receive, Scope, Send

from reviewinvite_http.requests import header
from reviewinvite_http.whole_answers import send_whole

Field: TypeAlias = tuple[bytes, bytes]

NEVER = "no-store"

_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')


@attrs.frozen
class Representation:
    """One form of what is asked for: its bytes, and the header fields that go with them."""

    body: bytes
    fields: tuple[Field, ...]
    entity_tag: str = attrs.field(init=False)

    @entity_tag.default
    def _hash_of_body(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'

    async def send(self, scope: Scope, send: Send, cache_control: str) -> None:
        """Send it; 304 to a browser that has it already and may, no body to a HEAD."""
        kept = cache_control != NEVER and self._is_kept(header(scope, b"if-none-match") or "")
        fields = [(b"cache-control", cache_control.encode()), (b"etag", self.entity_tag.encode()), *self.fields]
        if not kept:
            fields.append((b"content-length", b"%d" % len(self.body)))
        body = b"" if kept or scope.get("method") == "HEAD" else self.body
        await send_whole(scope, send, 304 if kept else 200, fields, body)

    def _is_kept(self, if_none_match: str) -> bool:
        """Whether this `If-None-Match` says that the browser has it already (RFC 9110, section 13.1.2)."""
        if not if_none_match:
            return False
        return if_none_match.strip() == "*" or self.entity_tag in _ENTITY_TAG.findall(if_none_match)


@attrs.frozen
class KeptAnswer:
    """A representation that is ready to be sent, as the ASGI application that sends it; 304 to whoever has it already.

    `cache_control` says who may keep it, and for how long.
    """

    representation: Representation
    cache_control: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI calls it
        """Send it; to a HEAD without the body."""
        await self.representation.send(scope, send, self.cache_control)

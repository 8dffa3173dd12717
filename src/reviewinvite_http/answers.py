"""Answers as they go over the wire: JSON, never cached unless said otherwise, never sniffed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus

import attrs
from litestar import Response
from litestar.types import ASGIApp, Receive, Scope, Send

from reviewinvite_http.errors import ErrorAnswer
from reviewinvite_http.whole_answers import send_whole
from reviewinvite_http.wire import JSON

_ALWAYS = (
    (b"content-type", JSON.encode()),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)


@attrs.frozen
class JsonAnswer:
    """An answer that is ready to be sent, as the ASGI application that sends it: nothing is left to be worked out."""

    status: int
    body: bytes
    headers: Mapping[str, str] = attrs.field(factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI calls it
        """Send it."""
        fields = [*_ALWAYS, (b"content-length", b"%d" % len(self.body))]
        if self.headers:
            fields.extend((name.lower().encode(), value.encode()) for name, value in self.headers.items())
        await send_whole(scope, send, self.status, fields, self.body)


def error_answer(answer: ErrorAnswer) -> JsonAnswer:
    """A refusal or failure."""
    return JsonAnswer(answer.status, answer.body, answer.headers)


class Ready(Response[bytes]):
    """An answer that is ready to be sent, as Litestar's exception handlers have to give it."""

    def __init__(self, answer: ASGIApp) -> None:
        super().__init__(b"")
        self._answer = answer

    def to_asgi_response(self, *_: object, **__: object) -> ASGIApp:  # type: ignore[override]  # only ever called as one
        """The answer itself."""
        return self._answer


def as_http(answer: ErrorAnswer, more: Iterable[tuple[bytes, bytes]] = ()) -> bytes:
    """A refusal or failure as a connection's last answer, byte for byte: for what never reaches the application."""
    status = HTTPStatus(answer.status)
    fields = [*_ALWAYS, *more, (b"connection", b"close"), (b"content-length", b"%d" % len(answer.body))]
    head = b"".join(b"%b: %b\r\n" % field for field in fields)
    return b"HTTP/1.1 %d %b\r\n%b\r\n%b" % (status, status.phrase.encode(), head, answer.body)

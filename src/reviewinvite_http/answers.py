"""Answers as ASGI sends them: JSON, never cached unless said otherwise, never sniffed."""

from __future__ import annotations

from collections.abc import Mapping

from litestar import Response
from litestar.response.base import ASGIResponse

from reviewinvite_http.errors import ErrorAnswer
from reviewinvite_http.wire import JSON

_ALWAYS = (
    (b"content-type", JSON.encode()),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)


def json_answer(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> ASGIResponse:
    """A JSON answer with these bytes."""
    extra = [(name.lower().encode(), value.encode()) for name, value in headers.items()] if headers else []
    return ASGIResponse(body=body, status_code=status, encoded_headers=[*_ALWAYS, *extra], media_type=JSON)


def error_response(answer: ErrorAnswer) -> Response[bytes]:
    """A refusal or failure, as Litestar's exception handlers have to give it."""
    headers = {name.decode(): value.decode() for name, value in _ALWAYS} | dict(answer.headers)
    return Response(answer.body, status_code=answer.status, media_type=JSON, headers=headers)


def error_answer(answer: ErrorAnswer) -> ASGIResponse:
    """A refusal or failure."""
    return json_answer(answer.status, answer.body, answer.headers)

"""Responses that several handlers share: errors, and content that browsers may cache."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, TypeAlias, TypeVar

import attrs
from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.serialization import encode_json
from litestar.types import Receive, Scope, Send

from reviewinvite_core.wire.json_converter import json_converter
from reviewinvite_http.errors import ErrorAnswer
from reviewinvite_http.negotiation import accepts_gzip, names_media_type
from reviewinvite_http.requests import AnyRequest, header

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"
NO_STORE = "no-store"
FIVE_MINUTES = "public, max-age=300"
FOR_EVER = "public, max-age=31536000, immutable"
Field: TypeAlias = tuple[bytes, bytes]
DEFAULTS: Sequence[Field] = ((b"x-content-type-options", b"nosniff"), (b"cache-control", NO_STORE.encode()))

T = TypeVar("T")

_as_json = json_converter().unstructure
_ENTITY_TAG = re.compile(r'(?:W/)?("[^"]*")')


class EncodedResponse(ASGIResponse):
    """A response ready to send: a status, encoded header fields, and a body."""

    def __init__(self, status_code: int, fields: Sequence[Field], body: bytes) -> None:
        self.status_code = status_code
        self.fields = fields
        self.body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as in ASGI
        """Send the response."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.fields})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


class PlainResponse(Response[T]):
    """A response whose header fields are encoded once; it has no cookies, background tasks or other encodings.

    Litestar's own response processes every field for each request, which is noticeable for such small responses.
    Browsers never sniff the type of this one, and cache it only if `Cache-Control` allows it.
    Content that is not bytes becomes JSON; an attrs class in it must be a `Shape`.
    """

    def to_asgi_response(self, *_: Any, status_code: int | None = None, **__: Any) -> ASGIResponse:
        """Return the response ready to send."""
        media_type = str(self.media_type or JSON)
        body = self.content if isinstance(self.content, bytes) else encode_json(_as_json(self.content))
        return EncodedResponse(self.status_code or status_code or 200, encoded(media_type, self.headers, body), body)


def encoded(media_type: str, headers: Mapping[str, str], body: bytes) -> list[Field]:
    """Return the encoded header fields of a response; `headers` takes precedence over `DEFAULTS`."""
    content_type = f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
    fields = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    fields += [(b"content-type", content_type.encode()), (b"content-length", b"%d" % len(body))]
    names = {name for name, _ in fields}
    return [*fields, *(field for field in DEFAULTS if field[0] not in names)]


def error_response(answer: ErrorAnswer, base_url: str, accept: str | None) -> Response[bytes]:
    """Return a refusal or failure as JSON, in the media type that the `Accept` header asks for."""
    return PlainResponse(
        answer.content(base_url),
        status_code=answer.status,
        headers=dict(answer.headers),
        media_type=_type_of_error(accept),
    )


def error_as_http(
    answer: ErrorAnswer, base_url: str, accept: str | None, more: Iterable[tuple[bytes, bytes]] = ()
) -> bytes:
    """Return a refusal as raw HTTP: the last response on its connection, sent without the application."""
    status, content = HTTPStatus(answer.status), answer.content(base_url)
    fields = [*encoded(_type_of_error(accept), answer.headers, content), *more, (b"connection", b"close")]
    head = b"".join(b"%b: %b\r\n" % field for field in fields)
    return b"HTTP/1.1 %d %b\r\n%b\r\n%b" % (status, status.phrase.encode(), head, content)


def _type_of_error(accept: str | None) -> str:
    return PROBLEM_JSON if names_media_type(accept or "", PROBLEM_JSON) else JSON


@attrs.frozen
class Variant:
    """One form of a resource: its bytes, media type and header fields."""

    body: bytes
    media_type: str
    headers: Mapping[str, str] = attrs.field(factory=dict)
    entity_tag: str = attrs.field(init=False)
    fields: Sequence[Field] = attrs.field(init=False, repr=False)

    @entity_tag.default
    def _hash_of_body(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:32]}"'

    @fields.default
    def _encoded(self) -> Sequence[Field]:
        headers = {**self.headers, "ETag": self.entity_tag, "Cache-Control": ""}
        return [field for field in encoded(self.media_type, headers, self.body) if field[0] != b"cache-control"]


def gzipped(variant: Variant, level: int = 9) -> Variant:
    """Return the compressed form of a variant, the same bytes each time."""
    headers = {**variant.headers, "Content-Encoding": "gzip"}
    return Variant(gzip.compress(variant.body, level, mtime=0), variant.media_type, headers)


def takes_gzip(request: AnyRequest) -> bool:
    """Return whether the client of this request accepts gzip."""
    return accepts_gzip(header(request, "accept-encoding") or "")


def cacheable(request: AnyRequest, variant: Variant, cache_control: str) -> ASGIResponse:
    """Return the variant, or 304 if the client's copy is current and may be kept (RFC 9110, section 13.1.2)."""
    fields = [*variant.fields, (b"cache-control", cache_control.encode())]
    if cache_control != NO_STORE and _has(header(request, "if-none-match"), variant.entity_tag):
        return EncodedResponse(304, [field for field in fields if field[0] != b"content-length"], b"")
    return EncodedResponse(200, fields, variant.body)


def _has(if_none_match: str | None, entity_tag: str) -> bool:
    if not if_none_match:
        return False
    return if_none_match.strip() == "*" or entity_tag in _ENTITY_TAG.findall(if_none_match)

"""Read requests for handlers: header fields, the routed path, the check for JSON, and the request's id (Spec: §7)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

from litestar import HttpMethod, Request, Response, route
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.types import Scope

AnyRequest: TypeAlias = Request[Any, Any, Any]

READ = [HttpMethod.GET, HttpMethod.HEAD]

_SLASHES = re.compile("/{2,}")

HEADER = b"x-request-id"

_KEY = "reviewinvite.request_id"
_OWN = re.compile(rb"[A-Za-z0-9._-]{1,64}")

_BYTES = 12
_AT_ONCE = 256

_unused: list[str] = []
os.register_at_fork(after_in_child=_unused.clear)


def options(path: str, allowed: str) -> HTTPRouteHandler:
    """Return the handler of OPTIONS for a path of several handlers: Litestar's own names the methods of the first."""

    @route(path, http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
    async def allowed_methods() -> Response[None]:
        """Name the methods of a path."""
        return Response(None, headers={"Allow": allowed})

    return allowed_methods


def header(request: AnyRequest, name: str) -> str | None:
    """Return the value of a header field, or None if it is missing; repeated fields become one list (RFC 9110)."""
    values = request.headers.getall(name, [])
    return ", ".join(values) if values else None


def routed_path(scope: Scope) -> str:
    """Return the path relative to the mount point of the application, with single slashes.

    Litestar removes the mount point from `path` when it routes a request; `raw_path` keeps it.
    """
    path, mounted_at = scope["path"], scope.get("root_path", "")
    if mounted_at and unquote(scope["raw_path"].decode("latin-1")) == path:
        path = path.removeprefix(mounted_at)
    return _SLASHES.sub("/", path)


async def require_json(request: AnyRequest) -> None:
    """Read the body, then check that it is declared as JSON. Spec: §4.1, checks 1 and 2.

    Raises: `HTTPException` with 413 for a body above the handler's limit, or 415.
    """
    await request.body()
    if not is_json(header(request, "content-type")):
        raise HTTPException(status_code=415)


def is_json(content_type: str | None) -> bool:
    """Return whether a Content-Type field means JSON, with any parameters."""
    return content_type is not None and content_type.partition(";")[0].strip().lower() == "application/json"


async def allow_empty_body(request: AnyRequest) -> None:
    """Check as `require_json` does, but accept an empty body.

    Raises: as `require_json`.
    """
    if await request.body():
        await require_json(request)


def next_request_id() -> str:
    """Return a new id, which connects a response with its log entries.

    It is random: a counter would tell each client how many requests the others make.
    """
    while True:
        try:
            return _unused.pop()
        except IndexError:
            text = os.urandom(_BYTES * _AT_ONCE).hex()  # in blocks: a system call for each request is noticeable
            _unused.extend(text[start : start + 2 * _BYTES] for start in range(0, len(text), 2 * _BYTES))


def request_id_of(scope: Scope) -> str:
    """Return the id of this request, determined on first use.

    It is in the scope itself, because some servers share one `state` between all requests.
    """
    named = cast("dict[str, Any]", scope)
    request_id: str | None = named.get(_KEY)
    if request_id is None:
        request_id = named[_KEY] = request_id_in(scope.get("headers", ()))
    return request_id


def request_id_in(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the client's own id, if there is one and it is well-formed; otherwise a new id."""
    given = [value for name, value in headers if name == HEADER]
    if len(given) == 1 and _OWN.fullmatch(given[0]):
        return given[0].decode()
    return next_request_id()

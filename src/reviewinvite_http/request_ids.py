"""Request ids, which connect a response with the log entries of its request. Spec: §7."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any, cast

from litestar.types import Scope

HEADER = b"x-request-id"

_KEY = "reviewinvite.request_id"
_OWN = re.compile(rb"[A-Za-z0-9._-]{1,64}")

_BYTES = 12
_AT_ONCE = 256

_unused: list[str] = []
os.register_at_fork(after_in_child=_unused.clear)


def next_request_id() -> str:
    """Return a new id. It is random: a counter would tell each client how many requests the others make."""
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

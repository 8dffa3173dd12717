"""`RateLimit` and `RateLimit-Policy`: what is left of a key's limit. Spec: §8, draft-ietf-httpapi-ratelimit-headers."""

from __future__ import annotations

from typing import Any, cast

from litestar.types import Message, Scope

from reviewinvite_core.domain.limits import Remaining

_KEY = "reviewinvite.remaining"


def note_remaining(scope: Scope, remaining: Remaining) -> None:
    """Note what this request has left of the limit that it was charged to."""
    cast("dict[str, Any]", scope)[_KEY] = remaining


async def add_rate_limit(message: Message, scope: Scope) -> None:
    """Add the figures to a response, unless the request failed: what it was charged may then be undone."""
    if message["type"] != "http.response.start" or message["status"] >= 500:
        return
    remaining: Remaining | None = cast("dict[str, Any]", scope).get(_KEY)
    if remaining is not None:
        message["headers"] = [*message["headers"], *_fields(remaining)]


def _fields(remaining: Remaining) -> list[tuple[bytes, bytes]]:
    name, limit = remaining.counter, remaining.limit
    policy = f'"{name}";q={limit.count};w={int(limit.window.total_seconds())}'
    left = f'"{name}";r={remaining.count};t={remaining.seconds}'
    return [(b"ratelimit-policy", policy.encode()), (b"ratelimit", left.encode())]

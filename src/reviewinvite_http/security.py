"""Dependencies that identify the caller: the holder of an API key, or a client address; and what a key has left.

These are not guards: Spec §4.1 requires 413 and 415 before 401, and guards run before the body is read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

import attrs
from litestar.di import NamedDependency
from litestar.types import Message, Scope

from reviewinvite_core import AsyncApplication, ClientAddress, Invalid, Refusal, Refused, SecretKey, accepted
from reviewinvite_core.domain.limits import Remaining
from reviewinvite_core.values import KeyRefused
from reviewinvite_http.context import ServerContext
from reviewinvite_http.requests import AnyRequest, header

_KEY = "reviewinvite.remaining"

API_KEY: list[dict[str, list[str]]] = [{"apiKey": []}]
"""The security requirement of handlers that need an API key, for the OpenAPI description."""


@attrs.frozen
class Merchant:
    """The API key of a request and the application to call; each call checks the key and charges its limit."""

    app: AsyncApplication
    key: SecretKey

    async def refusal(self, request: Invalid, charge: Callable[[SecretKey], Awaitable[Refusal | None]]) -> Refused:
        """Charge a request that cannot be read, and return its refusal: that of the key, or its own."""
        return Refused(await charge(self.key) or request)


@attrs.frozen
class Access:
    """Provides the `Merchant` to which a request's API key belongs."""

    _server: ServerContext

    def merchant(self, request: AnyRequest) -> Merchant:
        """Provide the merchant whose API key is in the Authorization header.

        Raises: `Refused` if the key is missing or malformed, without reading storage.
        """
        key = accepted(read_authorization(header(request, "authorization")))
        return Merchant(self._server.app, attrs.evolve(key, on_charged=partial(note_remaining, request.scope)))


def client_address(server: NamedDependency[ServerContext], request: AnyRequest) -> ClientAddress:
    """Provide the address of the client, as reported by trusted proxies. ADR-23.

    It depends on `server`, so that Litestar resolves the two in sequence; independent ones would each get a task.
    """
    peer = request.scope["client"]
    forwarded_for = request.headers.getall("x-forwarded-for", [])
    return server.app.proxies.client(peer[0] if peer else None, forwarded_for)


def read_authorization(value: str | None) -> SecretKey | KeyRefused:
    """Return the key in an Authorization header, or the refusal."""
    scheme, _, token = (value or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        return KeyRefused(presented=False)
    return SecretKey.parse(token.strip()) or KeyRefused(presented=True)


def note_remaining(scope: Scope, remaining: Remaining) -> None:
    """Note what this request has left of the limit that it was charged to."""
    cast("dict[str, Any]", scope)[_KEY] = remaining


async def add_rate_limit(message: Message, scope: Scope) -> None:
    """Add `RateLimit` and `RateLimit-Policy`, unless the request failed: what it was charged may then be undone.

    Spec: §8, draft-ietf-httpapi-ratelimit-headers.
    """
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

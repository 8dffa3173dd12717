"""What nearly all requests are for is answered directly; Litestar answers what is odd about it, and all else.

ADR-32.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeAlias

import attrs
from litestar import HttpMethod, Request, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, HTTPScope, Receive

Answering: TypeAlias = Callable[[HTTPScope, Receive], Awaitable[ASGIApp]]


@attrs.frozen
class Endpoint:
    """What answers the requests to a path, or to each path right below it where it ends with a slash."""

    path: str
    methods: Sequence[HttpMethod]
    answer: Answering

    def as_route(self) -> HTTPRouteHandler:
        """The same as a route of Litestar's, also for a slash too many and a method that is not allowed."""

        @route(self.path + "{name:str}" if self.path.endswith("/") else self.path, http_method=list(self.methods))
        async def answer(request: Request[Any, Any, Any]) -> ASGIApp:
            return await self.answer(request.scope, request.receive)

        return answer


class DirectWays:
    """Finds the endpoint of a request whose method and path are just as they should be."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        ways = [(method.value, each.path, each.answer) for each in endpoints for method in each.methods]
        self._at = {(method, path): answer for method, path, answer in ways if not path.endswith("/")}
        self._below = {(method, path[:-1]): answer for method, path, answer in ways if path.endswith("/")}

    def answering(self, scope: HTTPScope) -> Answering | None:
        """What answers this request; None if that is for Litestar to say."""
        method, path = scope["method"], scope["path"]
        above, _, name = path.rpartition("/")
        return self._at.get((method, path)) or (self._below.get((method, above)) if name else None)


def last_part(scope: HTTPScope) -> str:
    """What stands in a request's path after the last slash."""
    return scope["path"].rpartition("/")[2]

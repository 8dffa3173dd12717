"""Exchanges: each request with its response, reported once to observers, whatever answered it.

An application reports what it answers, including 404 and the errors of its exception handlers. A connection reports
the requests that it refuses before they reach an application.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias, cast

import attrs
from litestar.types import Message, Scope

from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_http.errors import BY_STATUS
from reviewinvite_http.requests import HEADER, request_id_of

UNKNOWN = "unknown"
"""The route of a request whose path no handler serves."""

CLIENT_GONE = 499
"""Status of an exchange whose client went away before there was a response; nobody receives it."""

_KEY = "reviewinvite.exchange"
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_PARAMETER = re.compile("{[^}]*}")
_TRACE_PARENT = re.compile(b"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_log = get_logger("reviewinvite.http")


class Failure(NamedTuple):
    """Why the service could not do what a request asked for: what to log about it."""

    event: str
    level: int
    facts: Mapping[str, str]


class Exchange(NamedTuple):
    """A request with its response; of what a client wrote, it has only a well-formed request id and `traceparent`.

    `route` is a template such as `/v1/verify/...`, or `unknown`; `method` is `other` if it is not a usual one.
    `seconds` passed until the response began. `code` is empty below status 400. `trace_parent` is empty if the client
    sent none.
    """

    route: str
    method: str
    status: int
    seconds: float
    request_id: str
    code: str = ""
    failure: Failure | None = None
    trace_parent: str = ""


Observer: TypeAlias = Callable[[Exchange], None]
"""Receives each exchange just before its response is sent; it must be quick, and safe to call from any thread."""


@attrs.define(eq=False)
class _Open:
    """An exchange that may still be without a response."""

    observers: Sequence[Observer]
    began: float
    code: str = ""
    failure: Failure | None = None
    is_client_gone: bool = False
    has_ended: bool = False


def begin(scope: Scope, observers: Sequence[Observer]) -> str:
    """Begin the exchange of a request; return its id."""
    cast("dict[str, Any]", scope)[_KEY] = _Open(observers, perf_counter())
    return request_id_of(scope)


async def complete_response(message: Message, scope: Scope) -> None:
    """Add the request id to a response, and report its exchange. A hook: middleware would not see 404 responses."""
    if message["type"] == "http.response.start":
        message["headers"] = [*message["headers"], (HEADER, request_id_of(scope).encode())]
        end(scope, message["status"])


def end(scope: Scope, status: int) -> None:
    """Report the exchange of this request, unless that was done or it never began."""
    exchange = _open_in(scope)
    if exchange is None or exchange.has_ended:
        return
    exchange.has_ended = True
    if exchange.is_client_gone:
        status, exchange.code = CLIENT_GONE, "client_disconnected"
    method = cast("dict[str, Any]", scope)["method"]
    report(
        exchange.observers,
        Exchange(
            route_of(scope),
            method if method in _METHODS else "other",
            status,
            perf_counter() - exchange.began,
            request_id_of(scope),
            "" if status < 400 else exchange.code or _code_of(status),
            exchange.failure,
            _trace_parent_in(scope.get("headers", ())),
        ),
    )


def report_refused(observers: Sequence[Observer], *, status: int, seconds: float, request_id: str) -> None:
    """Report a request that was refused before it reached an application."""
    report(observers, Exchange(UNKNOWN, "other", status, seconds, request_id, _code_of(status)))


def report(observers: Sequence[Observer], exchange: Exchange) -> None:
    """Pass an exchange to all observers; one that raises an exception does not affect the response."""
    for observer in observers:
        try:
            observer(exchange)
        except Exception as fault:  # its text may contain anything
            _log.error("an observer of requests failed", cause=type(fault).__name__)


def note_code(scope: Scope, code: str) -> None:
    """Note the error code of the response to this request."""
    if exchange := _open_in(scope):
        exchange.code = code


def note_client_gone(scope: Scope) -> None:
    """Note that the client of this request went away."""
    if exchange := _open_in(scope):
        exchange.is_client_gone = True


def note_failure(scope: Scope, failure: Failure) -> bool:
    """Note why the service could not do what this request asks for; return False if its exchange was reported."""
    exchange = _open_in(scope)
    if exchange is None or exchange.has_ended:
        return False
    exchange.failure = failure
    return True


def route_of(scope: Scope) -> str:
    """Return the route of a request in a form that may be logged, such as `/r/...`; `unknown` if it has none."""
    return _route(scope.get("path_template", ""))


@lru_cache(maxsize=1024)
def _route(template: str) -> str:
    return _PARAMETER.sub("...", template) or UNKNOWN


def _trace_parent_in(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the `traceparent` of W3C Trace Context, if there is one and it is well-formed; otherwise an empty text."""
    given = [value for name, value in headers if name == b"traceparent"]
    return given[0].decode() if len(given) == 1 and _TRACE_PARENT.fullmatch(given[0]) else ""


@lru_cache(maxsize=1024)
def _code_of(status: int) -> str:
    """Return the code of a response whose own code is not known."""
    if row := BY_STATUS.get(status):
        return row.code
    try:
        return HTTPStatus(status).phrase.lower().replace(" ", "_")
    except ValueError:
        return UNKNOWN


def _open_in(scope: Scope) -> _Open | None:
    exchange: _Open | None = cast("dict[str, Any]", scope).get(_KEY)
    return exchange

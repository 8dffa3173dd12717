"""Log what became of requests: their routes and ids, but nothing that a client wrote.

Each response with a status of 400 or more makes one line. So does each failure, even if its response is an empty
script with 200. All others are lines of the access log, at level DEBUG. The command writes the first 20 equal lines
of a minute and counts the others. ADR-64.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping

from litestar.types import Scope

from reviewinvite_core import ApplicationClosed, StorageUnavailable
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_http.exchanges import Exchange, Failure, note_failure, route_of
from reviewinvite_http.requests import request_id_of

_log = get_logger("reviewinvite.http")
_access = get_logger("reviewinvite.access")
_access_level = logging.getLogger("reviewinvite.access")


def log_exchange(exchange: Exchange) -> None:
    """Log a request that was refused or failed; others only if the access log is on."""
    if failure := exchange.failure:
        _log.log(failure.level, failure.event, **_facts(exchange), **failure.facts)
    elif exchange.status >= 500:
        _log.warning("request failed", **_facts(exchange))
    elif exchange.status >= 400:
        _log.info("request refused", **_facts(exchange))
    elif _access_level.isEnabledFor(logging.DEBUG):
        _access.debug("request", **_facts(exchange))


def log_unavailable(scope: Scope, error: StorageUnavailable | ApplicationClosed) -> None:
    """Log that storage failed during a request."""
    _fail(scope, Failure("storage unavailable", logging.WARNING, {"cause": str(error)}))


def log_fault(scope: Scope, error: BaseException) -> None:
    """Log an unexpected exception of a request, and where it happened."""
    _fail(scope, Failure("internal error", logging.ERROR, {"exception": _trace(error)}))


def _fail(scope: Scope, failure: Failure) -> None:
    """Log a failure with its response; at once, if the response has begun."""
    if not note_failure(scope, failure):
        facts = {"route": route_of(scope), "requestId": request_id_of(scope)}
        _log.log(failure.level, failure.event, **facts, **failure.facts)


def _facts(exchange: Exchange) -> Mapping[str, object]:
    facts = {
        "route": exchange.route,
        "method": exchange.method,
        "status": exchange.status,
        "code": exchange.code,
        "requestId": exchange.request_id,
        "seconds": round(exchange.seconds, 4),
    }
    return facts if exchange.code else {name: fact for name, fact in facts.items() if name != "code"}


def _trace(error: BaseException | None) -> str:
    """Return the traceback of an exception and of its causes, the first cause first.

    It has no messages and no values of variables, which could be keys, addresses or whatever a client sent.
    """
    if error is None:
        return ""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"{_trace(cause)}{frames}{type(error).__qualname__}\n"

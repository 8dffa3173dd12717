"""Log what failed about a request: its route and its id, but nothing that a client wrote."""

from __future__ import annotations

import re
import traceback

from litestar.types import Scope

from reviewinvite_core import StorageUnavailable
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_http.request_ids import request_id_of

_log = get_logger("reviewinvite.http")
_PARAMETER = re.compile("{[^}]*}")


def log_unavailable(scope: Scope, error: StorageUnavailable) -> None:
    """Log that storage failed during a request."""
    _log.warning("storage unavailable", path=route_of(scope), requestId=request_id_of(scope), cause=str(error))


def log_fault(scope: Scope, error: BaseException) -> None:
    """Log an unexpected exception of a request, and where it happened."""
    _log.error("internal error", path=route_of(scope), requestId=request_id_of(scope), exception=_trace(error))


def route_of(scope: Scope) -> str:
    """Return the route of a request in a form that may be logged, such as `/r/...`; `unknown` if it has none."""
    return _PARAMETER.sub("...", scope.get("path_template", "")) or "unknown"


def _trace(error: BaseException | None) -> str:
    """Return the traceback of an exception and of its causes, the first cause first.

    It has no messages and no values of variables, which could be keys, addresses or whatever a client sent.
    """
    if error is None:
        return ""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"{_trace(cause)}{frames}{type(error).__qualname__}\n"

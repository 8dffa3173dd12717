"""Loggers of the library: structlog in front of the standard library's `logging`.

Nothing is configured for the process. Without handlers the library prints nothing. With handlers its lines look like
those of any other library: a plain formatter writes `event key=value ...`, and one that writes JSON finds
`record.event` and `record.fields`. The message has no control characters; `fields` are as they were given.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from typing import Any, cast

import structlog
from structlog.typing import EventDict, WrappedLogger

from reviewinvite_core.domain.text import escape_controls

ROOT = "reviewinvite"

REQUEST_ID: ContextVar[str] = ContextVar("reviewinvite.request_id")
"""The request on whose behalf the current code runs; its id is in all lines logged meanwhile."""

_KEY_VALUE = structlog.processors.LogfmtRenderer(bool_as_flag=False)
_CALL_SITE = 4  # frames from the call site to `logging`: three of structlog's, and the caller's own

logging.getLogger(ROOT).addHandler(logging.NullHandler())


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return the logger with this name, which is `reviewinvite` or begins with `reviewinvite.`."""
    logger = structlog.wrap_logger(
        logging.getLogger(name),
        processors=[structlog.stdlib.filter_by_level, _to_record],
        wrapper_class=structlog.stdlib.BoundLogger,
        context_class=dict,
        cache_logger_on_first_use=True,
    )
    return cast(structlog.stdlib.BoundLogger, logger)


def _to_record(_: WrappedLogger, __: str, fields: EventDict) -> tuple[tuple[str], dict[str, Any]]:
    """Return the arguments for `logging`: the message for readers, and its parts for programs."""
    event = fields.pop("event")
    if request_id := REQUEST_ID.get(None):
        fields.setdefault("requestId", request_id)
    message = f"{event} {_KEY_VALUE(_, __, fields)}" if fields else str(event)
    return (escape_controls(message),), {"extra": {"event": event, "fields": fields}, "stacklevel": _CALL_SITE}

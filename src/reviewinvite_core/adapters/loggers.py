"""Loggers of the library: structlog in front of the standard library's `logging`, to which everything goes.

Nothing is configured for the process. Without handlers the library prints nothing; with them its lines come out as
those of any other library: `event key=value ...` from a plain formatter, and `record.event` and `record.fields` for
one that writes JSON.
"""

from __future__ import annotations

import logging
from typing import Any, cast

import structlog
from structlog.typing import EventDict, WrappedLogger

ROOT = "reviewinvite"

_KEY_VALUE = structlog.processors.LogfmtRenderer(bool_as_flag=False)
_CALL_SITE = 4  # frames from who logs to `logging`: three of structlog's, and the one that logs

logging.getLogger(ROOT).addHandler(logging.NullHandler())


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """Return the logger of this name, which is `reviewinvite` or begins with `reviewinvite.`."""
    logger = structlog.wrap_logger(
        logging.getLogger(name),
        processors=[structlog.stdlib.filter_by_level, _to_record],
        wrapper_class=structlog.stdlib.BoundLogger,
        context_class=dict,
        cache_logger_on_first_use=True,
    )
    return cast(structlog.stdlib.BoundLogger, logger)


def _to_record(_: WrappedLogger, __: str, fields: EventDict) -> tuple[tuple[str], dict[str, Any]]:
    """Return what `logging` is called with: the message for readers, and what it is made of for programs."""
    event = fields.pop("event")
    message = f"{event} {_KEY_VALUE(_, __, fields)}" if fields else str(event)
    return (message,), {"extra": {"event": event, "fields": fields}, "stacklevel": _CALL_SITE}

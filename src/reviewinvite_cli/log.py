"""How log lines are written: key=value on a terminal, a JSON object a line otherwise; those of other libraries too."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger
    from structlog.typing import EventDict, WrappedLogger

_FIRST = ["timestamp", "level", "event", "inviteId", "state", "reason", "reply"]


def log_to(stream: TextIO, *, json: bool = False) -> BoundLogger:
    """Send what this process logs to `stream`, and return a logger for more of it.

    What cannot be written is left out. Other libraries are heard from warnings on.
    """
    from reviewinvite_core.bootstrap.loggers import ROOT, get_logger

    handler = _LastingHandler(stream)
    handler.setFormatter(_formatter(plain=json or not stream.isatty()))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger(ROOT).setLevel(logging.INFO)
    return get_logger(f"{ROOT}.cli")


class _LastingHandler(logging.StreamHandler[TextIO]):
    """A stream whose reader may go away, and whose disk may be full: a log that fails stops nothing."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Say nothing of a line that could not be written."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def _formatter(*, plain: bool) -> logging.Formatter:
    import structlog

    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            _facts,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.add_log_level,
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            *([] if plain else [_yes_or_no]),
            structlog.processors.JSONRenderer(ensure_ascii=False)
            if plain
            else structlog.processors.LogfmtRenderer(key_order=_FIRST, drop_missing=True),
        ],
    )


def _facts(_: WrappedLogger, __: str, logged: EventDict) -> EventDict:
    """Return a record as its facts: ours has them, of another library's there are its logger and its message.

    Of an exception only the name is kept: its text and frames may hold anything, an address too.
    """
    record: logging.LogRecord = logged["_record"]
    meta = {"_record": record, "_from_structlog": False}
    if hasattr(record, "fields") and hasattr(record, "event"):
        return {**record.fields, "event": record.event, **meta}
    cause = {"cause": record.exc_info[0].__name__} if record.exc_info and record.exc_info[0] else {}
    return {"logger": record.name, **cause, "event": logged["event"], **meta}


def _yes_or_no(_: WrappedLogger, __: str, facts: EventDict) -> EventDict:
    """What is true or false in words; the renderer would write a bare name, or leave the value away."""
    words = {True: "yes", False: "no"}
    return {name: words[value] if isinstance(value, bool) else value for name, value in facts.items()}

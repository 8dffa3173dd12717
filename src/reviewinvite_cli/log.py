"""Format of log lines, including other libraries': key=value on a terminal, otherwise a JSON object per line."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger
    from structlog.typing import EventDict, WrappedLogger

_FIRST = ["timestamp", "level", "event", "inviteId", "state", "reason", "reply"]


def log_to(stream: TextIO, *, json: bool = False) -> BoundLogger:
    """Send this process's log lines to `stream`, and return a logger.

    Lines that cannot be written are dropped. Other libraries' lines are logged from level WARNING up.
    """
    from reviewinvite_core.bootstrap.loggers import ROOT, get_logger

    handler = _LastingHandler(stream)
    handler.setFormatter(_formatter(plain=json or not stream.isatty()))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger(ROOT).setLevel(logging.INFO)
    return get_logger(f"{ROOT}.cli")


class _LastingHandler(logging.StreamHandler[TextIO]):
    """Handler for a stream whose reader may go away and whose disk may be full: failures to write are ignored."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Ignore a line that could not be written."""
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
            _escape,
        ],
    )


def _facts(_: WrappedLogger, __: str, logged: EventDict) -> EventDict:
    """Return a record's fields; for other libraries' records, the logger and the message.

    Only the name of an exception is kept: its text and frames may contain anything, including an address.
    """
    record: logging.LogRecord = logged["_record"]
    meta = {"_record": record, "_from_structlog": False}
    if hasattr(record, "fields") and hasattr(record, "event"):
        return {**record.fields, "event": record.event, **meta}
    cause = {"cause": record.exc_info[0].__name__} if record.exc_info and record.exc_info[0] else {}
    return {"logger": record.name, **cause, "event": logged["event"], **meta}


def _escape(_: WrappedLogger, __: str, line: EventDict | str) -> str:
    """Return the line without characters that control a terminal; JSON stays the same JSON."""
    from reviewinvite_core.bootstrap.loggers import escape_controls

    return escape_controls(str(line))


def _yes_or_no(_: WrappedLogger, __: str, facts: EventDict) -> EventDict:
    """Return the facts with booleans as words; the renderer would write only the name, or drop the value."""
    words = {True: "yes", False: "no"}
    return {name: words[value] if isinstance(value, bool) else value for name, value in facts.items()}

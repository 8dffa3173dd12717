"""Format of log lines, including other libraries': key=value on a terminal, otherwise a JSON object per line."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from reviewinvite_cli.repeats import FIRST_LINES, Repeats

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger
    from structlog.typing import EventDict, WrappedLogger

    from reviewinvite_core import Settings

_FIRST = ["timestamp", "level", "event", "inviteId", "state", "reason", "reply"]


def log_to(
    stream: TextIO, settings: Settings | None = None, *, json: bool = False, repeats: Repeats | None = None
) -> BoundLogger:
    """Send this process's log lines to `stream`, and return a logger.

    Level and format are those of the settings; `json` takes precedence. Lines that cannot be written are dropped.
    Other libraries' lines are logged from level WARNING up. At level DEBUG no line is only counted.
    """
    from reviewinvite_core.bootstrap.loggers import ROOT, get_logger

    level = logging.getLevelNamesMapping()[settings.log_level.upper()] if settings else logging.INFO
    form = settings.log_format if settings else "auto"
    first = sys.maxsize if level <= logging.DEBUG else FIRST_LINES
    handler = _LastingHandler(stream, repeats or Repeats(time.monotonic, first=first))
    handler.setFormatter(_formatter(plain=json or form == "json" or (form == "auto" and not stream.isatty())))
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)
    logging.getLogger(ROOT).setLevel(level)
    return get_logger(f"{ROOT}.cli")


class _LastingHandler(logging.StreamHandler[TextIO]):
    """Handler for a stream whose reader may go away and whose disk may be full: failures to write are ignored.

    Repeated lines are counted; a timer writes their summaries if no other line does, and closing writes the last ones.
    """

    def __init__(self, stream: TextIO, repeats: Repeats) -> None:
        super().__init__(stream)
        self._repeats = repeats
        self._timer: threading.Timer | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write all summaries that are due, and the line, unless it is only counted."""
        self._write_summaries()
        if self._repeats.admit(record):
            super().emit(record)
        self._start_timer()

    def close(self) -> None:
        """Write the last summaries."""
        with self._locked():
            if self._timer:
                self._timer.cancel()
            for summary in self._repeats.summaries(at_end=True):
                super().emit(summary)
        super().close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.acquire()
        try:
            yield
        finally:
            self.release()

    def _write_summaries(self) -> None:
        for summary in self._repeats.summaries():
            super().emit(summary)

    def _start_timer(self) -> None:
        left = self._repeats.seconds_left()
        if left is None or self._timer is not None:
            return
        self._timer = threading.Timer(left, self._on_time)
        self._timer.daemon = True
        try:
            self._timer.start()
        except RuntimeError:  # no thread is to be had: the next line or the end writes the summaries
            self._timer = None

    def _on_time(self) -> None:
        with self._locked():
            self._timer = None
            self._write_summaries()
            self._start_timer()

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

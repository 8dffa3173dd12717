"""How log lines are written: key=value on a terminal, a JSON object a line otherwise."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from structlog.typing import EventDict, WrappedLogger

_FIRST = ["timestamp", "level", "event", "inviteId", "state", "reason", "reply"]


def log_to(stream: TextIO, *, json: bool = False) -> WrappedLogger:
    """Send what this process logs to `stream`, and give a logger for more of it. What cannot be written is left out."""
    import structlog

    plain = json or not stream.isatty()
    structlog.configure(
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.add_log_level,
            *([] if plain else [_yes_or_no]),
            structlog.processors.JSONRenderer(ensure_ascii=False)
            if plain
            else structlog.processors.LogfmtRenderer(key_order=_FIRST, drop_missing=True),
        ],
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", _Lasting(stream))),
    )
    return structlog.get_logger("reviewinvite.cli")


class _Lasting:
    """A stream whose reader may go away, and whose disk may be full: a log that fails stops nothing."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write it, if that can be done."""
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        """Flush, if that can be done."""
        with suppress(OSError):
            self._stream.flush()


def log_nothing() -> None:
    """Keep log lines off the screen, where the command itself says what happens."""
    import structlog

    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())


def _yes_or_no(_: WrappedLogger, __: str, facts: EventDict) -> EventDict:
    """What is true or false in words; the renderer would write a bare name, or leave the value away."""
    words = {True: "yes", False: "no"}
    return {name: words[value] if isinstance(value, bool) else value for name, value in facts.items()}

"""How log lines are written: key=value on a terminal, a JSON object a line otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from structlog.typing import EventDict, WrappedLogger

_FIRST = ["timestamp", "level", "event", "inviteId", "state", "reason", "reply"]


def log_to(stream: TextIO, *, json: bool = False) -> WrappedLogger:
    """Send what this process logs to `stream`, and give a logger for more of it."""
    import structlog

    plain = json or not stream.isatty()
    structlog.configure(
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            *([] if plain else [_yes_or_no]),
            structlog.processors.JSONRenderer(ensure_ascii=False)
            if plain
            else structlog.processors.LogfmtRenderer(key_order=_FIRST, drop_missing=True),
        ],
        logger_factory=structlog.WriteLoggerFactory(stream),
    )
    return structlog.get_logger("reviewinvite.cli")


def log_nothing() -> None:
    """Keep log lines off the screen, where the command itself says what happens."""
    import structlog

    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())


def _yes_or_no(_: WrappedLogger, __: str, facts: EventDict) -> EventDict:
    """What is true or false in words; the renderer would write a bare name, or leave the value away."""
    words = {True: "yes", False: "no"}
    return {name: words[value] if isinstance(value, bool) else value for name, value in facts.items()}

"""What the library logs, for tests: the facts of each line."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ROOT = logging.getLogger("reviewinvite")


class _Facts(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, Any]] = []

    def emit(self, record: Any) -> None:
        self.lines.append({"event": record.event, "log_level": record.levelname.lower(), **record.fields})


class _FactsOfTheService(_Facts):
    def emit(self, record: Any) -> None:
        if record.event != "request refused":
            super().emit(record)
            if "status" not in record.fields:
                self.lines[-1].pop("requestId", None)


@contextmanager
def captured_logs() -> Iterator[list[dict[str, Any]]]:
    """Yield a list that gets each line from `info` on: its `event`, its `log_level` and its fields.

    It has no lines of refused requests, and request ids only in those of failures; `captured_lines` has all.
    """
    with _captured(_FactsOfTheService(), logging.INFO) as lines:
        yield lines


@contextmanager
def captured_lines() -> Iterator[list[dict[str, Any]]]:
    """Yield a list that gets each line: its `event`, its `log_level` and its fields."""
    with _captured(_Facts(), logging.DEBUG) as lines:
        yield lines


@contextmanager
def _captured(handler: _Facts, from_level: int) -> Iterator[list[dict[str, Any]]]:
    level = ROOT.level
    ROOT.addHandler(handler)
    ROOT.setLevel(from_level)
    try:
        yield handler.lines
    finally:
        ROOT.setLevel(level)
        ROOT.removeHandler(handler)


@contextmanager
def unconfigured_logging() -> Iterator[None]:
    """Begin with the logging configuration of a new process, and put the present one back."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, ROOT.level
    root.handlers = []
    try:
        yield
    finally:
        root.handlers = before[0]
        root.setLevel(before[1])
        ROOT.setLevel(before[2])

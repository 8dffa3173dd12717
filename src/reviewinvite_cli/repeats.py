"""Count repeated log lines: the first of a kind in a minute are written, and then one line with the number of others.

A fault repeats with every request: one burst of traffic against a database that was away wrote 11,839 lines. ADR-64.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import attrs

INTERVAL_SECONDS = 60.0
FIRST_LINES = 20
MOST_KINDS = 256

_REFUSED = "request refused"
_VARYING = frozenset(("requestId", "seconds", "method", "inviteId", "messageId"))  # between lines of one kind
_OF_ONE_THING = frozenset(("inviteId", "messageId"))  # each line is about another one
_RETRIED = {"state": "scheduled", "reason": "unreachable"}


@attrs.define
class _Kind:
    example: logging.LogRecord
    until: float
    written: int = 0
    repeated: int = 0


class Repeats:
    """Decides which log lines are written; a kind of line is its fields without ids, method and time.

    The `first` lines of a kind in an interval are written, the others counted. Only warnings, errors, refused requests
    and deliveries that found no mail server are counted; other lines about an invitation or a message never are.
    Beyond `most_kinds` kinds in one interval, lines count as one more kind together.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        seconds: float = INTERVAL_SECONDS,
        first: int = FIRST_LINES,
        most_kinds: int = MOST_KINDS,
    ) -> None:
        self._clock = clock
        self._seconds = seconds
        self._first = first
        self._most_kinds = most_kinds
        self._kinds: dict[Hashable, _Kind] = {}

    def admit(self, record: logging.LogRecord) -> bool:
        """Return whether this line is to be written; otherwise count it. Take the `summaries` that are due before."""
        key = _kind_of(record)
        if key is None:
            return True
        if key not in self._kinds and len(self._kinds) >= self._most_kinds:
            key = "others"
        kind = self._kinds.get(key)
        if kind is None:
            example = _others(record) if key == "others" else record
            kind = self._kinds[key] = _Kind(example, self._clock() + self._seconds)
        if kind.written < self._first:
            kind.written += 1
            return True
        kind.repeated += 1
        return False

    def summaries(self, *, at_end: bool = False) -> Iterator[logging.LogRecord]:
        """Yield a line for each kind that was counted, if its interval is over or at the end; forget these kinds."""
        now = self._clock()
        for key, kind in tuple(self._kinds.items()):
            if now < kind.until and not at_end:
                continue
            del self._kinds[key]
            if kind.repeated:
                yield _summary(kind.example, kind.repeated)

    def seconds_left(self) -> float | None:
        """Return the seconds until summaries are due, or None if no line was counted."""
        ends = [kind.until for kind in self._kinds.values() if kind.repeated]
        return max(0.0, min(ends) - self._clock()) if ends else None


def _kind_of(record: logging.LogRecord) -> Hashable | None:
    """Return what lines of the same kind have in common, or None for a line that is always written."""
    fields: Mapping[str, object] | None = getattr(record, "fields", None)
    if fields is None:
        return (record.name, record.levelno, record.msg) if record.levelno >= logging.WARNING else None
    event = getattr(record, "event", record.msg)
    is_retried = _RETRIED.items() <= fields.items()
    if not is_retried and not _OF_ONE_THING.isdisjoint(fields):
        return None
    if record.levelno < logging.WARNING and event != _REFUSED and not is_retried:
        return None
    same = tuple((name, str(value)) for name, value in fields.items() if name not in _VARYING)
    return (record.name, record.levelno, event, same)


def _summary(example: logging.LogRecord, repeated: int) -> logging.LogRecord:
    """Return a line like the example, with the number of repetitions and without what varied between them."""
    made: Any = copy.copy(example)
    fields = getattr(example, "fields", {})
    made.fields = {**{name: value for name, value in fields.items() if name not in _VARYING}, "repeated": repeated}
    if not hasattr(made, "event"):
        made.event, made.fields["logger"] = example.getMessage(), example.name
    now = logging.LogRecord(example.name, example.levelno, "", 0, "", (), None)
    made.created, made.msecs = now.created, now.msecs
    return made  # type: ignore[no-any-return]  # a copy of a record


def _others(record: logging.LogRecord) -> logging.LogRecord:
    """Return the example of the lines for which there is no room."""
    made: Any = copy.copy(record)
    made.event, made.fields = "more lines, of too many kinds to count each", {}
    return made  # type: ignore[no-any-return]  # a copy of a record

"""Count repeated log lines instead of writing each of them: one line at once, then one per minute with the count.

A fault repeats with every request: one burst of traffic against a database that was away wrote 11,839 lines. ADR-64.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import attrs

INTERVAL_SECONDS = 60.0
MOST_KINDS = 256

_REFUSED = "request refused"
_VARYING = frozenset(("requestId", "seconds", "method"))  # between lines of one kind
_OF_ONE_THING = frozenset(("inviteId", "messageId"))  # each line is about another one


@attrs.define
class _Kind:
    example: logging.LogRecord
    until: float
    repeated: int = 0


class Repeats:
    """Decides which log lines are written; a kind of line is its fields without request id, method and time.

    Only warnings, errors and refused requests are counted; lines about an invitation or a message never are. Beyond
    `most_kinds` kinds in one interval, lines count as one more kind together.
    """

    def __init__(
        self, clock: Callable[[], float], *, seconds: float = INTERVAL_SECONDS, most_kinds: int = MOST_KINDS
    ) -> None:
        self._clock = clock
        self._seconds = seconds
        self._most_kinds = most_kinds
        self._kinds: dict[Hashable, _Kind] = {}

    def admit(self, record: logging.LogRecord) -> bool:
        """Return whether this line is to be written; otherwise count it."""
        kind = _kind_of(record)
        if kind is None:
            return True
        known = self._kinds.get(kind)
        if known is None and len(self._kinds) >= self._most_kinds:
            kind = "others"
            known = self._kinds.get(kind)
        if known is not None and self._clock() < known.until:
            known.repeated += 1
            return False
        if known is not None and known.repeated:
            known.repeated += 1  # its summary, which is due, counts this one too
            return False
        example = _others(record) if kind == "others" else record
        self._kinds[kind] = _Kind(example, self._clock() + self._seconds)
        return True

    def summaries(self, *, at_end: bool = False) -> Iterator[logging.LogRecord]:
        """Yield a line for each kind that was repeated, if its interval is over or at the end; forget the others."""
        now = self._clock()
        for key, kind in tuple(self._kinds.items()):
            if now < kind.until and not at_end:
                continue
            if not kind.repeated:
                del self._kinds[key]
                continue
            yield _summary(kind.example, kind.repeated)
            kind.repeated, kind.until = 0, now + self._seconds

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
    if (record.levelno < logging.WARNING and event != _REFUSED) or not _OF_ONE_THING.isdisjoint(fields):
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

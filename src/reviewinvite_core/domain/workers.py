"""Workers that deliver: their heartbeats, and which of them are missing. ADR-70."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import attrs

WORKER_BYTES = 8
"""Length of a worker's id. The token of each of its claims begins with it, so its claims are found by their tokens."""

TOKEN_BYTES = 16


@attrs.frozen(kw_only=True)
class Pace:
    """How often a worker beats, and after how long it is missing, its row is forgotten, and what it holds is stuck."""

    beat: timedelta = timedelta(seconds=20)
    missing_after: timedelta = timedelta(minutes=2)
    forgotten_after: timedelta = timedelta(days=1)
    stuck_after: timedelta = timedelta(minutes=5)


PACE = Pace()
"""The pace of every worker."""


@attrs.frozen(kw_only=True)
class Heartbeat:
    """What the database knows of a worker: `host` is that of the hand-over mark, or empty; `at` its last beat."""

    worker: bytes
    host: str
    counter: int
    at: datetime


@attrs.frozen
class _Seen:
    """A counter, since when by the observer's clock it has not changed, and whether it stood so when that began."""

    counter: int
    since: float
    from_start: bool


class WorkerWatch:
    """One observer of all workers: a worker is missing if its counter did not change for `missing_after`.

    Time is the observer's own monotonic clock, in seconds: no clock of another machine decides, and none that is set.
    """

    def __init__(self, missing_after: timedelta) -> None:
        self._missing_after = missing_after.total_seconds()
        self._seen: Mapping[bytes, _Seen] | None = None

    def observe(self, beats: Sequence[Heartbeat], monotonic: float) -> Sequence[Heartbeat]:
        """Note the counters as they are now, and return the workers that are missing."""
        seen: dict[bytes, _Seen] = {}
        for each in beats:
            known = self._seen.get(each.worker) if self._seen else None
            if known is None or known.counter != each.counter:
                known = _Seen(each.counter, monotonic, from_start=self._seen is None)
            seen[each.worker] = known
        self._seen = seen
        return [each for each in beats if monotonic - seen[each.worker].since >= self._missing_after]

    def is_from_before(self, beat: Heartbeat) -> bool:
        """Return whether this worker has not beaten since this observer began."""
        known = (self._seen or {}).get(beat.worker)
        return known is not None and known.from_start


def first_and_last_token(worker: bytes) -> tuple[bytes, bytes]:
    """Return the least and the greatest token that a claim of this worker can have."""
    missing = TOKEN_BYTES - len(worker)
    return worker + b"\x00" * missing, worker + b"\xff" * missing

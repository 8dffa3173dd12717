"""Heartbeats of workers as rows, and how much they hold or will try again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds
from reviewinvite_core.domain.workers import Heartbeat

_BEAT = """
INSERT INTO workers (worker, host, counter, beat_at) VALUES (:worker, :host, 1, :at)
ON CONFLICT (worker) DO UPDATE SET host = excluded.host, counter = workers.counter + 1, beat_at = excluded.beat_at
"""
_EVERY = "SELECT worker, host, counter, beat_at FROM workers ORDER BY worker"
_REMOVE = "DELETE FROM workers WHERE worker = :worker"
_HELD = "SELECT 1 FROM {table} WHERE state IN ('claimed', 'handing_over') AND changed_at < :before LIMIT :most"
_RETRYING = """
FROM invitations WHERE state = 'scheduled' AND attempts > 0
  AND EXISTS (SELECT 1 FROM shops WHERE shops.number = invitations.shop AND shops.active = 1)
"""
_RETRYING_NOTICES = "SELECT 1 FROM messages WHERE state = 'scheduled' AND attempts > 0 LIMIT :most"
_BOTH = "SELECT (SELECT COUNT(*) FROM ({}) AS one) + (SELECT COUNT(*) FROM ({}) AS two)"
_COUNT_HELD = _BOTH.format(_HELD.format(table="invitations"), _HELD.format(table="messages"))
_COUNT_RETRYING = _BOTH.format(f"SELECT 1 {_RETRYING} LIMIT :most", _RETRYING_NOTICES)
_OLDEST_RETRYING = f"SELECT scheduled_for {_RETRYING} ORDER BY scheduled_for LIMIT 1"


@attrs.frozen
class SqlWorkers:
    """Implements `ports.Workers`."""

    _connection: Connection

    def beat(self, worker: bytes, host: str, now: datetime) -> None:
        self._connection.execute(_BEAT, {"worker": worker, "host": host, "at": to_microseconds(now)})

    def every(self) -> Sequence[Heartbeat]:
        return [
            Heartbeat(worker=bytes(worker), host=host, counter=counter, at=from_microseconds(beat_at))
            for worker, host, counter, beat_at in self._connection.execute(_EVERY, {}).fetchall()
        ]

    def remove(self, worker: bytes) -> None:
        self._connection.execute(_REMOVE, {"worker": worker})

    def count_held(self, before: datetime, most: int) -> int:
        return self._count(_COUNT_HELD, {"before": to_microseconds(before), "most": most})

    def count_retrying(self, most: int) -> int:
        return self._count(_COUNT_RETRYING, {"most": most})

    def oldest_retrying(self) -> datetime | None:
        row = self._connection.execute(_OLDEST_RETRYING, {}).fetchone()
        return from_microseconds(row[0]) if row else None

    def _count(self, statement: str, parameters: Mapping[str, object]) -> int:
        (count,) = self._connection.execute(statement, parameters).fetchone()
        return int(count)

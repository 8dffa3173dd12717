"""Hosts that deliver, as rows."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.adapters.sql.relay import IS_ACCEPTANCE_AWAITED
from reviewinvite_core.adapters.sql.rows import instant_or_none, microseconds_or_null
from reviewinvite_core.domain.handovers import Ahead, DeliveryHost
from reviewinvite_core.domain.identifiers import id_bytes, id_text

_NAMED = struct.Struct(">Q16s")  # an invitation in `named`: the number of its shop, and its id
_EVERY = "SELECT host, fence, ahead, horizon, named FROM hosts ORDER BY host"
_WITH_ALL_AHEAD = """
SELECT host, fence, ahead, horizon, named FROM hosts WHERE host = :host OR ahead IS NOT NULL ORDER BY host
"""
_REGISTER = "INSERT INTO hosts (host, fence) VALUES (:host, 0) ON CONFLICT (host) DO NOTHING"
_RAISE_FENCE = f"""
UPDATE hosts SET fence = fence + :count WHERE host = :host RETURNING fence, {IS_ACCEPTANCE_AWAITED}
"""
_NOTE_AHEAD = """
INSERT INTO hosts (host, fence, ahead, horizon, named) VALUES (:host, 0, :ahead, :horizon, :named)
ON CONFLICT (host) DO UPDATE SET ahead = excluded.ahead, horizon = excluded.horizon, named = excluded.named
"""
_CATCH_UP = """
UPDATE hosts SET
    fence = CASE WHEN fence < :number THEN :number ELSE fence END, ahead = NULL, horizon = NULL, named = NULL
WHERE host = :host
"""


@attrs.frozen
class SqlHosts:
    """Implements `ports.DeliveryHosts`."""

    _connection: Connection

    def every(self) -> Sequence[DeliveryHost]:
        return [_host_from(row) for row in self._connection.execute(_EVERY, {}).fetchall()]

    def with_all_ahead(self, host: str) -> Sequence[DeliveryHost]:
        return [_host_from(row) for row in self._connection.execute(_WITH_ALL_AHEAD, {"host": host}).fetchall()]

    def register(self, host: str) -> None:
        self._connection.execute(_REGISTER, {"host": host})

    def raise_fence(self, host: str, count: int = 1) -> tuple[int, bool]:
        number, awaited = self._connection.execute(_RAISE_FENCE, {"host": host, "count": count}).fetchone()
        return int(number), bool(awaited)

    def note_ahead(self, ahead: Ahead) -> None:
        noted = {
            "host": ahead.host,
            "ahead": ahead.number,
            "horizon": microseconds_or_null(ahead.horizon),
            "named": b"".join(_NAMED.pack(shop, id_bytes(invite_id)) for shop, invite_id in ahead.named) or None,
        }
        self._connection.execute(_NOTE_AHEAD, noted)

    def catch_up(self, host: str, number: int) -> None:
        self._connection.execute(_CATCH_UP, {"host": host, "number": number})


def _host_from(row: Row) -> DeliveryHost:
    host, fence, ahead, horizon, named = row
    return DeliveryHost(
        host=host,
        fence=fence,
        ahead=ahead,
        horizon=instant_or_none(horizon),
        named=tuple((shop, id_text(invite_id)) for shop, invite_id in _NAMED.iter_unpack(named or b"")),
    )

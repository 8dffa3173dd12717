"""What is known about the mail server, as rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.adapters.sql.rows import instant_or_none, microseconds_or_null
from reviewinvite_core.domain.relay import RefusedMail, Relay
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

MOST_NOTED = 64  # more tell no more: an outage needs five domains, and whoever is not noted is tried first
IS_OUTAGE = "EXISTS (SELECT 1 FROM relay WHERE id = 1 AND outage_since IS NOT NULL)"
IS_ACCEPTANCE_AWAITED = "EXISTS (SELECT 1 FROM relay WHERE id = 1 AND refused_at >= COALESCE(accepted_at, refused_at))"

_COLUMNS = "epoch, accepted_at, refused_at, refused_since, tries, outage_since, probe_at"
_STATE = f"SELECT {_COLUMNS} FROM relay WHERE id = 1"
# It makes the row if there is none, and locks it until the transaction ends.
_LOCK = f"""
INSERT INTO relay (id, epoch, tries) VALUES (1, 0, 0)
ON CONFLICT (id) DO UPDATE SET tries = relay.tries RETURNING {_COLUMNS}
"""
_KEEP = """
UPDATE relay SET epoch = :epoch, accepted_at = :accepted_at, refused_at = :refused_at, refused_since = :refused_since,
    tries = :tries, outage_since = :outage_since, probe_at = :probe_at
WHERE id = 1
"""
_MAIL = "SELECT shop, domain_hash, refused_at FROM refused_mail ORDER BY refused_at, shop, domain_hash"
_NOTE_MAIL = """
INSERT INTO refused_mail (shop, domain_hash, refused_at)
SELECT CAST(:shop AS BIGINT), :domain_hash, CAST(:refused_at AS BIGINT)
WHERE (SELECT COUNT(*) FROM refused_mail) < :most
   OR EXISTS (SELECT 1 FROM refused_mail WHERE shop = :shop AND domain_hash = :domain_hash)
ON CONFLICT (shop, domain_hash) DO UPDATE SET refused_at = excluded.refused_at
"""
_FORGET_MAIL = "DELETE FROM refused_mail"


@attrs.frozen
class SqlRelay:
    """Implements `ports.RelayLog`."""

    _connection: Connection

    def state(self) -> Relay:
        row = self._connection.execute(_STATE, {}).fetchone()
        return _relay_from(row) if row else Relay()

    def lock(self) -> Relay:
        return _relay_from(self._connection.execute(_LOCK, {}).fetchone())

    def keep(self, relay: Relay) -> None:
        kept = {
            "epoch": relay.epoch,
            "accepted_at": microseconds_or_null(relay.accepted_at),
            "refused_at": microseconds_or_null(relay.refused_at),
            "refused_since": microseconds_or_null(relay.refused_since),
            "tries": relay.tries,
            "outage_since": microseconds_or_null(relay.outage_since),
            "probe_at": microseconds_or_null(relay.probe_at),
        }
        self._connection.execute(_KEEP, kept)

    def refused_mail(self) -> Sequence[RefusedMail]:
        rows = self._connection.execute(_MAIL, {}).fetchall()
        return [RefusedMail(shop_number=shop, domain=bytes(of), at=from_microseconds(at)) for shop, of, at in rows]

    def note_mail(self, refused: Collection[tuple[int, bytes]], at: datetime) -> None:
        for shop, domain in refused:
            noted = {"shop": shop, "domain_hash": domain, "refused_at": to_microseconds(at), "most": MOST_NOTED}
            self._connection.execute(_NOTE_MAIL, noted)

    def forget_mail(self) -> None:
        self._connection.execute(_FORGET_MAIL, {})


def _relay_from(row: Row) -> Relay:
    epoch, accepted_at, refused_at, refused_since, tries, outage_since, probe_at = row
    return Relay(
        epoch=epoch,
        accepted_at=instant_or_none(accepted_at),
        refused_at=instant_or_none(refused_at),
        refused_since=instant_or_none(refused_since),
        tries=tries,
        outage_since=instant_or_none(outage_since),
        probe_at=instant_or_none(probe_at),
    )

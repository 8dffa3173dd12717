"""Hosts that shops claim as theirs, as rows. An index ensures that no two shops have the same one verified."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.adapters.sql.rows import instant_or_none, microseconds_or_null, rows_for
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

FIELDS = (
    "shop",
    "host",
    "token",
    "added_at",
    "verified_at",
    "vouched",
    "checked_at",
    "missing_since",
    "lost_at",
    "reason",
)
COLUMNS = ", ".join(FIELDS)
_ADD = f"""
INSERT INTO domains ({COLUMNS})
VALUES (:shop, :host, :token, :added_at, :verified_at, :vouched, :checked_at, :missing_since, :lost_at, :reason)
ON CONFLICT (shop, host) DO NOTHING
"""
_FIND = f"SELECT {COLUMNS} FROM domains WHERE shop = :shop AND host = :host"
_OF_SHOP = f"SELECT {COLUMNS} FROM domains WHERE shop = :shop"
_HOLDERS = "SELECT host, shop FROM domains WHERE verified_at IS NOT NULL AND host IN ({rows})"
_VERIFIED_OF = "SELECT shop, host FROM domains WHERE verified_at IS NOT NULL AND shop IN ({rows})"
_TO_RECHECK = f"""
SELECT {COLUMNS} FROM domains
WHERE verified_at IS NOT NULL AND vouched = 0 AND COALESCE(checked_at, added_at)
    NOT BETWEEN CASE WHEN missing_since <= :missing_before THEN :recently ELSE :before END AND :after
ORDER BY COALESCE(checked_at, added_at), shop, host LIMIT :most
"""
_CHANGE = """
UPDATE domains
SET verified_at = :verified_at, vouched = :vouched, checked_at = :checked_at, missing_since = :missing_since,
    lost_at = :lost_at, reason = :reason
WHERE shop = :shop AND host = :host
"""
_REMOVE = f"DELETE FROM domains WHERE shop = :shop AND host = :host RETURNING {COLUMNS}"


@attrs.frozen
class SqlDomains:
    """Implements `ports.Domains`."""

    _connection: Connection
    _skip_locked: str = ""

    def add(self, domain: Domain) -> Domain:
        added = self._connection.execute(_ADD, _parameters(domain)).rowcount > 0
        return domain if added else self.find(domain.shop_number, domain.host.text) or domain

    def find(self, shop_number: int, host: str) -> Domain | None:
        row = self._connection.execute(_FIND, {"shop": shop_number, "host": host}).fetchone()
        return domain_from(row) if row else None

    def of_shop(self, shop_number: int) -> Sequence[Domain]:
        domains = [domain_from(row) for row in self._connection.execute(_OF_SHOP, {"shop": shop_number}).fetchall()]
        return sorted(domains, key=lambda domain: domain.host.text)  # databases order by their locale

    def holders(self, hosts: Collection[str]) -> Mapping[str, int]:
        return dict(rows_for(self._connection, _HOLDERS, ":host_#", [{"host": host} for host in hosts]))

    def verified_of(self, shop_numbers: Collection[int]) -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = {}
        asked = [{"shop": number} for number in shop_numbers]
        for shop, host in rows_for(self._connection, _VERIFIED_OF, ":shop_#", asked):
            found.setdefault(shop, []).append(host)
        return {shop: sorted(hosts) for shop, hosts in found.items()}

    def to_recheck(
        self, before: datetime, after: datetime, limit: int, *, missing_before: datetime, recently: datetime
    ) -> Sequence[Domain]:
        asked = {
            "before": to_microseconds(before),
            "after": to_microseconds(after),
            "missing_before": to_microseconds(missing_before),
            "recently": to_microseconds(recently),
            "most": limit,
        }
        return [domain_from(row) for row in self._connection.execute(_TO_RECHECK + self._skip_locked, asked).fetchall()]

    def change(self, domain: Domain) -> None:
        self._connection.execute(_CHANGE, _parameters(domain))

    def remove(self, shop_number: int, host: str) -> Domain | None:
        rows = self._connection.execute(_REMOVE, {"shop": shop_number, "host": host}).fetchall()
        return domain_from(rows[0]) if rows else None


def _parameters(domain: Domain) -> dict[str, object]:
    return {
        "shop": domain.shop_number,
        "host": domain.host.text,
        "token": domain.token,
        "added_at": to_microseconds(domain.added_at),
        "verified_at": microseconds_or_null(domain.verified_at),
        "vouched": int(domain.vouched),
        "checked_at": microseconds_or_null(domain.checked_at),
        "missing_since": microseconds_or_null(domain.missing_since),
        "lost_at": microseconds_or_null(domain.lost_at),
        "reason": domain.reason,
    }


def domain_from(row: Row) -> Domain:
    shop, host, token, added_at, verified_at, vouched, checked_at, missing_since, lost_at, reason = row
    return Domain(
        shop_number=shop,
        host=HostName(host),
        token=token,
        added_at=from_microseconds(added_at),
        verified_at=instant_or_none(verified_at),
        vouched=bool(vouched),
        checked_at=instant_or_none(checked_at),
        missing_since=instant_or_none(missing_since),
        lost_at=instant_or_none(lost_at),
        reason=reason,
    )

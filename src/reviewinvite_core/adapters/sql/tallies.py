"""What limits count, a row an admission: exact at any limit, and as cheap at 6,000 a minute as at 30 (ADR-5)."""

from __future__ import annotations

from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.domain.limits import Subject
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_NEWEST = "SELECT MAX(seq) FROM admissions WHERE shop = :shop AND subject = :subject"

_NTH_NEWEST = f"""
SELECT admitted_at FROM admissions
WHERE shop = :shop AND subject = :subject AND seq = ({_NEWEST}) - :count + 1
"""
_ADMIT = f"""
INSERT INTO admissions (shop, subject, seq, admitted_at)
VALUES (:shop, :subject, COALESCE(({_NEWEST}), 0) + 1, :at)
"""
_ADMIT_IN_PLACE = f"""
UPDATE admissions SET seq = seq + :count, admitted_at = :at
WHERE shop = :shop AND subject = :subject AND seq = ({_NEWEST}) - :count + 1
"""
_SWEEP = "DELETE FROM admissions WHERE admitted_at < :before OR admitted_at > :after"


@attrs.frozen
class SqlTallies:
    """See `ports.Tallies`."""

    _connection: Connection

    def nth_newest(self, subject: Subject, count: int) -> datetime | None:
        """See `ports.Tallies`."""
        parameters = {"shop": subject.shop_number, "subject": subject.name, "count": count}
        row = self._connection.execute(_NTH_NEWEST, parameters).fetchone()
        return from_microseconds(row[0]) if row else None

    def admit(self, subject: Subject, at: datetime, *, replacing_nth: int | None) -> None:
        """See `ports.Tallies`."""
        parameters = {
            "shop": subject.shop_number,
            "subject": subject.name,
            "at": to_microseconds(at),
            "count": replacing_nth,
        }
        self._connection.execute(_ADMIT if replacing_nth is None else _ADMIT_IN_PLACE, parameters)

    def sweep(self, *, before: datetime, after: datetime) -> int:
        """See `ports.Tallies`."""
        parameters = {"before": to_microseconds(before), "after": to_microseconds(after)}
        return self._connection.execute(_SWEEP, parameters).rowcount

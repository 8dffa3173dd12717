"""Admissions under rate limits, one row each: exact at any limit, and as cheap at 6,000 a minute as at 30 (ADR-5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Cursor
from reviewinvite_core.adapters.sql.rows import chunks, expand_values, flatten_params
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_ASKED = "WITH asked (place, shop, subject) AS (VALUES {rows})"
_ROW = "(#, CAST(:shop_# AS BIGINT), CAST(:subject_# AS TEXT))"
_NEWEST = "SELECT MAX(seq) FROM admissions AS counted WHERE shop = asked.shop AND subject = asked.subject"

_NTH_NEWEST = f"""
{_ASKED}
SELECT place, (
    SELECT admitted_at FROM admissions
    WHERE shop = asked.shop AND subject = asked.subject AND seq = ({_NEWEST}) - :count + 1
)
FROM asked
"""
_ADMIT = f"""
{_ASKED}
INSERT INTO admissions (shop, subject, seq, admitted_at)
SELECT shop, subject, COALESCE(({_NEWEST}), 0) + 1, :at FROM asked
"""
_ADMIT_IN_PLACE = f"""
{_ASKED}
UPDATE admissions SET seq = admissions.seq + :count, admitted_at = :at
FROM asked
WHERE admissions.shop = asked.shop AND admissions.subject = asked.subject
  AND admissions.seq = ({_NEWEST}) - :count + 1
RETURNING admissions.shop, admissions.subject
"""
_BRING_BACK = f"""
{_ASKED}
UPDATE admissions SET admitted_at = :now
FROM asked
WHERE admissions.shop = asked.shop AND admissions.subject = asked.subject AND admissions.admitted_at > :now
"""
# Select by `admitted_at`. The unary + disables the index on shop, which would scan every client: all are of shop 0.
_FOUND = """
WITH found AS (SELECT shop, subject, seq, admitted_at FROM admissions WHERE {condition} LIMIT :most {skip_locked})
"""
_IS_FOUND = """
WHERE admitted_at IN (SELECT admitted_at FROM found) AND (+shop, subject, seq) IN (SELECT shop, subject, seq FROM found)
RETURNING 1
"""
_SWEEP = f"{_FOUND} DELETE FROM admissions {_IS_FOUND}"
_BRING_BACK_ALL = f"{_FOUND} UPDATE admissions SET admitted_at = :now {_IS_FOUND}"


@attrs.frozen
class SqlRateLimitLog:
    """Implements `ports.RateLimitLog`."""

    _connection: Connection
    _skip_locked: str = ""

    def nth_newest(self, limit_keys: Sequence[LimitKey], count: int) -> Mapping[LimitKey, datetime]:
        found = {}
        for portion in chunks(limit_keys):
            for place, admitted_at in self._execute(_NTH_NEWEST, portion, count=count).fetchall():
                if admitted_at is not None:
                    found[portion[place]] = from_microseconds(admitted_at)
        return found

    def admit(self, limit_keys: Sequence[LimitKey], at: datetime, *, replacing_nth: int | None = None) -> None:
        instant = to_microseconds(at)
        for portion in chunks(limit_keys):
            if replacing_nth is not None:
                rows = self._execute(_ADMIT_IN_PLACE, portion, at=instant, count=replacing_nth).fetchall()
                replaced = {LimitKey(shop, name) for shop, name in rows}
                portion = [limit_key for limit_key in portion if limit_key not in replaced]  # swept meanwhile
            if portion:
                self._execute(_ADMIT, portion, at=instant)

    def _execute(self, statement: str, limit_keys: Sequence[LimitKey], **parameters: int) -> Cursor:
        asked = flatten_params([{"shop": limit_key.shop_number, "subject": limit_key.name} for limit_key in limit_keys])
        return self._connection.execute(expand_values(statement, _ROW, len(limit_keys)), {**asked, **parameters})

    def bring_back(self, limit_keys: Sequence[LimitKey], now: datetime) -> None:
        for portion in chunks(limit_keys):
            self._execute(_BRING_BACK, portion, now=to_microseconds(now))

    def sweep(self, before: datetime, limit: int) -> int:
        statement = _SWEEP.format(condition="admitted_at < :before", skip_locked=self._skip_locked)
        return len(self._connection.execute(statement, {"before": to_microseconds(before), "most": limit}).fetchall())

    def bring_back_all(self, now: datetime, *, later_than: datetime, limit: int) -> int:
        statement = _BRING_BACK_ALL.format(condition="admitted_at > :later_than", skip_locked=self._skip_locked)
        parameters = {"now": to_microseconds(now), "later_than": to_microseconds(later_than), "most": limit}
        return len(self._connection.execute(statement, parameters).fetchall())

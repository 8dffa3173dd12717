"""Daily counters, one row each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date

import attrs

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.rows import chunks, expand_values, flatten_params, placed_rows_for
from reviewinvite_core.domain.limits import LimitKey

_COUNTED = """
WITH asked (place, shop, subject) AS (VALUES {rows})
SELECT asked.place, tally.counted FROM asked
JOIN day_tallies AS tally ON tally.shop = asked.shop AND tally.subject = asked.subject AND tally.day = :day
"""
_ASKED_ROW = "(#, CAST(:shop_# AS BIGINT), CAST(:subject_# AS TEXT))"
_COUNT = """
INSERT INTO day_tallies (shop, subject, day, counted) VALUES {rows}
ON CONFLICT (shop, subject, day) DO UPDATE SET counted = day_tallies.counted + excluded.counted
"""
_COUNT_ROW = "(:shop_#, :subject_#, :day, :counted_#)"
_SWEEP = """
WITH spent AS (SELECT shop, subject, day FROM day_tallies WHERE day < :before LIMIT :most {skip_locked})
DELETE FROM day_tallies WHERE (shop, subject, day) IN (SELECT shop, subject, day FROM spent)
RETURNING 1
"""


@attrs.frozen
class SqlDailyCounters:
    """Implements `ports.DailyCounters`. A day is stored as its number in the proleptic Gregorian calendar."""

    _connection: Connection
    _skip_locked: str = ""

    def counted(self, limit_keys: Collection[LimitKey], day: date) -> Mapping[LimitKey, int]:
        keys = list(limit_keys)
        asked = [{"shop": one.shop_number, "subject": one.name} for one in keys]
        found = placed_rows_for(self._connection, _COUNTED, _ASKED_ROW, asked, day=day.toordinal())
        return {keys[place]: counted for place, counted in found}

    def count(self, counts: Mapping[LimitKey, int], day: date) -> None:
        for portion in chunks(list(counts.items())):
            new = flatten_params(
                [{"shop": one.shop_number, "subject": one.name, "counted": more} for one, more in portion]
            )
            statement = expand_values(_COUNT, _COUNT_ROW, len(portion))
            self._connection.execute(statement, {**new, "day": day.toordinal()})

    def sweep(self, before: date, limit: int) -> int:
        parameters = {"before": before.toordinal(), "most": limit}
        return len(self._connection.execute(_SWEEP.format(skip_locked=self._skip_locked), parameters).fetchall())

"""Orders that open snippets reported of late, one row for a person, a shop and an instant (ADR-67)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.rows import chunks, expand_values, flatten_params, placed_rows_for
from reviewinvite_core.domain.frequency import Recipient
from reviewinvite_core.domain.timing import to_microseconds

_SUM = """
(
    SELECT SUM(counted) FROM snippet_reports AS one
    WHERE one.person_hash = asked.person_hash AND one.reported_at > :since AND one.reported_at < :until
)
"""
_COUNTED = f"""
WITH asked (place, shop, person_hash) AS (VALUES {{rows}})
SELECT place, {_SUM.replace("WHERE", "WHERE one.shop = asked.shop AND")}, {_SUM} FROM asked
"""
_ASKED_ROW = "(#, CAST(:shop_# AS BIGINT), :person_hash_#)"
_COUNT = """
INSERT INTO snippet_reports (person_hash, reported_at, shop, counted) VALUES {rows}
ON CONFLICT (person_hash, reported_at, shop) DO UPDATE SET counted = snippet_reports.counted + excluded.counted
"""
_COUNT_ROW = "(:person_hash_#, :at, :shop_#, 1)"
_SWEEP = """
WITH spent AS (
    SELECT person_hash, reported_at, shop FROM snippet_reports WHERE reported_at < :before LIMIT :most {skip_locked}
)
DELETE FROM snippet_reports
WHERE (person_hash, reported_at, shop) IN (SELECT person_hash, reported_at, shop FROM spent) RETURNING 1
"""


@attrs.frozen
class SqlSnippetReports:
    """Implements `ports.SnippetReports`."""

    _connection: Connection
    _skip_locked: str = ""

    def counted(
        self, asked: Collection[Recipient], since: datetime, until: datetime
    ) -> Mapping[Recipient, tuple[int, int]]:
        people = list(asked)
        span = {"since": to_microseconds(since), "until": to_microseconds(until)}
        found = placed_rows_for(self._connection, _COUNTED, _ASKED_ROW, _rows(people), **span)
        return {people[place]: (int(at_shop or 0), int(all_)) for place, at_shop, all_ in found if all_}

    def count(self, reported: Collection[Recipient], at: datetime) -> None:
        for portion in chunks(list(reported)):
            statement = expand_values(_COUNT, _COUNT_ROW, len(portion))
            self._connection.execute(statement, {**flatten_params(_rows(portion)), "at": to_microseconds(at)})

    def sweep(self, before: datetime, limit: int) -> int:
        parameters = {"before": to_microseconds(before), "most": limit}
        return len(self._connection.execute(_SWEEP.format(skip_locked=self._skip_locked), parameters).fetchall())


def _rows(people: Collection[Recipient]) -> Sequence[Mapping[str, object]]:
    return [{"shop": shop, "person_hash": person_hash} for shop, person_hash in people]

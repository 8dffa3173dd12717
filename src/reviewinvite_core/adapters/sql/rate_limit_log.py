"""Admissions under rate limits, in runs of up to 32: exact at any limit, and as cheap at 6,000 a minute as at 30.

A row is a run: admissions of one key, one after the other, within one minute of the first. `seq` is the first one's
number among all of its key, and `admitted_at` its instant. `later` has eight digits for each further one: microseconds
after the first. An admission mostly lengthens a row, so that it writes neither a key nor an index (ADR-5, ADR-53).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Cursor
from reviewinvite_core.adapters.sql.rows import chunks, expand_values, flatten_params
from reviewinvite_core.domain.limits import MINUTE, LimitKey, Usage
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

RUN_LENGTH = 32  # rewriting a longer row costs more than beginning another now and then
RUN_SPAN = MINUTE
_DIGITS = 8  # microseconds of less than a minute
_SPAN = RUN_SPAN // timedelta(microseconds=1)
_ZERO = "0" * _DIGITS

_ASKED = "WITH asked (place, shop, subject) AS (VALUES {rows})"
_ROW = "(#, CAST(:shop_# AS BIGINT), CAST(:subject_# AS TEXT))"
_SAME = "{0}.shop = asked.shop AND {0}.subject = asked.subject"
_LAST = f"seq + LENGTH(later) / {_DIGITS}"  # the number of a run's last admission
_OF_NEWEST = f"""
(SELECT {{}} FROM admissions AS newest WHERE {_SAME.format("newest")} ORDER BY seq DESC LIMIT 1)
"""
_NEWEST_RUN, _NEWEST = _OF_NEWEST.format("seq"), _OF_NEWEST.format(_LAST)

_PLACES = f"""
{_ASKED}, nth (place, shop, subject, seq) AS MATERIALIZED (
    SELECT place, shop, subject, {_NEWEST} - :count + 1 FROM asked
)
"""
_OF_NTH = _SAME.format("run").replace("asked", "nth")
_NTH = f"""
(
    SELECT admitted_at + CAST(
        NULLIF(SUBSTR('{_ZERO}' || later, CAST((nth.seq - run.seq) * {_DIGITS} + 1 AS INTEGER), {_DIGITS}), '')
        AS BIGINT
    )
    FROM admissions AS run
    WHERE {_OF_NTH} AND run.seq <= nth.seq
    ORDER BY run.seq DESC LIMIT 1
)
"""
_NTH_NEWEST = f"{_PLACES} SELECT place, {_NTH} FROM nth"
# With the run that holds the last admission up to `after`, or else the oldest run; and when the next run begins.
_USAGE = f"""
{_PLACES}, edge (place, nth_newest, newest, shop, subject, seq) AS MATERIALIZED (
    SELECT place, {_NTH}, seq + :count - 1, shop, subject, COALESCE(
        (SELECT run.seq FROM admissions AS run
         WHERE {_OF_NTH} AND run.admitted_at <= :after ORDER BY run.seq DESC LIMIT 1),
        (SELECT MIN(run.seq) FROM admissions AS run WHERE {_OF_NTH})
    )
    FROM nth
)
SELECT edge.place, edge.nth_newest, edge.newest, run.seq, run.admitted_at, run.later, (
    SELECT next.admitted_at FROM admissions AS next
    WHERE next.shop = edge.shop AND next.subject = edge.subject AND next.seq > edge.seq
    ORDER BY next.seq LIMIT 1
)
FROM edge JOIN admissions AS run ON run.shop = edge.shop AND run.subject = edge.subject AND run.seq = edge.seq
"""
# The 1 before the distance keeps its leading zeros.
_LENGTHEN = f"""
{_ASKED}
UPDATE admissions SET later = later || SUBSTR(CAST(1{_ZERO} + :at - admitted_at AS TEXT), 2)
FROM asked
WHERE {_SAME.format("admissions")} AND admissions.seq = {_NEWEST_RUN}
  AND LENGTH(later) < {_DIGITS * (RUN_LENGTH - 1)} AND admitted_at <= :at AND admitted_at > :at - {_SPAN}
RETURNING admissions.shop, admissions.subject
"""
_BEGIN = f"""
{_ASKED}
INSERT INTO admissions (shop, subject, seq, admitted_at, later)
SELECT shop, subject, COALESCE({_NEWEST}, 0) + 1, :at, '' FROM asked
"""
# A key's oldest run makes room, once none of its admissions is among the newest `count`.
_BEGIN_IN_PLACE = f"""
{_ASKED}
UPDATE admissions SET seq = {_NEWEST} + 1, admitted_at = :at, later = ''
FROM asked
WHERE {_SAME.format("admissions")}
  AND admissions.seq = (SELECT MIN(seq) FROM admissions AS oldest WHERE {_SAME.format("oldest")})
  AND {_LAST} <= {_NEWEST} - :count + 1
RETURNING admissions.shop, admissions.subject
"""
_AHEAD = f"""
{_ASKED}
SELECT run.shop, run.subject, run.seq, run.admitted_at, run.later
FROM asked JOIN admissions AS run ON {_SAME.format("run")} AND run.admitted_at > :now - {_SPAN}
"""
_REDATE = """
UPDATE admissions SET admitted_at = :admitted_at, later = :later
WHERE shop = :shop AND subject = :subject AND seq = :seq
"""
# Select by `admitted_at`. The unary + disables the index on shop, which would scan every client: all are of shop 0.
_FOUND = """
WITH found AS (SELECT shop, subject, seq, admitted_at FROM admissions WHERE {condition} LIMIT :most {skip_locked})
"""
_IS_FOUND = """
WHERE admitted_at IN (SELECT admitted_at FROM found) AND (+shop, subject, seq) IN (SELECT shop, subject, seq FROM found)
RETURNING 1
"""
# All of such a run is later than `now`, as `later_than` is at least as much later as a run is long.
_REACHES = f"""
admitted_at > :later_than - {_SPAN}
AND admitted_at + CAST(SUBSTR('{_ZERO}' || later, LENGTH(later) + 1, {_DIGITS}) AS BIGINT) > :later_than
"""
_SWEEP = f"{_FOUND} DELETE FROM admissions {_IS_FOUND}"
_BRING_BACK_ALL = f"""
{_FOUND} UPDATE admissions
SET admitted_at = :now, later = SUBSTR('{_ZERO * (RUN_LENGTH - 1)}', 1, LENGTH(later)) {_IS_FOUND}
"""


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

    def usage(self, limit_keys: Sequence[LimitKey], count: int, *, after: datetime) -> Mapping[LimitKey, Usage]:
        edge = to_microseconds(after)
        used = dict.fromkeys(limit_keys, Usage())
        for portion in chunks(limit_keys):
            for place, *row in self._execute(_USAGE, portion, count=count, after=edge).fetchall():
                used[portion[place]] = _usage(edge, *row)
        return used

    def admit(self, limit_keys: Sequence[LimitKey], at: datetime, *, replacing_nth: int | None = None) -> None:
        instant = to_microseconds(at)
        for portion in chunks(limit_keys):
            portion = self._rest(_LENGTHEN, portion, at=instant)
            if replacing_nth is not None:
                portion = self._rest(_BEGIN_IN_PLACE, portion, at=instant, count=replacing_nth)
            if portion:
                self._execute(_BEGIN, portion, at=instant)

    def _rest(self, statement: str, limit_keys: Sequence[LimitKey], **parameters: int) -> Sequence[LimitKey]:
        """Run a statement that admits some of these keys, and return the others."""
        if not limit_keys:
            return limit_keys
        rows = self._execute(statement, limit_keys, **parameters).fetchall()
        admitted = {LimitKey(shop, name) for shop, name in rows}
        return [limit_key for limit_key in limit_keys if limit_key not in admitted]

    def _execute(self, statement: str, limit_keys: Sequence[LimitKey], **parameters: int) -> Cursor:
        asked = flatten_params([{"shop": limit_key.shop_number, "subject": limit_key.name} for limit_key in limit_keys])
        return self._connection.execute(expand_values(statement, _ROW, len(limit_keys)), {**asked, **parameters})

    def bring_back(self, limit_keys: Sequence[LimitKey], now: datetime) -> None:
        for portion in chunks(limit_keys):
            rows = self._execute(_AHEAD, portion, now=to_microseconds(now)).fetchall()
            for shop, subject, seq, admitted_at, later in rows:
                redated = _redated(admitted_at, later, to_microseconds(now))
                self._connection.execute(_REDATE, {"shop": shop, "subject": subject, "seq": seq, **redated})

    def sweep(self, before: datetime, limit: int) -> int:
        statement = _SWEEP.format(condition="admitted_at <= :before", skip_locked=self._skip_locked)
        parameters = {"before": to_microseconds(before - RUN_SPAN), "most": limit}
        return len(self._connection.execute(statement, parameters).fetchall())

    def bring_back_all(self, now: datetime, *, later_than: datetime, limit: int) -> int:
        statement = _BRING_BACK_ALL.format(condition=_REACHES, skip_locked=self._skip_locked)
        parameters = {"now": to_microseconds(now), "later_than": to_microseconds(later_than), "most": limit}
        return len(self._connection.execute(statement, parameters).fetchall())


def _usage(
    edge: int, nth_newest: int | None, newest: int, seq: int, admitted_at: int, later: str, next_at: int | None
) -> Usage:
    """Return the use of a limit, from the run at the edge of its window."""
    run = [admitted_at, *[admitted_at + offset for offset in _offsets(later)]]
    over = bisect_right(run, edge)
    oldest = run[over] if over < len(run) else next_at
    return Usage(
        nth_newest=None if nth_newest is None else from_microseconds(nth_newest),
        admitted=newest - (seq + over - 1),
        oldest=None if oldest is None else from_microseconds(oldest),
    )


def _offsets(later: str) -> Sequence[int]:
    return [int(later[place : place + _DIGITS]) for place in range(0, len(later), _DIGITS)]


def _redated(admitted_at: int, later: str, now: int) -> Mapping[str, object]:
    """Return the values of a run whose admissions after `now` are dated to `now`."""
    first = min(admitted_at, now)
    redated = [min(admitted_at + offset, now) - first for offset in _offsets(later)]
    return {"admitted_at": first, "later": "".join(f"{offset:0{_DIGITS}}" for offset in redated)}

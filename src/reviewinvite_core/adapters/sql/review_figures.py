"""Figures behind scores, as rows: a shop's published reviews by day and by month, for each rating."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date

import attrs

from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.rows import chunks, expand_values, flatten_params, rows_for
from reviewinvite_core.domain.reviews import Review
from reviewinvite_core.domain.scores import Distribution, Figures, Score, Span, first_counted, spans_since

_RATINGS = ("ones", "twos", "threes", "fours", "fives")
_COLUMNS = (*_RATINGS, "confirmed")
_LIST = ", ".join(_COLUMNS)
_COUNT = f"""
INSERT INTO review_figures (shop, span, first_day, {_LIST}) VALUES {{rows}}
ON CONFLICT (shop, span, first_day)
DO UPDATE SET {", ".join(f"{column} = review_figures.{column} + excluded.{column}" for column in _COLUMNS)}
"""
_COUNT_ROW = f"(:shop_#, :span_#, :first_day_#, {', '.join(f':{column}_#' for column in _COLUMNS)})"
_SCORES = f"""
WITH asked (shop, span, since, until) AS (VALUES {{rows}})
SELECT asked.shop, SUM({" + ".join(_RATINGS)}), SUM({" + ".join(f"{n} * {c}" for n, c in enumerate(_RATINGS, 1))}),
    SUM(confirmed)
FROM asked
JOIN review_figures AS kept
  ON kept.shop = asked.shop AND kept.span = asked.span
  AND kept.first_day >= asked.since AND kept.first_day < asked.until
GROUP BY asked.shop
"""
_ASKED_ROW = """
(CAST(:shop_# AS BIGINT), 'day', CAST(:first_day AS BIGINT), CAST(:first_month AS BIGINT)),
(CAST(:shop_# AS BIGINT), 'month', CAST(:first_month AS BIGINT), CAST(:never AS BIGINT))
"""
_OF_MONTHS = f"""
SELECT {", ".join(f"SUM({column})" for column in _COLUMNS)} FROM review_figures WHERE shop = :shop AND span = 'month'
"""
# Day 1 of the proleptic Gregorian calendar was a Monday.
_WEEKS = f"""
SELECT (first_day - 1) / 7 * 7 + 1 AS monday, {", ".join(f"SUM({column})" for column in _COLUMNS)}
FROM review_figures WHERE shop = :shop AND span = 'day' AND first_day >= :since GROUP BY monday
"""
_FORGET = "DELETE FROM review_figures WHERE shop = :shop"
_OF_SHOP = f"SELECT span, first_day, {_LIST} FROM review_figures WHERE shop = :shop"
# Instants are microseconds since 1970; no review is older.
_RECOUNT = """
SELECT written_at / 86400000000, rating, confirmed, COUNT(*) FROM reviews
WHERE shop = :shop AND state = 'published' GROUP BY written_at / 86400000000, rating, confirmed
"""
_FIRST_DAY = date(1970, 1, 1).toordinal()


@attrs.frozen
class ReviewFigures:
    """The part of `ports.Reviews` about figures. A day is stored as its proleptic Gregorian ordinal."""

    _connection: Connection

    def count(self, before: Review | None, after: Review) -> None:
        """Count a review in its current version, and stop counting its previous version."""
        day, added = after.counted
        more = added + -(before.counted[1] if before else Distribution())
        if more:
            self._add([_row(after.shop_number, span, span.start(day), more) for span in Span])

    def keep(self, shop_number: int, figures: Figures) -> None:
        """Replace a shop's stored figures."""
        self._connection.execute(_FORGET, {"shop": shop_number})
        for span, stored in ((Span.DAY, figures.days), (Span.MONTH, figures.months)):
            for portion in chunks(list(stored.items())):
                self._add([_row(shop_number, span, first, each) for first, each in portion])

    def _add(self, rows: Sequence[Mapping[str, object]]) -> None:
        self._connection.execute(expand_values(_COUNT, _COUNT_ROW, len(rows)), flatten_params(rows))

    def scores(self, shop_numbers: Collection[int], today: date) -> Mapping[int, Score]:
        spans = spans_since(first_counted(today))
        bounds = {
            "first_day": spans[Span.DAY][0].toordinal(),
            "first_month": spans[Span.MONTH][0].toordinal(),
            "never": spans[Span.MONTH][1].toordinal(),
        }
        scores = {}
        asked = [{"shop": number} for number in shop_numbers]
        for number, count, total, confirmed in rows_for(self._connection, _SCORES, _ASKED_ROW, asked, **bounds):
            if count:
                scores[number] = Score(count=int(count), total=int(total), confirmed=int(confirmed))
        return scores

    def distribution(self, shop_number: int) -> Distribution:
        row = self._connection.execute(_OF_MONTHS, {"shop": shop_number}).fetchone()
        return _counted([int(count or 0) for count in row])

    def weeks(self, shop_number: int, since: date) -> Mapping[date, Distribution]:
        rows = self._connection.execute(_WEEKS, {"shop": shop_number, "since": since.toordinal()}).fetchall()
        return {date.fromordinal(monday): _counted(list(map(int, counts))) for monday, *counts in rows if any(counts)}

    def figures(self, shop_number: int) -> Figures:
        stored: dict[str, dict[date, Distribution]] = {span.value: {} for span in Span}
        for span, first_day, *counts in self._connection.execute(_OF_SHOP, {"shop": shop_number}).fetchall():
            if any(counts):
                stored[span][date.fromordinal(first_day)] = _counted(counts)
        return Figures(days=stored[Span.DAY], months=stored[Span.MONTH])

    def recount(self, shop_number: int) -> Figures:
        days: dict[date, Distribution] = {}
        for number, rating, confirmed, count in self._connection.execute(_RECOUNT, {"shop": shop_number}).fetchall():
            day = date.fromordinal(_FIRST_DAY + number)
            days[day] = days.get(day, Distribution()) + Distribution.of(rating, count, confirmed=bool(confirmed))
        return Figures.of(days)


def _counted(values: Sequence[int]) -> Distribution:
    """Return the distribution in these values of `_COLUMNS`."""
    return Distribution(tuple(values[:-1]), values[-1])


def _row(shop_number: int, span: Span, first: date, counted: Distribution) -> dict[str, object]:
    columns = dict(zip(_COLUMNS, (*counted.counts, counted.confirmed), strict=True))
    return {"shop": shop_number, "span": span.value, "first_day": first.toordinal(), **columns}

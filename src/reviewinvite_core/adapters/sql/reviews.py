"""Reviews and their history, as rows. The shop is first in every key."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date

import attrs

from reviewinvite_core.adapters.sql import shops
from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.review_figures import ReviewFigures
from reviewinvite_core.adapters.sql.review_pages import PAGE_OF_PUBLISHED, page_condition, page_parameters
from reviewinvite_core.adapters.sql.review_rows import COLUMNS, FIELDS, change_from, parameters_of, review_from
from reviewinvite_core.adapters.sql.rows import placed_rows_for, rows_for
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.identifiers import id_bytes, id_text
from reviewinvite_core.domain.reviews import Review, ReviewChange, ReviewState
from reviewinvite_core.domain.scores import Distribution, Figures, Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_ADD = f"""
INSERT INTO reviews ({", ".join(FIELDS)}) VALUES ({", ".join(f":{field}" for field in FIELDS)})
ON CONFLICT (shop, invite_id) DO NOTHING
"""
_FIXED = ("shop", "review_id", "invite_id", "written_at", "source", "confirmed")
_CHANGE = f"""
UPDATE reviews SET {", ".join(f"{field} = :{field}" for field in FIELDS if field not in _FIXED)}
WHERE shop = :shop AND review_id = :review_id AND revision = :before
"""
_ADD_CHANGE = """
INSERT INTO review_changes (shop, review_id, seq, act, state, hidden_for, changed_at)
VALUES (:shop, :review_id, :revision, :act, :state, :hidden_for, :changed_at)
"""
_FIND = f"SELECT {COLUMNS} FROM reviews WHERE shop = :shop AND review_id = :review_id"
_FIND_ALL = f"SELECT {COLUMNS} FROM reviews WHERE shop = :shop AND review_id IN ({{rows}})"
_LOCATE = f"SELECT {COLUMNS} FROM reviews WHERE shop IN (SELECT number FROM shops) AND review_id = :review_id"
_OF_INVITATION = f"SELECT {COLUMNS} FROM reviews WHERE shop = :shop AND invite_id = :invite_id"
_ASKED_ROW = "(#, CAST(:shop_# AS BIGINT), :invite_id_#)"
_REVIEWED = """
WITH asked (place, shop, invite_id) AS (VALUES {rows})
SELECT place FROM asked
WHERE EXISTS (SELECT 1 FROM reviews WHERE reviews.shop = asked.shop AND reviews.invite_id = asked.invite_id)
"""
_WITH_ORDER = f"""
SELECT {COLUMNS}, invitations.order_number FROM %s
LEFT JOIN invitations ON invitations.shop = reviews.shop AND invitations.invite_id = reviews.invite_id
"""
_CHANGED_AFTER = "reviews.shop = :shop AND (reviews.changed_at, reviews.review_id) > (:at, :review_id)"
_BY_CHANGE = "ORDER BY reviews.changed_at, reviews.review_id"
_CHANGED = f"{_WITH_ORDER % 'reviews'} WHERE {_CHANGED_AFTER} {_BY_CHANGE} LIMIT :most"
_READ = f"(SELECT * FROM reviews WHERE {_CHANGED_AFTER} {_BY_CHANGE} LIMIT :most_read) AS reviews"
_CHANGED_SELECTED = f"{_WITH_ORDER % _READ} WHERE %s {_BY_CHANGE} LIMIT :most"
_NTH_CHANGE = f"""
SELECT changed_at, review_id FROM reviews WHERE {_CHANGED_AFTER} {_BY_CHANGE} LIMIT 1 OFFSET :skipped
"""
_HAS_STATE, _HAS_RATING = "reviews.state = :state", "reviews.rating = :rating"
# This reads every review: no index has the reviews of all shops in this order.
_NEWEST_OF_ALL = f"""
SELECT {COLUMNS}, {shops.COLUMNS} FROM reviews JOIN shops ON shops.number = reviews.shop
WHERE (CAST(:state AS TEXT) IS NULL OR reviews.state = :state) AND reviews.review_id < :before
ORDER BY reviews.review_id DESC LIMIT :most
"""
_HISTORY = """
SELECT act, state, hidden_for, changed_at FROM review_changes
WHERE shop = :shop AND review_id = :review_id ORDER BY seq
"""


@attrs.frozen
class SqlReviews:
    """Implements `ports.Reviews`."""

    _connection: Connection
    _figures: ReviewFigures = attrs.field(
        init=False, default=attrs.Factory(lambda self: ReviewFigures(self._connection), takes_self=True)
    )

    def add(self, review: Review) -> bool:
        parameters = parameters_of(review)
        if self._connection.execute(_ADD, parameters).rowcount == 0:
            return False
        self._connection.execute(_ADD_CHANGE, parameters)
        self._figures.count(None, review)
        return True

    def change(self, before: Review, after: Review) -> bool:
        parameters = {**parameters_of(after), "before": before.revision}
        if self._connection.execute(_CHANGE, parameters).rowcount == 0:
            return False
        self._connection.execute(_ADD_CHANGE, parameters)
        self._figures.count(before, after)
        return True

    def find(self, shop_number: int, review_id: str) -> Review | None:
        return self._one(_FIND, {"shop": shop_number, "review_id": id_bytes(review_id)})

    def find_all(self, shop_number: int, review_ids: Collection[str]) -> Mapping[str, Review]:
        asked = [{"review_id": id_bytes(each)} for each in review_ids]
        found = map(review_from, rows_for(self._connection, _FIND_ALL, ":review_id_#", asked, shop=shop_number))
        return {each.review_id: each for each in found}

    def locate(self, review_id: str) -> Review | None:
        return self._one(_LOCATE, {"review_id": id_bytes(review_id)})

    def of_invitation(self, shop_number: int, invite_id: str) -> Review | None:
        return self._one(_OF_INVITATION, {"shop": shop_number, "invite_id": id_bytes(invite_id)})

    def reviewed(self, asked: Collection[tuple[int, str]]) -> Collection[tuple[int, str]]:
        keys = list(asked)
        rows = [{"shop": shop, "invite_id": id_bytes(invite_id)} for shop, invite_id in keys]
        return {keys[place] for (place,) in placed_rows_for(self._connection, _REVIEWED, _ASKED_ROW, rows)}

    def _one(self, statement: str, parameters: dict[str, object]) -> Review | None:
        row = self._connection.execute(statement, parameters).fetchone()
        return review_from(row) if row else None

    def published(self, shop_number: int, *, before: Bookmark | None, limit: int) -> Sequence[Review]:
        asked = page_parameters(shop_number, before.review_id if before else None, limit)
        return [review_from(row) for row in self._connection.execute(PAGE_OF_PUBLISHED, asked).fetchall()]

    def of_shop(
        self, shop_number: int, *, before: str | None, state: ReviewState | None, rating: int | None, limit: int
    ) -> Sequence[tuple[Review, str | None]]:
        page = f"{_WITH_ORDER % 'reviews'} {page_condition(state, rating)}"
        return self._with_order_numbers(page, page_parameters(shop_number, before, limit))

    def changed(
        self,
        shop_number: int,
        *,
        after: Bookmark,
        limit: int,
        state: ReviewState | None = None,
        rating: int | None = None,
        most_read: int | None = None,
    ) -> Sequence[tuple[Review, str | None]]:
        asked = {"shop": shop_number, "most": limit, **_place(after)}
        if most_read is None:
            return self._with_order_numbers(_CHANGED, asked)
        asked |= {"most_read": most_read, "state": state.value if state else None, "rating": rating}
        conditions = [_HAS_STATE] if state else []
        conditions += [_HAS_RATING] if rating else []
        return self._with_order_numbers(_CHANGED_SELECTED % (" AND ".join(conditions) or "1 = 1"), asked)

    def nth_change(self, shop_number: int, after: Bookmark, nth: int) -> Bookmark | None:
        asked = {"shop": shop_number, "skipped": nth - 1, **_place(after)}
        row = self._connection.execute(_NTH_CHANGE, asked).fetchone()
        return Bookmark(from_microseconds(row[0]), id_text(row[1])) if row else None

    def _with_order_numbers(self, statement: str, asked: dict[str, object]) -> Sequence[tuple[Review, str | None]]:
        return [(review_from(row[:-1]), row[-1]) for row in self._connection.execute(statement, asked).fetchall()]

    def newest(
        self, *, shop: Shop | None, state: ReviewState | None, limit: int, before: str | None = None
    ) -> Sequence[tuple[Shop, Review]]:
        asked = page_parameters(shop.number if shop else None, before, limit)
        if shop:
            page = f"SELECT {COLUMNS} FROM reviews {page_condition(state, None)}"
            return [(shop, review_from(row)) for row in self._connection.execute(page, asked).fetchall()]
        width, asked = len(FIELDS), {**asked, "state": state.value if state else None}
        rows = self._connection.execute(_NEWEST_OF_ALL, asked).fetchall()
        return [(shops.shop_from(row[width:]), review_from(row[:width])) for row in rows]

    def history(self, review: Review) -> Sequence[ReviewChange]:
        key = {"shop": review.shop_number, "review_id": id_bytes(review.review_id)}
        return [change_from(row) for row in self._connection.execute(_HISTORY, key).fetchall()]

    def scores(self, shop_numbers: Collection[int], today: date) -> Mapping[int, Score]:
        return self._figures.scores(shop_numbers, today)

    def distribution(self, shop_number: int) -> Distribution:
        return self._figures.distribution(shop_number)

    def weeks(self, shop_number: int, since: date) -> Mapping[date, Distribution]:
        return self._figures.weeks(shop_number, since)

    def figures(self, shop_number: int) -> Figures:
        return self._figures.figures(shop_number)

    def recount(self, shop_number: int) -> Figures:
        return self._figures.recount(shop_number)

    def keep_figures(self, shop_number: int, figures: Figures) -> None:
        self._figures.keep(shop_number, figures)


def _place(after: Bookmark) -> dict[str, object]:
    return {"at": to_microseconds(after.at), "review_id": id_bytes(after.review_id)}

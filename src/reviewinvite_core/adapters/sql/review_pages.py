"""Statements for pages of a shop's reviews, the newest first; none reads past reviews that it does not list.

The indexes by state also have the rating, so a page of one state is merged from a range of each rating.
"""

from __future__ import annotations

from reviewinvite_core.adapters.sql.review_rows import COLUMNS
from reviewinvite_core.domain.identifiers import id_bytes
from reviewinvite_core.domain.reviews import ReviewState
from reviewinvite_core.domain.scores import HIGHEST_RATING, LOWEST_RATING

_AFTER_EVERY_ID = b"\xff" * 17
_PAGE = "WHERE reviews.shop = :shop AND %s ORDER BY reviews.review_id DESC LIMIT :most"
_IS_BEFORE = "reviews.review_id < :before"
_IS_AMONG = "reviews.review_id IN (SELECT review_id FROM (%s) AS found ORDER BY review_id DESC LIMIT :most)"
# As only these indexes have this order, PostgreSQL uses them, whatever it expects of the key of the table. That would
# be as fast if reviews of all states were mixed evenly, and reads all reviews if those of one state are the oldest.
_RANGE = """
SELECT review_id FROM (
    SELECT review_id FROM reviews WHERE shop = :shop AND %s
    ORDER BY rating DESC, review_id DESC LIMIT :most
) AS rated_%s
"""
_RATED = "(rating, review_id) < ({0}, :before) AND rating >= {0}"
_IN_STATE = {  # with the conditions of the partial indexes
    ReviewState.PUBLISHED: "state = 'published'",
    ReviewState.HIDDEN: "state <> 'published' AND state = 'hidden'",
}
_WITHDRAWN = "state <> 'published' AND state = 'withdrawn' AND rating IS NULL AND review_id < :before"


def page_condition(state: ReviewState | None, rating: int | None) -> str:
    """Return what follows `FROM` in the statement for a page of reviews in this state and with this rating, if given.

    Its parameters are those of `page_parameters`.
    """
    if state is None and rating is None:
        return _PAGE % _IS_BEFORE
    if state is ReviewState.WITHDRAWN:
        ranges = [] if rating else [_WITHDRAWN]
    else:
        states = [state] if state else list(_IN_STATE)
        ratings = [rating] if rating else range(LOWEST_RATING, HIGHEST_RATING + 1)
        ranges = [f"{_IN_STATE[one]} AND {_RATED.format(stars)}" for one in states for stars in ratings]
    merged = "UNION ALL".join(_RANGE % (condition, place) for place, condition in enumerate(ranges))
    return _PAGE % (_IS_AMONG % merged if merged else "1 = 0")


def page_parameters(shop_number: int | None, before: str | None, limit: int) -> dict[str, object]:
    """Return the parameters of a page of at most `limit` reviews, after the one with the id `before`, if given."""
    return {"shop": shop_number, "before": id_bytes(before) if before else _AFTER_EVERY_ID, "most": limit}


PAGE_OF_PUBLISHED = f"SELECT {COLUMNS} FROM reviews {page_condition(ReviewState.PUBLISHED, None)}"

"""Page through a shop's reviews, the newest first, for its members. Spec: §10."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.api_key import Credential
from reviewinvite_core.domain.errors import Invalid, KeyRefused, LimitReached, Problem
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.reviews import ReviewState
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import admit_reader, credential_locks, is_charged
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.list_changes import as_shop_sees_it
from reviewinvite_core.usecases.reviews.records import ReviewRecord


def to_place(value: str | None) -> str | None:
    """Return the id of a review in its usual form; raises `Invalid` if it is none."""
    place = None if value is None else parse_uuid(value)
    if value is not None and place is None:
        raise Invalid(Problem.MALFORMED, "before")
    return place


@attrs.frozen(kw_only=True)
class ReviewFilter:
    """Selects a shop's reviews by state and rating, each optional, and at most `limit`.

    `before` is the `next` of the previous page, or a review's id.

    Raises: `Invalid` if `before` is not an id.
    """

    state: ReviewState | None = None
    rating: int | None = None
    before: str | None = attrs.field(default=None, converter=to_place)
    limit: int = 50


@attrs.frozen(kw_only=True)
class ReviewPage:
    """A page of reviews without their histories, newest first; `next` is the cursor of the next page, or None."""

    reviews: Sequence[ReviewRecord]
    next: str | None


Browsed: TypeAlias = ReviewPage | KeyRefused | LimitReached


@write(locks=credential_locks, only_if=is_charged)
def browse_reviews(ctx: UnitContext, caller: Credential, query: ReviewFilter) -> Browsed:
    """Return the newest reviews of the caller's shop. Ids increase with time, so new reviews shift no page."""
    shop = admit_reader(ctx, caller)
    if not isinstance(shop, Shop):
        return shop
    found = ctx.store.reviews.of_shop(
        shop.number, before=query.before, state=query.state, rating=query.rating, limit=query.limit + 1
    )
    page = found[: query.limit]
    return ReviewPage(
        reviews=[
            ReviewRecord(review=as_shop_sees_it(review), shop=shop, order_number=number) for review, number in page
        ],
        next=page[-1][0].review_id if len(found) > query.limit else None,
    )

"""List a shop's reviews by their last change, for the shop itself. Spec: §2, §4.7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.api_key import Credential
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import Invalid, KeyRefused, LimitReached
from reviewinvite_core.domain.reviews import Review, ReviewState
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import admit_reader, credential_locks, is_charged
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.records import ReviewRecord

MOST_READ = 1_000
"""Reviews read for one page of those in a state or with a rating; a page that finds few of them ends there."""


@attrs.frozen(kw_only=True)
class MerchantReviewQuery:
    """Selects a shop's reviews that changed after this bookmark, at most `limit`.

    `state` and `rating` select those that are in this state and have this rating now; None means any.
    """

    after: Bookmark
    limit: int = 50
    state: ReviewState | None = None
    rating: int | None = None

    @property
    def selects(self) -> bool:
        """Whether only some of the reviews are selected."""
        return self.state is not None or self.rating is not None


@attrs.frozen(kw_only=True)
class MerchantReviews:
    """A page of a shop's reviews, the least recently changed first.

    `next` is the cursor to continue from, now or later; `more` is whether more reviews are available already, or if
    only some are selected, whether there may be more.
    """

    reviews: Sequence[ReviewRecord]
    next: Bookmark
    more: bool


ListedChanges: TypeAlias = MerchantReviews | KeyRefused | LimitReached | Invalid


@write(locks=credential_locks, only_if=is_charged)
def list_review_changes(ctx: UnitContext, caller: Credential, query: MerchantReviewQuery | Invalid) -> ListedChanges:
    """Return the caller's reviews changed after the cursor, in any state, with their order numbers.

    Continuing from `next` misses nothing: changes are stored in the order of their times (ADR-27). Invalid queries
    still count against the rate limit.
    """
    shop = admit_reader(ctx, caller)
    if not isinstance(shop, Shop):
        return shop
    if isinstance(query, Invalid):
        return query
    most_read = MOST_READ if query.selects else None
    found = ctx.store.reviews.changed(
        shop.number,
        after=query.after,
        limit=query.limit + 1,
        state=query.state,
        rating=query.rating,
        most_read=most_read,
    )
    page = found[: query.limit]
    reached = page[-1][0].change_bookmark if page else query.after
    more = len(found) > query.limit
    if most_read and not more and (last_read := ctx.store.reviews.nth_change(shop.number, query.after, most_read)):
        reached, more = last_read, True
    return MerchantReviews(
        reviews=[
            ReviewRecord(review=as_shop_sees_it(review), shop=shop, order_number=number) for review, number in page
        ],
        next=reached,
        more=more,
    )


def as_shop_sees_it(review: Review) -> Review:
    """Return the review without text and name if it is hidden, so that unlawful content is not passed on."""
    return attrs.evolve(review, text=None, author=None) if review.state is ReviewState.HIDDEN else review

"""List, show and count reviews. Spec: §3, §4.7."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.api_key import OPERATOR, Actor, Credential, Operator
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.invitation_figures import Shares
from reviewinvite_core.domain.limits import day_of
from reviewinvite_core.domain.overview import first_week
from reviewinvite_core.domain.refusals import KeyRefused, LimitReached, ReviewUnknown, ShopUnknown
from reviewinvite_core.domain.reviews import Review, ReviewChange, ReviewState
from reviewinvite_core.domain.scores import NO_REVIEWS, Distribution, Score
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.admission import admit_reader, credential_locks, is_charged
from reviewinvite_core.usecases.context import UnitContext


@attrs.frozen(kw_only=True)
class ReviewRecord:
    """A review, its shop, its order number, and its history (empty unless requested)."""

    review: Review
    shop: Shop
    order_number: str | None = None
    history: Sequence[ReviewChange] = ()


def record_of(ctx: UnitContext, review: Review, shop: Shop) -> ReviewRecord:
    """Return the review with its order number, without its history."""
    invitation = ctx.store.invitations.find(review.shop_number, review.invite_id)
    return ReviewRecord(review=review, shop=shop, order_number=invitation.order_number if invitation else None)


def with_history(ctx: UnitContext, review: Review, shop: Shop) -> ReviewRecord:
    return attrs.evolve(record_of(ctx, review, shop), history=ctx.store.reviews.history(review))


def locate(ctx: UnitContext, text: str) -> tuple[Review, Shop] | None:
    review_id = parse_uuid(text)
    review = ctx.store.reviews.locate(review_id) if review_id else None
    shop = ctx.store.shops.by_number(review.shop_number) if review else None
    return (review, shop) if review and shop else None


def scores_for_shops(ctx: UnitContext, shops: Collection[Shop]) -> Mapping[int, Score]:
    """Return each shop's score, by shop number."""
    numbers = {shop.number for shop in shops}
    return {**dict.fromkeys(numbers, NO_REVIEWS), **ctx.store.reviews.scores(numbers, day_of(ctx.now))}


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
def list_review_changes(
    ctx: UnitContext, actor: Actor | Credential, query: MerchantReviewQuery | Invalid
) -> ListedChanges:
    """Return the actor's reviews changed after the cursor, in any state, with their order numbers.

    Continuing from `next` misses nothing: changes are stored in the order of their times (ADR-27). Invalid queries
    still count against the rate limit.
    """
    shop = admit_reader(ctx, actor)
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
def browse_reviews(ctx: UnitContext, actor: Actor | Credential, query: ReviewFilter) -> Browsed:
    """Return the newest reviews of the actor's shop. Ids increase with time, so new reviews shift no page."""
    shop = admit_reader(ctx, actor)
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


MOST_OF_ORDER = 10_000
"""Invitations with one order number that are searched for reviews."""


@attrs.frozen(kw_only=True)
class ReviewQuery:
    """Selects the reviews to list, at most `limit`; None means all shops, states, orders or times of writing.

    `before` is the id of the last review of the previous page.

    Raises: `Invalid` if `before` is not an id.
    """

    site_id: str | None = None
    state: ReviewState | None = None
    order_number: str | None = None
    since: datetime | None = None
    before: str | None = attrs.field(default=None, converter=to_place)
    limit: int = 100


@read
def list_reviews(ctx: UnitContext, query: ReviewQuery) -> Sequence[ReviewRecord] | ShopUnknown:
    """Return the newest reviews, newest first."""
    found = _select(ctx, query, query.limit)
    return found if isinstance(found, ShopUnknown) else [record_of(ctx, review, owner) for owner, review in found]


@read
def count_reviews(ctx: UnitContext, query: ReviewQuery, up_to: int) -> int | ShopUnknown:
    """Return how many reviews the query selects, whatever its limit; stop counting at `up_to`."""
    found = _select(ctx, query, up_to)
    return found if isinstance(found, ShopUnknown) else len(found)


def _select(ctx: UnitContext, query: ReviewQuery, limit: int) -> Sequence[tuple[Shop, Review]] | ShopUnknown:
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    if query.order_number is None:
        newest = ctx.store.reviews.newest(shop=shop, state=query.state, before=query.before, limit=limit)
    else:
        newest = _of_order(ctx, query.order_number, shop, query, limit)
    return [each for each in newest if query.since is None or each[1].written_at >= query.since]


def _of_order(
    ctx: UnitContext, order_number: str, shop: Shop | None, query: ReviewQuery, limit: int
) -> Sequence[tuple[Shop, Review]]:
    """Return the reviews of orders with this number, by their invitations: a review does not have the number."""
    invited = ctx.store.invitations.newest(shop=shop, state=None, order_number=order_number, limit=MOST_OF_ORDER)
    found = [(owner, ctx.store.reviews.of_invitation(owner.number, one.invite_id)) for owner, one in invited]
    chosen = [(owner, review) for owner, review in found if review and query.state in (None, review.state)]
    chosen.sort(key=lambda each: each[1].review_id, reverse=True)
    return [each for each in chosen if query.before is None or each[1].review_id < query.before][:limit]


Shown: TypeAlias = ReviewRecord | ReviewUnknown | KeyRefused | LimitReached


@write(locks=credential_locks, only_if=is_charged)
def show_review(ctx: UnitContext, actor: Actor | Credential | Operator, review_id: str) -> Shown:
    """Return one review with its history; another shop's review is unknown to the actor.

    A shop sees neither text nor author of a hidden review.
    """
    reader = actor if actor is OPERATOR else admit_reader(ctx, actor)
    if not isinstance(reader, Shop | Operator):
        return reader
    if isinstance(reader, Operator):
        found = locate(ctx, review_id)
        return with_history(ctx, *found) if found else ReviewUnknown(review_id)
    known = parse_uuid(review_id)
    review = ctx.store.reviews.find(reader.number, known) if known else None
    return with_history(ctx, as_shop_sees_it(review), reader) if review else ReviewUnknown(review_id)


PAGE = 20


@attrs.frozen(kw_only=True)
class ShopReviews:
    """A page of a shop's public reviews; `hosts` are its verified hosts, sorted.

    `shares` are those of the invitations of the last 12 months.
    It has up to 20 published reviews, newest first; `next` is where the next page begins, or None on the last page.
    """

    shop: Shop
    hosts: tuple[str, ...]
    all_time: Distribution
    last_12_months: Score
    shares: Shares
    reviews: Sequence[Review]
    next: Bookmark | None


@read
def show_shop_reviews(ctx: UnitContext, site_id: str, before: Bookmark | None) -> ShopReviews | ShopUnknown:
    """Return the shop's public page, with reviews after the bookmark if given. This counts no view."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    found = ctx.store.reviews.published(shop.number, before=before, limit=PAGE + 1)
    page = found[:PAGE]
    return ShopReviews(
        shop=shop,
        hosts=tuple(sorted(ctx.store.domains.verified_of([shop.number]).get(shop.number, ()))),
        all_time=ctx.store.reviews.distribution(shop.number),
        last_12_months=scores_for_shops(ctx, [shop])[shop.number],
        shares=Shares.of(ctx.store.invitation_figures.totals(shop.number, first_week(day_of(ctx.now)))),
        reviews=page,
        next=page[-1].bookmark if len(found) > PAGE else None,
    )

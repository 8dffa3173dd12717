"""Merchants list and show the reviews of their shop, and reply to them. Spec: §4.6, §4.7, §4.8, §4.12."""

from __future__ import annotations

from typing import TypeAlias

from litestar import Router, post, route
from litestar.di import NamedDependency
from litestar.params import JSONBody, SkipValidation

from reviewinvite_core import Invalid, MerchantReviewQuery, NewReply, accepted
from reviewinvite_core.values import Problem, ReviewStateConflict, ReviewUnknown
from reviewinvite_core.wire.reviews import Review, ReviewPage
from reviewinvite_http.api.parameters import ReviewId, provide_review_query
from reviewinvite_http.conversion import EMPTY_BODY
from reviewinvite_http.openapi.operations import ApiOperation, refusals
from reviewinvite_http.requests import READ, require_json
from reviewinvite_http.security import API_KEY, Merchant

_UNKNOWN = ReviewUnknown("")

Filters: TypeAlias = NamedDependency[SkipValidation[MerchantReviewQuery | Invalid]]


@route(
    "/v1/reviews",
    http_method=READ,
    dependencies={"filters": provide_review_query},
    operation_class=ApiOperation,
    summary="List the shop's reviews by their last change",
    response_description="A page of reviews, which may be empty.",
    responses=refusals(401, 422, 429, examples={422: Invalid(Problem.OUT_OF_RANGE, "limit")}),
)
async def list_reviews(merchant: NamedDependency[Merchant], filters: Filters) -> ReviewPage:
    """List the reviews of your shop in any state, the least recently changed first.

    Continue from the cursor of the last page to get every review that has changed since, including those that changed
    while you were reading.
    """
    page = accepted(await merchant.app.reviews.list_changes(merchant.key, filters))
    reviews = tuple(Review.of(each.review, each.order_number) for each in page.reviews)
    return ReviewPage(reviews=reviews, cursor=page.next.text, more=page.more)


@route(
    "/v1/reviews/{review_id:str}",
    http_method=READ,
    operation_class=ApiOperation,
    summary="Retrieve a review",
    response_description="The review.",
    responses=refusals(401, 404, 429, examples={404: _UNKNOWN}),
)
async def show_review(merchant: NamedDependency[Merchant], review_id: ReviewId) -> Review:
    """Retrieve a review of your shop."""
    found = accepted(await merchant.app.reviews.show(merchant.key, review_id))
    return Review.of(found.review, found.order_number)


@post(
    "/v1/reviews/{review_id:str}/reply",
    status_code=200,
    before_request=require_json,
    operation_class=ApiOperation,
    summary="Reply to a review",
    response_description="The review with the reply.",
    responses=refusals(
        *(401, 403, 404, 409, 413, 415, 422, 429),
        examples={404: _UNKNOWN, 409: ReviewStateConflict("hidden"), 422: Invalid(Problem.FIELD_MISSING, "text")},
    ),
)
async def reply_to_review(
    merchant: NamedDependency[Merchant], review_id: ReviewId, data: JSONBody[NewReply | Invalid] = EMPTY_BODY
) -> Review:
    """Set your reply to a review. A new reply replaces the previous one; an empty reply removes it."""
    replied = accepted(await merchant.app.reviews.reply(merchant.key, review_id, data))
    return Review.of(replied.review, replied.order_number)


REVIEWS = Router("/", route_handlers=[list_reviews, show_review, reply_to_review], security=API_KEY, tags=["Reviews"])

"""`/dashboard/<site_id>/reviews`: all reviews of the shop, and its replies to them. Spec: §10.5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import attrs
from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from reviewinvite_core import Caller, Invalid, ReviewState, accepted
from reviewinvite_core.texts import texts_in
from reviewinvite_core.values import (
    ChangedMeanwhile,
    ReviewFilter,
    ReviewPage,
    ReviewRecord,
    ReviewStateConflict,
    ShopInactive,
    permissions,
)
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.csv_export import csv_response, pages_from
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.form import Form
from reviewinvite_http.dashboard.invitations.words import SOURCES
from reviewinvite_http.dashboard.lists import EXPORT, InState, in_language
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.reviews.form import REPLY, ReplyForm, decode, version
from reviewinvite_http.dashboard.reviews.words import ACTS, HIDDEN_FOR, PARTIES, STATES
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.requests import READ

PAGE = 25
RATINGS = (5, 4, 3, 2, 1)
COLUMNS = (
    *("review_id", "order_number", "state", "rating", "author", "text", "language", "written_at", "edited_at"),
    *("reply", "replied_at", "source", "confirmed"),
)


@route("/{site_id:str}/reviews", http_method=READ, opt=needs(permissions.SEE_REVIEWS))
async def reviews_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    rating: FromQuery[str] = "",
    in_state: InState = "",
    before: FromQuery[str | None] = None,
) -> Response[Any]:
    """List the reviews of the shop, the newest first."""
    page: ReviewPage = accepted(await server.app.reviews.browse(acting, _filter(rating, in_state, before, PAGE)))
    filters = {name: value for name, value in (("rating", rating), ("state", in_state)) if value}
    return dashboard_page(
        visit,
        "reviews",
        reviews=page.reviews,
        next=page.next,
        is_newest=before is None,
        rating=rating,
        state=in_state,
        ratings=RATINGS,
        query=urlencode(filters),
        **_words(visit),
    )


@route("/{site_id:str}/reviews.csv", http_method=READ, opt=needs(permissions.SEE_REVIEWS))
async def reviews_csv(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    rating: FromQuery[str] = "",
    in_state: InState = "",
) -> Response[Any]:
    """Export the reviews of the shop, with the same filters."""
    query = _filter(rating, in_state, None, EXPORT)
    page: ReviewPage = accepted(await server.app.reviews.browse(acting, query))

    async def read(before: str) -> ReviewPage:
        return accepted(await server.app.reviews.browse(acting, attrs.evolve(query, before=before)))

    rows = (_row(record) async for each in pages_from(page, read) for record in each.reviews)
    return csv_response(visit, "reviews", COLUMNS, rows)


@route("/{site_id:str}/reviews/{review_id:str}", http_method=READ, opt=needs(permissions.SEE_REVIEWS))
async def review_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    review_id: FromPath[str],
    done: FromQuery[str] = "",
) -> Response[Any]:
    """Show a review with its history, and the form for the reply."""
    return _page(visit, accepted(await server.app.reviews.show(review_id, acting)), done=done)


@post("/{site_id:str}/reviews/{review_id:str}/reply", opt=needs(permissions.REPLY_TO_REVIEWS, typed={"text": REPLY}))
async def reply(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Caller],
    form: NamedDependency[Form],
    review_id: FromPath[str],
) -> Response[Any]:
    """Reply to a review, change the reply or remove it, unless another member has done so since the form was shown."""
    shown = accepted(await server.app.reviews.show(review_id, acting))
    decoded = decode(form, shown.review)
    if decoded.version != version(shown.review):
        return _page(visit, shown, decoded, status=409)
    if decoded.reply is None:
        return _page(visit, shown, decoded, status=422)
    replied = await server.app.reviews.reply(acting, review_id, decoded.reply, shown.review)
    if isinstance(replied, ReviewStateConflict | ChangedMeanwhile):
        return _page(visit, accepted(await server.app.reviews.show(review_id, acting)), decoded, status=409)
    if isinstance(replied, ShopInactive):  # which the frame of the page says
        return _page(visit, shown, decoded, status=403)
    done = "replied" if accepted(replied).review.reply else "removed"
    return see_other(visit, f"{visit.shop_root}/reviews/{shown.review.review_id}?done={done}")


def _page(
    visit: Visit, shown: ReviewRecord, form: ReplyForm | None = None, *, status: int = 200, done: str = ""
) -> Response[Any]:
    """Return a review's page; with a form that was not stored, what was typed is in it again."""
    stored = shown.review.reply.text if shown.review.reply else ""
    return dashboard_page(
        visit,
        "reviews",
        template="review.html",
        status=status,
        record=shown,
        review=shown.review,
        typed=form.typed if form and not form.removes else stored,
        error=texts_in(visit.language).gettext(form.error) if form and form.error else "",
        is_conflict=status == 409,
        version=version(shown.review),
        done=done,
        **_words(visit),
    )


def _filter(rating: str, state: str, before: str | None, limit: int) -> ReviewFilter:
    """Return what an address asks for.

    Raises: `NotFoundException` for a rating, a state or a place that does not exist.
    """
    if rating not in ("", *map(str, RATINGS)) or state not in ("", *ReviewState):
        raise NotFoundException
    try:
        return ReviewFilter(
            rating=int(rating) if rating else None,
            state=ReviewState(state) if state else None,
            before=before,
            limit=limit,
        )
    except Invalid:
        raise NotFoundException from None


def _words(visit: Visit) -> dict[str, Any]:
    """Return the names of states, actions, parties and reasons, in the visit's language."""
    return in_language(visit, states=STATES, acts=ACTS, parties=PARTIES, hidden_for=HIDDEN_FOR, sources=SOURCES)


def _row(record: ReviewRecord) -> Sequence[object]:
    """Return a review as a line of the export."""
    review = record.review
    return (
        *(review.review_id, record.order_number, review.state.value, review.rating, review.author, review.text),
        *(review.language.value, review.written_at.isoformat()),
        review.edited_at.isoformat() if review.edited_at else None,
        *((review.reply.text, review.reply.replied_at.isoformat()) if review.reply else (None, None)),
        *(review.source.value, str(review.confirmed).lower()),
    )

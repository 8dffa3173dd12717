"""`/dashboard/<site_id>/reviews`: all reviews of the shop, and its replies to them. Spec: §10.5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import attrs
from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from reviewinvite_core import Actor, Invalid, NewReply, ReviewState, accepted
from reviewinvite_core.texts import gettext_noop, texts_in
from reviewinvite_core.values import (
    Act,
    ChangedMeanwhile,
    HideReason,
    Party,
    Problem,
    Review,
    ReviewFilter,
    ReviewPage,
    ReviewRecord,
    ReviewStateConflict,
    ShopInactive,
    permissions,
)
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.form import Form, version_of
from reviewinvite_http.dashboard.invitations.handlers import SOURCES
from reviewinvite_http.dashboard.lists import EXPORT, InState, export, in_language
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.requests import READ

REPLY = gettext_noop("Your reply")
"""Label of the field, which the page of a failure shows again."""

TOO_LONG = gettext_noop("A reply can have at most 2,000 characters. Make it shorter.")
NOT_TEXT = gettext_noop("The reply contains invisible control characters. Type it again.")
EMPTY = gettext_noop("Write a reply first.")

STATES: Mapping[ReviewState, str] = {
    ReviewState.PUBLISHED: gettext_noop("Published"),
    ReviewState.HIDDEN: gettext_noop("Hidden"),
    ReviewState.WITHDRAWN: gettext_noop("Withdrawn"),
}

ACTS: Mapping[Act, str] = {
    Act.WRITTEN: gettext_noop("Wrote the review"),
    Act.CHANGED: gettext_noop("Changed the review"),
    Act.WITHDRAWN: gettext_noop("Withdrew the review"),
    Act.WRITTEN_AGAIN: gettext_noop("Wrote the review again"),
    Act.HIDDEN: gettext_noop("Hid the review"),
    Act.SHOWN_AGAIN: gettext_noop("Made the review visible again"),
    Act.REPLIED: gettext_noop("Replied"),
    Act.REPLY_REMOVED: gettext_noop("Removed the reply"),
    Act.NAME_REMOVED: gettext_noop("Had the name removed"),
    Act.ERASED: gettext_noop("Had the review erased"),
}

PARTIES: Mapping[Party, str] = {Party.CUSTOMER: gettext_noop("Customer"), Party.SHOP: gettext_noop("Your shop")}

HIDDEN_FOR: Mapping[HideReason, str] = {
    HideReason.UNLAWFUL: gettext_noop("It is against the law."),
    HideReason.PERSONAL_DATA: gettext_noop("It contains personal data."),
    HideReason.INSULT: gettext_noop("It insults someone."),
    HideReason.SPAM: gettext_noop("It is advertising."),
    HideReason.NOT_A_CUSTOMER: gettext_noop("It was not written by a customer."),
    HideReason.OTHER: gettext_noop("It does not follow the rules of this service."),
}


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
    acting: NamedDependency[Actor],
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
    acting: NamedDependency[Actor],
    rating: FromQuery[str] = "",
    in_state: InState = "",
) -> Response[Any]:
    """Export the reviews of the shop, with the same filters."""
    query = _filter(rating, in_state, None, EXPORT)

    async def read(before: str | None) -> ReviewPage:
        return accepted(await server.app.reviews.browse(acting, attrs.evolve(query, before=before)))

    return await export(visit, "reviews", COLUMNS, read, lambda page: map(_row, page.reviews))


@route("/{site_id:str}/reviews/{review_id:str}", http_method=READ, opt=needs(permissions.SEE_REVIEWS))
async def review_page(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    review_id: FromPath[str],
    done: FromQuery[str] = "",
) -> Response[Any]:
    """Show a review with its history, and the form for the reply."""
    return _page(visit, accepted(await server.app.reviews.show(acting, review_id)), done=done)


@post("/{site_id:str}/reviews/{review_id:str}/reply", opt=needs(permissions.REPLY_TO_REVIEWS, typed={"text": REPLY}))
async def reply(
    server: NamedDependency[ServerContext],
    visit: NamedDependency[Visit],
    acting: NamedDependency[Actor],
    form: NamedDependency[Form],
    review_id: FromPath[str],
) -> Response[Any]:
    """Reply to a review, change the reply or remove it, unless another member has done so since the form was shown."""
    shown = accepted(await server.app.reviews.show(acting, review_id))
    decoded = decode(form, shown.review)
    if decoded.version != version(shown.review):
        return _page(visit, shown, decoded, status=409)
    if decoded.reply is None:
        return _page(visit, shown, decoded, status=422)
    replied = await server.app.reviews.reply(acting, review_id, decoded.reply, shown.review)
    if isinstance(replied, ReviewStateConflict | ChangedMeanwhile):
        return _page(visit, accepted(await server.app.reviews.show(acting, review_id)), decoded, status=409)
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


@attrs.frozen(kw_only=True)
class ReplyForm:
    """A submitted form: what was typed, the reply if nothing is wrong, or the message. Removing needs no text."""

    typed: str
    version: str
    removes: bool
    reply: NewReply | None = None
    error: str = ""


def decode(form: Form, review: Review) -> ReplyForm:
    """Decode the reply to a review; an empty one, not a missing one, removes the reply that the review has."""
    typed = form.text("text")
    removes = form.text("action") == "remove"
    reply, error = _removal() if removes else _reply(typed, may_be_empty="text" in form and review.reply is not None)
    return ReplyForm(typed=typed, version=form.text("version"), removes=removes, reply=reply, error=error)


def _removal() -> tuple[NewReply | None, str]:
    return NewReply(text=None), ""


def _reply(typed: str, *, may_be_empty: bool) -> tuple[NewReply | None, str]:
    try:
        reply = NewReply(text=typed)
    except Invalid as invalid:
        return None, TOO_LONG if invalid.problem is Problem.TOO_LONG else NOT_TEXT
    return (reply, "") if reply.text or may_be_empty else (None, EMPTY)


def version(review: Review) -> str:
    """Return the version of a review's reply, which the form carries."""
    return version_of(review.state, review.reply.text if review.reply else None)


HANDLERS = (reviews_page, reviews_csv, review_page, reply)

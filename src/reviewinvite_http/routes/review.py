"""`GET /r/<token>` and `POST /r/<token>`: a customer writes, changes and withdraws a review. Spec: §4 (Pages), §6."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import attrs
from litestar import HttpMethod, Request, post, route
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp
from markupsafe import escape

from reviewinvite_core import (
    Application,
    Language,
    LinkClosed,
    LinkState,
    ReviewDraft,
    ReviewLink,
    StorageUnavailable,
)
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.errors import refusal_answer, status_answer
from reviewinvite_http.pages.page import Page, chosen_language, moved_to, page, problem_page, unsent_page
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.requests import header, read_body
from reviewinvite_http.review_form import LARGEST_FORM, ReviewForm, decode_review, is_form

_log = get_logger("reviewinvite.http")

_DONE = ("done", "yes")
_ANY_ORDER = "\ue000"  # no number stands here in a page that is kept
_CLOSED = {LinkState.LOCKED: 409, LinkState.EXPIRED: 410}
_TOO_LATE = {LinkState.EDIT_LIMIT_REACHED: 409, **_CLOSED}


def review_routes(edge: ServerContext) -> list[HTTPRouteHandler]:
    """The page behind the link to write a review."""

    @route("/r/{token:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def show(request: Request[Any, Any, Any]) -> ASGIApp:
        """What is written and what can be done. To look changes nothing but a doubt whether the e-mail arrived."""
        token, query = _token(request), _query(request)
        link, shown = await edge.readers.run(partial(_link_of, edge.app, token, query))
        await _note_opened(edge, token, link)
        return shown

    @post("/r/{token:str}")
    async def write(request: Request[Any, Any, Any]) -> ASGIApp:
        """Write, change or withdraw; then the page is to be looked at anew, so that a reload sends nothing."""
        token, query = _token(request), _query(request)
        body = await read_body(request.receive, LARGEST_FORM)
        if not is_form(header(request.scope, b"content-type")):
            raise HTTPException(status_code=415)
        try:
            return await _sent(edge, token, query, body)
        except StorageUnavailable as error:
            return _unsent(error, decode_review(body))

    return [show, write]


async def _sent(edge: ServerContext, token: str, query: str, body: bytes) -> ASGIApp:
    """What becomes of a form: asked of storage first, so that a refusal costs no write."""
    link = await edge.readers.run(partial(edge.app.show_review_link, token))
    if link is None:
        return _unknown()
    form = await edge.readers.run(partial(decode_review, body))
    if link.state in _CLOSED or form.problems or form.only_shown:
        await _note_opened(edge, token, link)
        return await edge.readers.run(partial(_not_kept, edge.app, link, query, form))
    if form.withdraws:
        written = await edge.commit(edge.app.withdraw_review, token)
    else:
        written = await edge.commit(edge.app.write_review, token, _draft(form, link, query))
    match written:
        case None:
            return _unknown()
        case LinkClosed(closed):
            return await edge.readers.run(partial(_not_kept, edge.app, closed, query, form))
        case ReviewLink():
            return moved_to(f"?language={chosen_language(query, written.language)}&done=yes")


def _draft(form: ReviewForm, link: ReviewLink, query: str) -> ReviewDraft:
    """In the language of the page; a text that stays as it was stays in its own."""
    draft = form.draft(chosen_language(query, link.language))
    is_same = draft.text is not None and link.review is not None and link.review.text == draft.text
    return attrs.evolve(draft, language=None) if is_same else draft


async def _note_opened(edge: ServerContext, token: str, link: ReviewLink | None) -> None:
    """Who knows the link has received the message, whatever comes of the request.

    Where that cannot be written now, the page is there all the same: the next look settles it.
    """
    if link is None or not link.in_doubt:
        return
    try:
        await edge.commit(edge.app.note_opened_link, token)
    except StorageUnavailable as error:
        _log.warning("an opened link could not be noted", cause=str(error))


def _link_of(app: Application, token: str, query: str) -> tuple[ReviewLink | None, Page]:
    link = app.show_review_link(token)
    if link is None:
        return None, _unknown()
    return link, _page(app, link, query, status=410 if link.state is LinkState.EXPIRED else 200)


def _not_kept(app: Application, link: ReviewLink, query: str, form: ReviewForm) -> Page:
    """The page with what was typed, of which nothing is stored."""
    if link.state in _TOO_LATE:
        return _page(app, link, query, form, status=_TOO_LATE[link.state], too_late=True)
    return _page(app, link, query, form, status=422 if form.problems else 200)


def _unsent(error: StorageUnavailable, form: ReviewForm) -> Page:
    """What was typed, to be sent once more: a browser that goes back to a page like this has forgotten it."""
    request_id = next_request_id()
    _log.warning("storage unavailable", path="/r/...", requestId=request_id, cause=str(error))
    return unsent_page(refusal_answer(error, request_id), request_id, form)


def _page(
    app: Application,
    link: ReviewLink,
    query: str,
    form: ReviewForm | None = None,
    *,
    status: int,
    too_late: bool = False,
) -> Page:
    language = chosen_language(query, link.language)
    if form:
        return _drawn(link, form, language, app.base_url, status, too_late=too_late)
    if link.state is LinkState.OPEN and _ANY_ORDER not in link.shop.name:
        return _first_page(link, language, app.base_url)
    return _drawn(link, ReviewForm.of(link.review), language, app.base_url, status, done=_DONE in parse_qsl(query))


def _first_page(link: ReviewLink, language: Language, base_url: str) -> Page:
    """The page of a link by which nothing is written yet: but for the order's number all of a shop's are alike."""
    number = _ANY_ORDER if link.order_number else None
    ends_on = link.ends_at.replace(hour=0, minute=0, second=0, microsecond=0) if link.ends_at else None
    of_any = attrs.evolve(link, order_number=number, ends_at=ends_on, language=language, in_doubt=False)
    kept = _kept_page(of_any, base_url)
    return attrs.evolve(kept, body=kept.body.replace(_ANY_ORDER.encode(), escape(link.order_number or "").encode()))


@lru_cache(maxsize=512)
def _kept_page(link: ReviewLink, base_url: str) -> Page:
    return _drawn(link, ReviewForm(), link.language, base_url, 200)


def _drawn(
    link: ReviewLink,
    form: ReviewForm,
    language: Language,
    base_url: str,
    status: int,
    *,
    done: bool = False,
    too_late: bool = False,
) -> Page:
    is_other = language is not link.shop.language
    return page(
        "review",
        language,
        status=status,
        link=link,
        form=form,
        done=done,
        too_late=too_late,
        service=urlsplit(base_url).hostname,
        shop_url=f"{base_url}/shops/{link.shop.site_id}" + (f"?language={language}" if is_other else ""),
    )


def _unknown() -> Page:
    return problem_page(status_answer(404, next_request_id()))


def _token(request: Request[Any, Any, Any]) -> str:
    return str(request.path_params["token"])


def _query(request: Request[Any, Any, Any]) -> str:
    query: bytes = request.scope["query_string"]
    return query.decode("utf-8", "replace")

"""`GET /r/<token>` and `POST /r/<token>`: a customer writes, changes and withdraws a review. Spec: §4 (Pages), §6."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import attrs
from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.exceptions import HTTPException, NotFoundException
from litestar.params import FromPath, FromQuery
from markupsafe import Markup, escape

from reviewinvite_core import Language, ReviewDraft, StorageUnavailable
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_core.domain.policy import LARGEST_FORM
from reviewinvite_core.values import LinkClosed, LinkState, ReviewLink
from reviewinvite_http.context import ServerContext
from reviewinvite_http.pages.page import (
    HTML,
    About,
    assets_for,
    chosen_language,
    moved_to,
    page,
    personal_headers,
    rendered,
)
from reviewinvite_http.pages.review.form import ReviewForm, Submitted, decode_review, keep_submitted
from reviewinvite_http.requests import READ, AnyRequest

_log = get_logger("reviewinvite.http")

_ANY_ORDER = "\ue000"  # placeholder for the order number in a cached page
_CLOSED = {LinkState.LOCKED: 409, LinkState.EXPIRED: 410}
_TOO_LATE = {LinkState.EDIT_LIMIT_REACHED: 409, **_CLOSED}


@route("/r/{token:str}", http_method=READ, include_in_schema=False)
async def review_page(
    server: NamedDependency[ServerContext],
    token: FromPath[str],
    language: FromQuery[str | None] = None,
    done: FromQuery[str | None] = None,
) -> Response[Any]:
    """Show the review and the possible actions.

    The only change is that the opened link is recorded: it marks an uncertain invitation as sent, and ends the
    suppression of an address without a mailbox.
    """
    link = await _link(server, token)
    await _note_opened(server, token, link)
    status = 410 if link.state is LinkState.EXPIRED else 200
    return _page(server, link, chosen_language(language, link.language), status=status, done=done == "yes")


@post("/r/{token:str}", request_max_body_size=LARGEST_FORM, include_in_schema=False)
async def write_review(
    server: NamedDependency[ServerContext],
    request: AnyRequest,
    token: FromPath[str],
    language: FromQuery[str | None] = None,
) -> Response[Any]:
    """Write, change or withdraw a review.

    On success, redirect to the page, so that a reload does not resubmit the form; otherwise show the form again.
    """
    body = await request.body()
    if request.content_type[0].lower() != RequestEncodingType.URL_ENCODED:
        raise HTTPException(status_code=415)
    spoken = Language(language) if language in set(Language) else None
    keep_submitted(request.scope, Submitted(body, spoken))
    return await _sent(server, token, language, body)


async def _sent(server: ServerContext, token: str, wanted: str | None, body: bytes) -> Response[Any]:
    """Carry out a submitted form and return the response.

    The link is read first, so that a form that stores nothing costs no write, except to record the opened link.
    """
    link = await _link(server, token)
    language = chosen_language(wanted, link.language)
    form = await server.app.readers.run(partial(decode_review, body))
    if link.state in _CLOSED or form.problems or form.only_shown:
        await _note_opened(server, token, link)
        return _not_stored(server, link, language, form)
    if form.withdraws:
        written = await server.app.reviews.withdraw(token)
    else:
        written = await server.app.reviews.write(token, _draft(form, link, language))
    match written:
        case None:
            raise NotFoundException
        case LinkClosed(closed):
            return _not_stored(server, closed, language, form)
        case ReviewLink():
            return moved_to(f"?language={chosen_language(wanted, written.language)}&done=yes")


async def _link(server: ServerContext, token: str) -> ReviewLink:
    """Return the review link behind a token.

    Raises: `NotFoundException`.
    """
    link = await server.app.reviews.show_link(token)
    if link is None:
        raise NotFoundException
    return link


def _draft(form: ReviewForm, link: ReviewLink, language: Language) -> ReviewDraft:
    """Return the review in the language of the page; an unchanged text keeps its own language."""
    draft = form.draft(language)
    is_same = draft.text is not None and link.review is not None and link.review.text == draft.text
    return attrs.evolve(draft, language=None) if is_same else draft


async def _note_opened(server: ServerContext, token: str, link: ReviewLink) -> None:
    """Record that the e-mail arrived, because its link was opened, regardless of the rest of the request.

    If storage fails, the page is shown anyway: the next visit records it.
    """
    if not link.in_doubt:
        return
    try:
        await server.app.reviews.note_opened(token)
    except StorageUnavailable as error:
        _log.warning("could not record an opened link", cause=str(error))


def _not_stored(server: ServerContext, link: ReviewLink, language: Language, form: ReviewForm) -> Response[Any]:
    """Return the page with the submitted values, which were not stored."""
    if link.state in _TOO_LATE:
        return _page(server, link, language, form, status=_TOO_LATE[link.state], too_late=True)
    return _page(server, link, language, form, status=422 if form.problems else 200)


def _page(
    server: ServerContext,
    link: ReviewLink,
    language: Language,
    form: ReviewForm | None = None,
    *,
    status: int,
    too_late: bool = False,
    done: bool = False,
) -> Response[Any]:
    about, base_url = About.of(server.app), server.app.base_url
    if form is None and link.state is LinkState.OPEN and _ANY_ORDER not in link.shop.name:
        return _first_page(link, language, about, base_url)
    shown = form or ReviewForm.of(link.review)
    values = _values(link, language, about, base_url)
    return page("review", language, status=status, form=shown, done=done, too_late=too_late, **values)


def _first_page(link: ReviewLink, language: Language, about: About, base_url: str) -> Response[bytes]:
    """Return the page of a link before a review is written, from a cache.

    The pages of one shop, language and last day differ only in the order number, which is filled in here.
    """
    number = _ANY_ORDER if link.order_number else None
    ends_on = link.ends_at.replace(hour=0, minute=0, second=0, microsecond=0) if link.ends_at else None
    of_any = attrs.evolve(link, order_number=number, ends_at=ends_on, language=language, in_doubt=False)
    body = _rendered_first_page(of_any, about, base_url).replace(
        _ANY_ORDER.encode(), escape(link.order_number or "").encode()
    )
    return Response(body, media_type=HTML, status_code=200, headers=personal_headers("review", language))


@lru_cache(maxsize=512)
def _rendered_first_page(link: ReviewLink, about: About, base_url: str) -> bytes:
    values = {"form": ReviewForm(), "done": False, "too_late": False, **_values(link, link.language, about, base_url)}
    return rendered("review/page.html", assets_for("review"), link.language, about, is_public=False, here="?", **values)


def _values(link: ReviewLink, language: Language, about: About, base_url: str) -> dict[str, object]:
    is_other = language is not link.shop.language
    return {
        "link": link,
        "service": Markup("<bdi>{}</bdi>").format(about.name),
        "shop_url": f"{base_url}/shops/{link.shop.site_id}" + (f"?language={language}" if is_other else ""),
    }

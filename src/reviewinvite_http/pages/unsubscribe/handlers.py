"""`GET /u/<token>` and `POST /u/<token>`: a customer opts out or undoes it. Spec: §4 (Pages), §6 (Links), RFC 8058."""

from __future__ import annotations

from collections.abc import Sequence

from litestar import post, route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.params import FromPath, FromQuery
from litestar.response import Template

from reviewinvite_core.values import Reach, Subscription
from reviewinvite_http.context import ServerContext
from reviewinvite_http.pages.page import chosen_language, page
from reviewinvite_http.requests import READ, AnyRequest

RESUBSCRIBE = [("action", "resubscribe")]
"""The only form that undoes an opt-out: a form with any other field, such as a mail program's, opts out."""

EVERYWHERE = ("everywhere", "yes")


@route("/u/{token:str}", http_method=READ, include_in_schema=False)
async def unsubscribe_page(
    server: NamedDependency[ServerContext], token: FromPath[str], language: FromQuery[str | None] = None
) -> Template:
    """Ask for confirmation; a GET changes nothing, because mail scanners follow links."""
    return _page(await server.app.privacy.show_subscription(token), language)


@post("/u/{token:str}", status_code=200, include_in_schema=False)
async def unsubscribe(
    server: NamedDependency[ServerContext],
    request: AnyRequest,
    token: FromPath[str],
    language: FromQuery[str | None] = None,
) -> Template:
    """Opt out, or undo that. The button to opt out and the one click of a mail program are the same request."""
    form = await fields_of(request)
    known = await server.app.privacy.show_subscription(token)
    if known is None:  # read storage first, so that an unknown token costs no write
        raise NotFoundException
    if form == RESUBSCRIBE:
        return _page(await server.app.privacy.resubscribe(token), language, resubscribed=True)
    reach = Reach.EVERY_SHOP if EVERYWHERE in form else Reach.THIS_SHOP
    return _page(await server.app.privacy.unsubscribe(token, reach), language)


async def fields_of(request: AnyRequest) -> Sequence[tuple[str, object]]:
    """Return the fields of the form; none if it is too large or cannot be read, which opts out of the link's own shop.

    Raises: `HTTPException` if the client went away.
    """
    try:
        await request.body()
    except RequestEntityTooLarge:
        return []
    try:
        return list((await request.form()).multi_items())
    except Exception:  # the body is read: only parsing can fail, in as many ways as there are bad encodings
        return []


def _page(subscription: Subscription | None, language: str | None, *, resubscribed: bool = False) -> Template:
    if subscription is None:
        raise NotFoundException
    spoken = chosen_language(language, subscription.language)
    return page("unsubscribe", spoken, subscription=subscription, resubscribed=resubscribed)

"""`GET /u/<token>` and `POST /u/<token>`: a customer opts out. Spec: §4 (Pages), §6 (Links), RFC 8058."""

from __future__ import annotations

from litestar import post, route
from litestar.di import NamedDependency
from litestar.exceptions import ClientException, NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.response import Template

from reviewinvite_core import Reach, Subscription
from reviewinvite_http.context import ServerContext
from reviewinvite_http.pages.page import chosen_language, page
from reviewinvite_http.requests import READ, AnyRequest


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
    """Opt out. The page's button and a mail program's one-click button send the same request."""
    reach = await chosen_reach(request)
    known = await server.app.privacy.show_subscription(token)
    # read storage first, so that an unknown token costs no write
    return _page(await server.app.privacy.unsubscribe(token, reach) if known else None, language)


async def chosen_reach(request: AnyRequest) -> Reach:
    """Return which shops the form concerns; a form that cannot be read concerns the link's own shop.

    Raises: `ClientException` if the body is too large or the client went away.
    """
    await request.body()
    try:
        form = await request.form()
    except ClientException:  # for example, a multipart form without its boundary
        return Reach.THIS_SHOP
    return Reach.EVERY_SHOP if "yes" in form.getall("everywhere", []) else Reach.THIS_SHOP


def _page(subscription: Subscription | None, language: str | None) -> Template:
    if subscription is None:
        raise NotFoundException
    return page("unsubscribe", chosen_language(language, subscription.language), subscription=subscription)

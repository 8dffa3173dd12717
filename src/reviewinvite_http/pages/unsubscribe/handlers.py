"""`GET /u/<token>` and `POST /u/<token>`: a customer opts out. Spec: §4 (Pages), §6 (Links), RFC 8058."""

from __future__ import annotations

from functools import partial
from typing import Any

from litestar import Response, post, route
from litestar.di import NamedDependency
from litestar.exceptions import ClientException
from litestar.params import FromPath

from reviewinvite_core import Reach, Subscription
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.errors import status_answer
from reviewinvite_http.pages.page import chosen_language, page, problem_page
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.requests import READ, AnyRequest


@route("/u/{token:str}", http_method=READ, include_in_schema=False)
async def unsubscribe_page(
    server: NamedDependency[ServerContext], request: AnyRequest, token: FromPath[str]
) -> Response[Any]:
    """Ask first: a GET changes nothing, since mail scanners follow links."""
    return _page(request, await server.readers.run(partial(server.app.show_subscription, token)))


@post("/u/{token:str}", status_code=200, include_in_schema=False)
async def unsubscribe(
    server: NamedDependency[ServerContext], request: AnyRequest, token: FromPath[str]
) -> Response[Any]:
    """Opt out. The button of the page and the one click of a mail program are the same request."""
    reach = await chosen_reach(request)
    known = await server.readers.run(partial(server.app.show_subscription, token))
    # storage is asked first, so that an unknown token costs no write
    return _page(request, await server.commit(server.app.unsubscribe, token, reach) if known else None)


async def chosen_reach(request: AnyRequest) -> Reach:
    """Return which shops the form is about; one that cannot be read is about the link's own.

    Raises: `ClientException` if the body is too large or the client went away.
    """
    await request.body()
    try:
        form = await request.form()
    except ClientException:  # a multipart form without its boundary
        return Reach.THIS_SHOP
    return Reach.EVERY_SHOP if "yes" in form.getall("everywhere", []) else Reach.THIS_SHOP


def _page(request: AnyRequest, subscription: Subscription | None) -> Response[Any]:
    if subscription is None:
        return problem_page(status_answer(404, next_request_id()))
    language = chosen_language(request.query_params.get("language"), subscription.language)
    return page("unsubscribe", language, subscription=subscription)

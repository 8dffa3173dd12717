"""`GET /shops/<site_id>`: a shop as anybody may see it, and its reviews. Spec: §4 (Pages)."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from litestar import HttpMethod, Request, route
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_core import Application, Bookmark, ShopUnknown
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.errors import status_answer
from reviewinvite_http.negotiation import accepts_gzip
from reviewinvite_http.pages.page import chosen_language, problem_page
from reviewinvite_http.pages.shop_pages import PageRequest, ShopPages
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.requests import header
from reviewinvite_http.single_flight import SingleFlight


def profile_routes(edge: ServerContext) -> list[HTTPRouteHandler]:
    """The public page of a shop."""
    pages = ShopPages(edge.app.base_url, edge.app.widget_url)
    looks: SingleFlight[ASGIApp] = SingleFlight(edge.readers)

    @route("/shops/{site_id:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def show(request: Request[Any, Any, Any]) -> ASGIApp:
        """Its name, trust mark, score and reviews, and how to verify them. No view is counted."""
        query = request.scope["query_string"].decode("utf-8", "replace")
        site_id = str(request.path_params["site_id"])
        compressed = accepts_gzip(header(request.scope, b"accept-encoding") or "")
        look = partial(_shown, edge.app, pages, site_id, query, _place(query), compressed)
        return await looks.run((site_id, query, compressed), look)

    return [show]


def _place(query: str) -> Bookmark | None:
    """Where the page begins; what is no place is no address of ours."""
    text = dict(parse_qsl(query)).get("after")
    place = Bookmark.parse(text) if text else None
    if text and place is None:
        raise NotFoundException
    return place


def _shown(
    app: Application, pages: ShopPages, site_id: str, query: str, after: Bookmark | None, compressed: bool
) -> ASGIApp:
    shown = app.show_shop_reviews(site_id, after)
    if isinstance(shown, ShopUnknown):
        return problem_page(status_answer(404, next_request_id()))
    language = chosen_language(query, shown.shop.language)
    return pages.page(shown, PageRequest(language=language, after=after, compressed=compressed))

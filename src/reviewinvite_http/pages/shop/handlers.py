"""`GET /shops/<site_id>`: the public page of a shop, with its reviews. Spec: §4 (Pages)."""

from __future__ import annotations

from functools import partial

from litestar import route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.response.base import ASGIResponse

from reviewinvite_core.values import Bookmark, ShopUnknown
from reviewinvite_http.context import ServerContext
from reviewinvite_http.pages.page import About, chosen_language
from reviewinvite_http.pages.shop.rendered import PageRequest, ShopPages
from reviewinvite_http.requests import READ, AnyRequest
from reviewinvite_http.responses import FIVE_MINUTES, Variant, cacheable, takes_gzip
from reviewinvite_http.single_flight import SingleFlight


class PublicPages:
    """Reads and renders shops' pages; concurrent requests for the same page share one read of storage."""

    def __init__(self, server: ServerContext) -> None:
        self._server = server
        self._app = server.app.sync
        self._pages = ShopPages(server.app.base_url, server.app.widget_url, About.of(server.app))
        self._readers = server.app.readers
        self._reads: SingleFlight[Variant | ShopUnknown] = SingleFlight(self._readers)

    async def page(
        self, site_id: str, wanted: str | None, after: Bookmark | None, *, compressed: bool
    ) -> Variant | ShopUnknown:
        """Return the current page.

        Raises: `StorageUnavailable`.
        """
        if self._readers is not self._server.app.readers:  # another lifespan has begun
            self._readers = self._server.app.readers
            self._reads = SingleFlight(self._readers)
        read = partial(self._read, site_id, wanted, after, compressed=compressed)
        return await self._reads.run((site_id, wanted, after, compressed), read)

    def _read(
        self, site_id: str, wanted: str | None, after: Bookmark | None, *, compressed: bool
    ) -> Variant | ShopUnknown:
        shown = self._app.reviews.show_public(site_id, after)
        if isinstance(shown, ShopUnknown):
            return shown
        language = chosen_language(wanted, shown.shop.language)
        return self._pages.page(shown, PageRequest(language=language, after=after, compressed=compressed))


@route("/shops/{site_id:str}", http_method=READ, include_in_schema=False)
async def shop_page(
    pages: NamedDependency[PublicPages],
    request: AnyRequest,
    site_id: FromPath[str],
    language: FromQuery[str | None] = None,
    after: FromQuery[str | None] = None,
) -> ASGIResponse:
    """Return the shop's name, trust mark, score and reviews, and how to verify them. This counts no view."""
    place = Bookmark.parse(after) if after else None
    if after and place is None:
        raise NotFoundException
    page = await pages.page(site_id, language, place, compressed=takes_gzip(request))
    if isinstance(page, ShopUnknown):
        raise NotFoundException
    return cacheable(request, page, FIVE_MINUTES)

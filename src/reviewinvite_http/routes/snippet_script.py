"""`GET /s/<site_id>.js`: the ready-made script that reports orders from a shop's confirmation page. Spec: §4.2."""

from __future__ import annotations

from typing import Any

from litestar import HttpMethod, Request, route
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_core import Invalid
from reviewinvite_core.domain.embedding import filled_in
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.scripts import SNIPPETS, SUFFIX, ScriptAnswer, script_text

# It changes with a release or with BASE_URL only. While it is asked for anew, a page goes on with the one it has.
CACHE_CONTROL = "public, max-age=3600, stale-while-revalidate=86400"


def snippet_script_routes(edge: ServerContext) -> list[HTTPRouteHandler]:
    """The route of the snippet script."""
    script, base_url = script_text("snippet.js"), edge.app.base_url

    @route(SNIPPETS + "{name:str}", http_method=[HttpMethod.GET, HttpMethod.HEAD])
    async def snippet_script(request: Request[Any, Any, Any]) -> ASGIApp:
        """The same script for every shop, known or not, but for its identifier: nothing is looked up.

        A page that has its address wrong gets an empty one, and no error.
        """
        name = str(request.path_params["name"])
        if not name.endswith(SUFFIX):
            raise NotFoundException
        try:
            site_id = SiteId.parse(name.removesuffix(SUFFIX))
        except Invalid:
            return ScriptAnswer(b"", CACHE_CONTROL)
        return ScriptAnswer(filled_in(script, site_id, base_url).encode(), CACHE_CONTROL)

    return [snippet_script]

"""`GET /s/<site_id>.js`: the script that reports orders from a shop's confirmation page. Spec: §4.2."""

from __future__ import annotations

from litestar import route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from reviewinvite_core import Invalid
from reviewinvite_core.domain.embedding import filled_in
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_http.context import ServerContext
from reviewinvite_http.requests import READ, AnyRequest
from reviewinvite_http.widget.scripts import SNIPPETS, SUFFIX, script_response, script_text

# It changes only with a release or with BASE_URL. Pages keep using their copy while they fetch a newer one.
CACHE_CONTROL = "public, max-age=3600, stale-while-revalidate=86400"

_SCRIPT = script_text("snippet.js")


@route(SNIPPETS + "{name:str}", http_method=READ, include_in_schema=False)
async def snippet_script(
    server: NamedDependency[ServerContext], request: AnyRequest, name: FromPath[str]
) -> ASGIResponse:
    """Return the script for a shop. It differs only in the site id, so no shop is looked up.

    For a malformed site id the script is empty, because pages must not see an error.
    """
    if not name.endswith(SUFFIX):
        raise NotFoundException
    try:
        site_id = SiteId.parse(name.removesuffix(SUFFIX))
    except Invalid:
        return script_response(request, b"", CACHE_CONTROL)
    return script_response(request, filled_in(_SCRIPT, site_id, server.app.base_url).encode(), CACHE_CONTROL)

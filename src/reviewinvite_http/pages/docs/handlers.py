"""`GET /v1/docs`: the API for people, drawn from `/v1/openapi.json` in the browser. Spec: §4 (Other addresses).

The script is served from here and asks no other host; the policy of the page sees to that. So requests can be tried
out on the page only at `BASE_URL` itself. A key that is entered stays in the page's memory.
"""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from importlib.resources import files
from urllib.parse import urlsplit

from litestar import route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from reviewinvite_core import Language
from reviewinvite_http.context import ServerContext
from reviewinvite_http.errors import ERRORS_PATH
from reviewinvite_http.pages.page import ALWAYS, HTML, OWN_ASSET, About, assets_for, rendered
from reviewinvite_http.requests import READ, AnyRequest
from reviewinvite_http.responses import FIVE_MINUTES, FOR_EVER, Variant, cacheable, gzipped, takes_gzip

DOCS_PATH = "/v1/docs"

_SCRIPT = files(__package__).joinpath("vendor", "openapi-explorer.js")
_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "style-src 'unsafe-inline'; "  # the explorer writes style elements whose content follows the page's colours
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)


@route(DOCS_PATH, http_method=READ, include_in_schema=False)
async def api_docs(server: NamedDependency[ServerContext], request: AnyRequest) -> ASGIResponse:
    """Return the page of the API, in English as the description is."""
    return cacheable(request, _page(About.of(server.app), urlsplit(server.app.base_url).path), FIVE_MINUTES)


@route(f"{DOCS_PATH}/{{version:str}}/explorer.js", http_method=READ, include_in_schema=False)
async def explorer_script(request: AnyRequest, version: FromPath[str]) -> ASGIResponse:
    """Return the script of the page, which browsers keep: its address changes with its content."""
    if version != _version():
        raise NotFoundException
    return cacheable(request, _script(compressed=takes_gzip(request)), FOR_EVER)


@lru_cache(maxsize=4)
def _page(about: About, mounted_at: str) -> Variant:
    """Return the page; its links begin with the path of `BASE_URL`."""
    addresses = {
        "script": f"{mounted_at}{DOCS_PATH}/{_version()}/explorer.js",
        "description": f"{mounted_at}/v1/openapi.json",
        "errors": f"{mounted_at}{ERRORS_PATH}",
    }
    body = rendered("docs/page.html", assets_for("docs"), Language.EN, about, is_public=False, addresses=addresses)
    return Variant(body, HTML, {**ALWAYS, "Content-Security-Policy": _POLICY, "Content-Language": Language.EN})


@cache
def _version() -> str:
    return hashlib.sha256(_SCRIPT.read_bytes()).hexdigest()[:12]


@cache
def _script(*, compressed: bool) -> Variant:
    plain = Variant(_SCRIPT.read_bytes(), "text/javascript", OWN_ASSET)
    return gzipped(plain) if compressed else plain

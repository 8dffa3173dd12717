"""`/`, `/favicon.ico`, `/robots.txt` and `/.well-known/security.txt`: what people and robots look for. Spec: §4."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from urllib.parse import urlsplit

from litestar import route
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromQuery
from litestar.response.base import ASGIResponse

from reviewinvite_core import Language
from reviewinvite_http.context import ServerContext
from reviewinvite_http.negotiation import preferred_language
from reviewinvite_http.pages.page import ALWAYS, About, chosen_language, page_of_browsers_language
from reviewinvite_http.requests import READ, AnyRequest, header
from reviewinvite_http.responses import FIVE_MINUTES, Variant, cacheable

SECURITY_TXT = "/.well-known/security.txt"

_ONE_DAY = "public, max-age=86400"
_TEXT = "text/plain"
_VALID_FOR = timedelta(days=90)  # RFC 9116 recommends less than a year, counted from today
_ICON = Variant(
    files(__package__).joinpath("favicon.svg").read_bytes(),
    "image/svg+xml",
    {**ALWAYS, "Content-Security-Policy": "default-src 'none'"},
)
_PRIVATE_PATHS = ("/dashboard", "/r/", "/u/", "/v1/")


@route("/", http_method=READ, include_in_schema=False)
async def home_page(
    server: NamedDependency[ServerContext], request: AnyRequest, language: FromQuery[str | None] = None
) -> ASGIResponse:
    """Say what the service is and who runs it, in the language chosen or preferred by the browser."""
    preferred = preferred_language(header(request, "accept-language") or "")
    return cacheable(request, _home(About.of(server.app), chosen_language(language, preferred)), FIVE_MINUTES)


@route("/favicon.ico", http_method=READ, include_in_schema=False)
async def favicon(request: AnyRequest) -> ASGIResponse:
    """Return the service's icon, which browsers ask for at this path whatever its format."""
    return cacheable(request, _ICON, _ONE_DAY)


@route("/robots.txt", http_method=READ, include_in_schema=False)
async def robots_txt(server: NamedDependency[ServerContext], request: AnyRequest) -> ASGIResponse:
    """Keep robots away from personal links, and from the API, whose statements count as views."""
    mounted_at = urlsplit(server.app.base_url).path
    lines = ["User-agent: *", *(f"Disallow: {mounted_at}{path}" for path in _PRIVATE_PATHS), ""]
    return cacheable(request, Variant("\n".join(lines).encode(), _TEXT, ALWAYS), _ONE_DAY)


@route(SECURITY_TXT, http_method=READ, include_in_schema=False)
async def security_txt(server: NamedDependency[ServerContext], request: AnyRequest) -> ASGIResponse:
    """Say where to report vulnerabilities (RFC 9116), if the operator has given a contact."""
    contact = server.app.imprint.contact_url
    if contact is None:
        raise NotFoundException
    now: datetime = server.app.sync.now()
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    lines = [f"Contact: {contact}", f"Expires: {today + _VALID_FOR:%Y-%m-%dT%H:%M:%SZ}", "Preferred-Languages: nl, en"]
    if server.app.base_url.startswith("https://"):
        lines.append(f"Canonical: {server.app.base_url}{SECURITY_TXT}")
    return cacheable(request, Variant("\n".join([*lines, ""]).encode(), _TEXT, ALWAYS), _ONE_DAY)


@lru_cache(maxsize=64)
def _home(about: About, language: Language) -> Variant:
    return page_of_browsers_language("home", language, about, is_public=True)

"""The dashboard's style sheet, scripts and icon, at addresses that change with their content. Browsers keep them.

The style sheet is that of all pages, then the frame's, then each section's `style.css`; the script is the dashboard's
own, then each section's `script.js`. htmx is a file as its authors publish it (`vendor/`, with its licence).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from litestar import route
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response.base import ASGIResponse

from reviewinvite_http.dashboard.address import PATH
from reviewinvite_http.pages.page import OWN_ASSET
from reviewinvite_http.requests import READ, AnyRequest
from reviewinvite_http.responses import FIVE_MINUTES, FOR_EVER, Variant, cacheable, gzipped, takes_gzip

MEDIA_TYPES = {
    "style.css": "text/css",
    "script.js": "text/javascript",
    "htmx.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}

_OWN = files(__package__)
_PAGES = files("reviewinvite_http.pages")


@cache
def asset(name: str) -> bytes:
    """Return the content of an asset of `MEDIA_TYPES`."""
    return b"".join(file.read_bytes() for file in _files(name) if file.is_file())


def _files(name: str) -> Iterator[Traversable]:
    match name:
        case "htmx.js":
            yield _OWN / "vendor" / name
        case "icon.svg":
            yield _PAGES / "home" / "favicon.svg"
        case "style.css":
            yield from (_PAGES / "tokens.css", _PAGES / "components.css", _OWN / "shell.css")
            yield from _of_sections(name)
        case "script.js":
            yield _OWN / name
            yield from _of_sections(name)


def _of_sections(name: str) -> Iterator[Traversable]:
    yield from (each / name for each in sorted(_OWN.iterdir(), key=lambda each: each.name) if each.is_dir())


@cache
def assets_version() -> str:
    """Return the hash of all assets, which is a part of their address."""
    return hashlib.sha256(b"".join(asset(name) for name in MEDIA_TYPES)).hexdigest()[:12]


@route(f"{PATH}/assets/{{version:str}}/{{name:str}}", http_method=READ, include_in_schema=False)
async def dashboard_asset(request: AnyRequest, version: FromPath[str], name: FromPath[str]) -> ASGIResponse:
    """Return an asset; at the address of another version, as during an update, it is kept for a short time only."""
    if name not in MEDIA_TYPES:
        raise NotFoundException
    cache_control = FOR_EVER if version == assets_version() else FIVE_MINUTES
    return cacheable(request, _variant(name, compressed=takes_gzip(request)), cache_control)


@cache
def _variant(name: str, *, compressed: bool) -> Variant:
    plain = Variant(asset(name), MEDIA_TYPES[name], OWN_ASSET)
    return gzipped(plain) if compressed else plain

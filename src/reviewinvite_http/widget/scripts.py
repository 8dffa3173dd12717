"""Script responses: any page may load them, browsers cache them, and no page ever sees an error."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from litestar import Response
from litestar.response.base import ASGIResponse

from reviewinvite_http.requests import AnyRequest
from reviewinvite_http.responses import PlainResponse, Variant, cacheable, gzipped, takes_gzip

JAVASCRIPT = "text/javascript"
SUFFIX = ".js"
BADGES = "/w/"
SNIPPETS = "/s/"
WORTH_COMPRESSING = 1_000  # bytes; a smaller script fits into one packet with its headers

_HEADERS = {"Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*"}
_VARIES = {**_HEADERS, "Vary": "Accept-Encoding"}


def script_text(name: str) -> str:
    """Return the source of the script with this name in `widget/`."""
    return files("reviewinvite_http.widget").joinpath(name).read_text(encoding="utf-8")


def script_response(request: AnyRequest, body: bytes, cache_control: str) -> ASGIResponse:
    """Return a script, compressed if that helps and the client accepts it; 304 if the client's copy is current."""
    compressed = len(body) >= WORTH_COMPRESSING and takes_gzip(request)
    return cacheable(request, _variant(body, compressed=compressed), cache_control)


def empty_script() -> Response[bytes]:
    """Return a script that does nothing, the response to a page in place of an error."""
    return PlainResponse(b"", media_type=JAVASCRIPT, status_code=200, headers=_HEADERS)


def is_script(path: str) -> bool:
    """Return whether a routed path is that of a script, whose failures pages must not see."""
    return path.startswith((BADGES, SNIPPETS))


@lru_cache(maxsize=1024)
def _variant(body: bytes, *, compressed: bool) -> Variant:
    """Return the script in one of its forms, cached by its text."""
    plain = Variant(body, JAVASCRIPT, _VARIES if len(body) >= WORTH_COMPRESSING else _HEADERS)
    return gzipped(plain) if compressed else plain

"""Scripts for shops' pages as they go over the wire: for every page to load, and kept by browsers. Spec: §4.2, §4.3."""

from __future__ import annotations

import gzip
from functools import lru_cache
from importlib.resources import files

import attrs
from litestar.types import Receive, Scope, Send

from reviewinvite_http.kept import NEVER, Representation
from reviewinvite_http.negotiation import accepts_gzip
from reviewinvite_http.paths import as_routed
from reviewinvite_http.requests import header

JAVASCRIPT = "text/javascript; charset=utf-8"
SUFFIX = ".js"
BADGES = "/w/"
SNIPPETS = "/s/"
WORTH_COMPRESSING = 1_000  # bytes; what is smaller fits into one packet with its head

_ALWAYS = (
    (b"content-type", JAVASCRIPT.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"access-control-allow-origin", b"*"),
)
_VARIES = (*_ALWAYS, (b"vary", b"Accept-Encoding"))
_COMPRESSED = (*_VARIES, (b"content-encoding", b"gzip"))


def script_text(name: str) -> str:
    """The script of this name in `widget/`, as it is written there."""
    return files("reviewinvite_http.widget").joinpath(name).read_text(encoding="utf-8")


@attrs.frozen
class ScriptAnswer:
    """A script that is ready to be sent, as the ASGI application that sends it; 304 to a browser that has it already.

    `cache_control` says who may keep it, and for how long.
    """

    body: bytes
    cache_control: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI calls it
        """Send it, compressed where that is worth it and the client takes it; to a HEAD without the body."""
        compressed = len(self.body) >= WORTH_COMPRESSING and accepts_gzip(header(scope, b"accept-encoding") or "")
        await _form(self.body, compressed=compressed).send(scope, send, self.cache_control)


EMPTY_SCRIPT = ScriptAnswer(b"", NEVER)


def is_script(path: str) -> bool:
    """Whether what is asked for is a script of ours, whose failures no page may see: it gets `EMPTY_SCRIPT`."""
    return as_routed(path).startswith((BADGES, SNIPPETS))


@lru_cache(maxsize=1024)
def _form(body: bytes, *, compressed: bool) -> Representation:
    """The script in one of its forms, made once for the same text."""
    if compressed:
        return Representation(gzip.compress(body, mtime=0), _COMPRESSED)
    return Representation(body, _VARIES if len(body) >= WORTH_COMPRESSING else _ALWAYS)

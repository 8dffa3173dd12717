"""The bar that the demo puts on top of the service's pages: it leads back to the demo's start page.

The service knows nothing of it: the bar is put into the HTML that the service has sent, and the page's policy gets
the source that the bar's style needs.
"""

from __future__ import annotations

import re

import attrs
from litestar.types import ASGIApp, HTTPResponseStartEvent, Message, Receive, Scope, Send
from markupsafe import Markup

from reviewinvite_core import Language
from reviewinvite_core.texts.catalogue import texts_in
from reviewinvite_http.demo.hosts import DESK

STYLE = f"{DESK}/bar.css"
_POLICY = b"content-security-policy"
_LANGUAGE, _LENGTH = b"content-language", b"content-length"
_BEGIN = re.compile(rb'<body[^>]*>\s*(?:<a class="skip"[^>]*>[^<]*</a>)?')  # a link that skips what follows is first
_BAR = Markup(
    '<link rel="stylesheet" href="{style}">'
    '<aside class="demo-bar" aria-label="{demo}"><a href="{start}">{back}</a></aside>'
)


@attrs.frozen
class DemoBar:
    """An ASGI application that adds the bar to the pages of the service, but to none that is shown in a frame."""

    _service: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if dict(scope["headers"]).get(b"sec-fetch-dest") == b"iframe":
            await self._service(scope, receive, send)
            return
        scope["headers"] = [field for field in scope["headers"] if field[0] != b"accept-encoding"]
        await self._service(scope, receive, _Sender(send))


@attrs.define
class _Sender:
    """Sends what the service does; a page is held back until it is complete, and gets the bar."""

    _send: Send
    _page: HTTPResponseStartEvent | None = None
    _body: bytes = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self._page = message
        elif message["type"] == "http.response.body" and self._page:
            self._body += message["body"]
            if not message["more_body"]:
                language = Language(dict(self._page["headers"])[_LANGUAGE][:2].decode())
                body = _BEGIN.sub(lambda found: found[0] + _bar(language), self._body, count=1)
                self._page["headers"] = [
                    _adapted(*field, len(body) - len(self._body)) for field in self._page["headers"]
                ]
                await self._send(self._page)
                await self._send({**message, "body": body})
        else:
            await self._send(message)


def _is_page(start: HTTPResponseStartEvent) -> bool:
    fields = dict(start["headers"])
    return fields.get(b"content-type", b"").startswith(b"text/html") and _LANGUAGE in fields


def _adapted(name: bytes, value: bytes, longer: int) -> tuple[bytes, bytes]:
    """Return a header field of a page that the bar has made longer by `longer` bytes."""
    if name == _POLICY:
        return name, value.replace(b"style-src ", b"style-src 'self' ").replace(b"'self' 'self'", b"'self'")
    return name, b"%d" % (int(value) + longer) if name == _LENGTH else value


def _bar(language: Language) -> bytes:
    gettext = texts_in(language).gettext
    start = f"{DESK}?language={language}"
    return _BAR.format(style=STYLE, demo=gettext("Demo"), start=start, back=gettext("Back to the demo")).encode()

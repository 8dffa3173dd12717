"""One connection under uvicorn, with what uvicorn lacks: bounds on a request's arrival, and errors of our own form."""

from __future__ import annotations

import asyncio

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from reviewinvite_http.answers import as_http
from reviewinvite_http.cors import fields_for_pages
from reviewinvite_http.errors import status_answer
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.whole_answers import WHOLE, WholeAnswerCycle

REQUEST_SECONDS = 10.0
LARGEST_HEAD = 64 * 1024

_EXTENSIONS: dict[str, dict[object, object]] = {WHOLE: {}}


class BoundedConnection(HttpToolsProtocol):
    """Uvicorn's protocol, with a bound on the time a request may take to arrive and on the size of its head."""

    request_seconds = REQUEST_SECONDS

    url = b""  # of the newest request; of none yet
    _deadline: asyncio.TimerHandle | None = None
    _unread = 0  # bytes since something of a request was complete: its head, or a piece of its body
    _in_body = False
    _over = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._expect_request()

    def data_received(self, data: bytes) -> None:
        """Read on, and refuse what is no HTTP and what has no end."""
        if self._over:
            return
        self._unset_keepalive_if_required()
        self._unread += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as wish:
            self._pass_over_upgrade(data[wish.args[0] :])
        except httptools.HttpParserError:
            self._refuse(400)
        else:
            if self._unread > LARGEST_HEAD:
                self._refuse(431)

    def on_message_begin(self) -> None:
        """Wait for the rest of a request."""
        super().on_message_begin()
        if self._deadline is None:
            self._expect_request()

    def on_headers_complete(self) -> None:
        """The head is there."""
        if self.parser.should_upgrade():
            return
        self._in_body = True
        self._unread = 0
        super().on_headers_complete()
        # The application runs later than this; uvicorn names its class of the cycle itself.
        self.cycle.__class__ = WholeAnswerCycle
        self.scope["extensions"] = _EXTENSIONS

    def on_body(self, body: bytes) -> None:
        """A piece of the body is there."""
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is there, head and body."""
        if self.parser.should_upgrade():
            return
        self._in_body = False
        self._unread = 0
        self._forget_deadline()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._forget_deadline()
        super().connection_lost(exc)

    def _pass_over_upgrade(self, rest: bytes) -> None:
        """Read the request anew without its wish to go on in another protocol, which no server has to fulfil.

        The parser leaves out the body of such a request, and Java's client, for one, wishes for HTTP/2 with its first.
        """
        method = self.parser.get_method()
        if method == b"CONNECT":
            self._refuse(400)
            return
        fields = [b"%b: %b\r\n" % (name, value) for name, value in self.headers if name != b"upgrade"]
        head = b"%b %b HTTP/%b\r\n%b\r\n" % (
            method,
            self.url,
            self.parser.get_http_version().encode(),
            b"".join(fields),
        )
        self.parser = httptools.HttpRequestParser(self)
        self.data_received(head + rest)

    def _expect_request(self) -> None:
        self._deadline = self.loop.call_later(self.request_seconds, self._too_slow)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        self._refuse(408)

    def _refuse(self, status: int) -> None:
        """End the connection, with this answer where it cannot be taken for that to another request."""
        self._over = True
        self._forget_deadline()
        newest: RequestResponseCycle | None = self.cycle
        if self._in_body:
            unanswered = newest is not None and not newest.response_started and not self.pipeline
        elif newest is None or newest.response_complete:
            unanswered = True
        else:
            newest.keep_alive = False  # what was asked before is answered first
            return
        if unanswered:
            path = self.url.partition(b"?")[0].decode("latin-1")
            self.transport.write(as_http(status_answer(status, next_request_id()), fields_for_pages(path)))
        self.transport.close()

"""Uvicorn's protocol for one connection, with limits on what a client can make the server hold in memory.

ADR-36.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

import httptools
from litestar.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from reviewinvite_http.connection_limits import ServerConfig
from reviewinvite_http.cors import header_fields_for
from reviewinvite_http.errors import status_answer
from reviewinvite_http.exchanges import end, report_refused
from reviewinvite_http.requests import HEADER, request_id_in, request_id_of
from reviewinvite_http.responses import error_as_http

REQUEST_SECONDS = 10.0
"""Maximum seconds for a request to arrive, including its body."""

LARGEST_HEAD = 64 * 1024
"""Maximum bytes of a request's head, and of its trailers."""

MOST_FIELDS = 1000
"""Maximum header fields of a request: a field of 5 bytes takes some 170 bytes as Python objects."""

MOST_WAITING = 16
"""Maximum requests of one connection that wait behind the one in progress."""

LARGEST_WAITING = 64 * 1024
"""Maximum total bytes of the waiting requests."""

FIELD_OVERHEAD = 32
"""Bytes counted for each field in addition to its text, as in HTTP/2 (RFC 9113, 6.5.2)."""

SHUTDOWN_SHARE = 0.9
"""Fraction of the shutdown time after which responses that clients do not read are dropped."""


class BoundedConnection(HttpToolsProtocol):
    """A connection with limits on time, bytes and requests, which also answers half-closed clients."""

    request_seconds = REQUEST_SECONDS

    url = b""  # of the newest request; empty before the first
    _since = 0.0  # when the newest request was first waited for
    _deadline: asyncio.TimerHandle | None = None
    _answering: RequestResponseCycle | None = None  # uvicorn's `cycle` is the newest request, which may be waiting
    _unparsed = 0  # bytes since the parser last reported a complete item: a head, a piece of a body, a trailer
    _head = 0  # bytes of the current head or trailers
    _in_body = False
    _in_framing = False  # the parser reads the input of `_read_body_of_upgrade`
    _over = False  # read nothing more
    _refusal = 400  # why a callback stopped the parser; 400 if the parser stopped by itself

    def __init__(self, config: ServerConfig, *args: Any, **more: Any) -> None:
        super().__init__(config, *args, **more)
        self._open = config.open_connections
        self._observers = config.observers
        self._base_url = config.base_url
        self._waiting: dict[RequestResponseCycle, int] = {}  # bytes of each request in the pipeline

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, if there is room for one more connection."""
        super().connection_made(transport)
        self._expect_request()
        self._open.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """End unanswered requests without an error; writing to a closed transport would raise an error."""
        self._forget_deadline()
        self._open.remove(self.transport)
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn's closes the connection
        """Keep the connection of a client that has sent its last request until all its requests are answered."""
        if self._in_body and not self.pipeline:
            return False  # the rest of its body will never come
        return self._end_after_answers()

    def data_received(self, data: bytes) -> None:
        """Parse more input; refuse input that is not HTTP or exceeds a limit."""
        if self._over:
            self.flow.pause_reading()  # uvicorn resumes it after each answer
            return
        self._unparsed += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._read_body_of_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            self._refuse(self._refusal)
        else:
            if self._unparsed > LARGEST_HEAD:
                self._refuse(431)

    def on_message_begin(self) -> None:
        """Start a request, unless too many are waiting."""
        if self._in_framing:
            return
        if len(self.pipeline) >= MOST_WAITING:
            self._stop_parser(429)  # never sent: the client would take it for the response to an earlier request
        self._unset_keepalive_if_required()
        self._head = len(" " + " HTTP/1.1\r\n" + "\r\n")
        super().on_message_begin()
        if self._deadline is None:
            self._expect_request()

    def on_url(self, url: bytes) -> None:
        """Add a piece of the request's target."""
        if not self._in_framing:
            self._count_head(len(url))
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header field; a field after the body is a trailer and not a header (RFC 9110, 6.5.1)."""
        if self._in_framing:
            return
        self._count_head(len(name) + len(": ") + len(value) + len("\r\n"))
        if self._in_body:
            self._unparsed = 0
            return
        if len(self.headers) >= MOST_FIELDS:
            self._stop_parser(431)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the request, or queue it behind an earlier one."""
        if self._in_framing:
            self._in_framing = False
            return
        method = self.parser.get_method()
        self._count_head(len(method))
        if method == b"CONNECT" or not self._names_one_host():
            self._stop_parser(400)
        super().on_headers_complete()
        self._in_body = True
        if self.pipeline:
            self._waiting[self.cycle] = 0
            self._count_waiting(self._head + FIELD_OVERHEAD * len(self.headers))
        self._unparsed = self._head = 0

    def on_body(self, body: bytes) -> None:
        """Add a piece of the body."""
        self._unparsed = 0
        super().on_body(body)
        if self.pipeline:
            self._count_waiting(len(body))

    def on_message_complete(self) -> None:
        """Note that the request is complete."""
        if self.parser.should_upgrade():
            return  # the parser left out its body
        self._in_body = False
        self._unparsed = 0
        self._forget_deadline()
        super().on_message_complete()
        self._note_whose_turn()

    def on_response_complete(self) -> None:
        """Continue with the next request."""
        super().on_response_complete()
        self._note_whose_turn()

    def shutdown(self) -> None:
        """Close after the responses; drop those that clients do not read before uvicorn cancels running requests."""
        super().shutdown()
        self.loop.call_later((self.config.timeout_graceful_shutdown or 0) * SHUTDOWN_SHARE, self._give_up_unread)

    def pause_writing(self) -> None:
        """Pause the application, because the client does not read its responses."""
        super().pause_writing()
        self._note_whose_turn()

    def resume_writing(self) -> None:
        """Resume the application."""
        super().resume_writing()
        self._note_whose_turn()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        self._waiting.pop(cycle, None)
        super()._start_asgi_task(cycle, app)

    def _read_body_of_upgrade(self, rest: bytes) -> None:
        """Continue in HTTP/1.1 although the client asks for another protocol, which RFC 9110 (7.8) permits.

        Java's client asks for HTTP/2 with its first request. The parser leaves out the body of such a request. So a new
        parser is given a head with only the fields that determine where the body ends.
        """
        framing = [field for field in self.headers if field[0] in (b"content-length", b"transfer-encoding")]
        lines = [b"POST / HTTP/%b" % self.parser.get_http_version().encode(), *(b"%b: %b" % field for field in framing)]
        self.parser = httptools.HttpRequestParser(self)
        self._in_framing = True
        self.data_received(b"\r\n".join([*lines, b"", rest]))

    def _give_up_unread(self) -> None:
        if self.flow.write_paused or self.transport.get_write_buffer_size():
            self.transport.abort()

    def _note_whose_turn(self) -> None:
        """Note whether the connection waits for its client; if so, it may be closed to make room for another one."""
        cycle = self._answering
        ours = cycle is not None and not cycle.more_body and not cycle.response_complete
        self._open.note(self.transport, waiting=not ours or self.flow.write_paused)

    def _names_one_host(self) -> bool:
        """Return whether the request has one `Host`, or is of HTTP/1.0 and has none (RFC 9112, 3.2)."""
        hosts = sum(name == b"host" for name, _ in self.headers)
        return hosts == 1 or (hosts == 0 and self.parser.get_http_version() == "1.0")

    def _count_head(self, size: int) -> None:
        self._head += size
        if self._head > LARGEST_HEAD:
            self._stop_parser(431)

    def _count_waiting(self, size: int) -> None:
        self._waiting[self.cycle] += size
        if sum(self._waiting.values()) > LARGEST_WAITING:
            self._stop_parser(429)  # never sent, as above

    def _stop_parser(self, status: int) -> None:
        """Stop the parser by raising in its callback; `data_received` then refuses the request with this status."""
        self._refusal = status
        raise httptools.HttpParserError

    def _expect_request(self) -> None:
        self._since = self.loop.time()
        self._deadline = self.loop.call_later(self.request_seconds, self._refuse, 408)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, status: int) -> None:
        """Close the connection, after sending this status unless it could be taken for another request's response."""
        if self.transport.is_closing():
            return
        begun = self._answering if self._in_body and not self.pipeline else None  # the request that this refuses
        if begun is None and self._end_after_answers():
            return
        self._over = True
        self._forget_deadline()
        if begun is None or not begun.response_started:
            request_id = self._report(status, begun)
            path = self.url.partition(b"?")[0].decode("latin-1")
            headers = self.headers if self._head or begun else ()  # without a head, they are an earlier request's
            accept = b", ".join(value for name, value in headers if name == b"accept").decode("latin-1")
            fields = [*header_fields_for(path), (HEADER, request_id.encode())]
            answer = status_answer(status, request_id)
            self.transport.write(error_as_http(answer, self._base_url, accept, fields))
        self.transport.close()

    def _report(self, status: int, begun: RequestResponseCycle | None) -> str:
        """Report that a request is refused; return its id."""
        if begun is not None:
            scope = cast(Scope, begun.scope)  # uvicorn has types of its own
            end(scope, status)
            return request_id_of(scope)
        request_id = request_id_in(self.headers if self._head else ())  # without a head, they are an earlier request's
        report_refused(self._observers, status=status, seconds=self.loop.time() - self._since, request_id=request_id)
        return request_id

    def _end_after_answers(self) -> bool:
        """Stop reading, and close after the responses to all complete requests; return whether one is pending."""
        self._over = True
        self._forget_deadline()
        if self._in_body and self.pipeline:
            self.pipeline.popleft()  # its body is incomplete
            self._in_body = False
        last = self.pipeline[0][0] if self.pipeline else self._answering
        if last is None or last.response_complete:
            return False
        last.keep_alive = False
        return True

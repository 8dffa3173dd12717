"""A connection's bytes, with a deadline for each phase. RFC 5321, sections 4.2 and 4.5.3.2.

A time-out that restarted with each byte would let a server that sends one byte at a time hold a session for ever.
"""

from __future__ import annotations

import asyncio
import math
import re
import select
import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

import attrs

from reviewinvite_core.adapters import daemon_threads
from reviewinvite_core.adapters.mail.smtp_replies import Reply

Address: TypeAlias = tuple[int, int, int, str, tuple[Any, ...]]  # as returned by `socket.getaddrinfo`

BLOCK_BYTES = 1 << 16
LONGEST_LINE = 4096  # RFC 5321 says 512; some servers send more
MOST_LINES = 200
ENOUGH_BYTES = 4 * LONGEST_LINE  # received and not read yet: beyond it, the server has to wait
LAST_WORDS_SECONDS = 0.1
SILENCE_SECONDS = 1.0  # to learn what the kernel has received
POLL_SECONDS = 0.02

_LINE = re.compile(rb"([2-5]\d\d)(?:([ -])(.*))?\r?", re.DOTALL)


@attrs.frozen(kw_only=True)
class Timeouts:
    """Maximum duration of each phase of a session in seconds, whatever the server's pace. RFC 5321, section 4.5.3.2.

    In the worst case they add up to more than a lease (`LEASE_SECONDS`). The fence then fails and the message is
    abandoned before its end, which is safe; only the wait for the final answer must fit into the lease.
    """

    connect: float = 30.0  # and the TLS handshake
    command: float = 300.0  # each of greeting, EHLO, STARTTLS, AUTH, MAIL, RCPT, RSET
    data: float = 120.0
    block: float = 180.0  # each block of the content
    end: float = 600.0  # the answer to the dot
    idle: float = 30.0  # then a session is not reused: routers drop silent connections


class SessionBroken(Exception):
    """The session cannot continue; the class name says why."""


class HungUp(SessionBroken):
    """The server closed the connection."""


class ReplyUnreadable(SessionBroken):
    """The server sent something that is not a reply, or an unexpected one."""


class Wire(asyncio.Protocol):
    """One connection: data sent and replies received. It is used on one event loop, by one coroutine at a time.

    Only `close` and `leave` may be called on another thread.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._tcp: asyncio.Transport
        self._transport: asyncio.Transport  # TLS over `_tcp`, or the same
        self._received = bytearray()
        self._over: Exception | None = None  # why nothing more is received
        self._is_held = False  # whether the server has to wait
        self._is_full = False  # whether the kernel takes nothing more of ours
        self._waiter: asyncio.Future[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None  # for the end of a wait, or earlier
        self._closed: asyncio.Future[None] = loop.create_future()

    @classmethod
    async def connect(cls, host: str, port: int, seconds: float) -> Wire:
        """Connect to the first address of the host that answers; name resolution has the resolver's own time-out.

        Raises: `OSError`, `UnicodeError`.
        """
        resolve = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        connected = await first_that_answers(await daemon_threads.call(resolve), seconds)
        loop = asyncio.get_running_loop()
        _, wire = await loop.create_connection(lambda: cls(loop), sock=connected)
        return wire

    @property
    def own_address(self) -> str:
        """IP address of this end."""
        return str(self._tcp.get_extra_info("sockname")[0])

    async def encrypt(self, context: ssl.SSLContext, host: str, seconds: float) -> None:
        """Switch to TLS, with a certificate for this host.

        Data received in clear text before is rejected: somebody in between may have injected it.

        Raises: `OSError`, `SessionBroken`, `ValueError`.
        """
        await self.expect_silence()
        async with asyncio.timeout(seconds):
            secure = await self.loop.start_tls(
                self._transport, self, context, server_hostname=host, ssl_handshake_timeout=2 * seconds + 1
            )
        if secure is None:  # it was closed during the handshake
            raise self._over or HungUp
        secure.set_write_buffer_limits(high=1, low=0)  # 1 is reached by 1 byte here, and 0 by none
        self._transport = secure

    async def send(self, data: bytes, seconds: float) -> None:
        """Send all data; each block may take `seconds` until the kernel has taken it.

        Raises: `OSError`, `SessionBroken`.
        """
        for start in range(0, len(data), BLOCK_BYTES):
            self._require_open()
            self._transport.write(data[start : start + BLOCK_BYTES])
            deadline = self.loop.time() + seconds
            while self._is_unsent() or self._is_ending():
                self._require_open()
                await self._change(deadline, POLL_SECONDS)  # TLS does not report that the buffer below it is empty

    async def reply(self, seconds: float) -> Reply:
        """Return the server's next complete reply.

        Raises: `HungUp`, `OSError`, `ReplyUnreadable`.
        """
        deadline = self.loop.time() + seconds
        codes, texts = set(), []
        for _ in range(MOST_LINES):
            line = _LINE.fullmatch(await self._line(deadline))
            if line is None:
                break
            code, separator, text = line.groups()
            codes.add(code)
            texts.append(text or b"")
            if separator != b"-" and len(codes) == 1:
                return Reply.of(int(code), texts)
        raise ReplyUnreadable

    async def expect_silence(self) -> None:
        """Raise if the server has sent unsolicited data or hung up, as far as this machine knows.

        What the kernel has received and the event loop has not read yet counts too.

        Raises: `ReplyUnreadable` (what it sent is the next reply), `HungUp`, `OSError`.
        """
        deadline = self.loop.time() + SILENCE_SECONDS
        while not self._received and not self._over and self._has_news():
            if self.loop.time() >= deadline:  # it keeps sending, but nothing that TLS passes on
                raise ReplyUnreadable
            self._let_in()
            await asyncio.sleep(0)  # the loop reads it, and reports data or the end of the connection in later turns
        if self._received:
            raise ReplyUnreadable
        self._require_open()

    def close(self) -> None:
        """Break the connection off; idempotent."""
        self._on_own_loop(self._tcp.abort)

    def leave(self, last_words: bytes) -> None:
        """Send these bytes and close, without waiting: what cannot be sent soon is not sent."""
        self._on_own_loop(partial(self._leave, last_words))

    async def closed(self) -> None:
        """Return when the connection is closed, after `close` or `leave`."""
        await asyncio.shield(self._closed)

    # --- called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):  # as every connection's is
            transport.set_write_buffer_limits(high=0)  # full as soon as the kernel does not take everything
            self._tcp = self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        if len(self._received) > ENOUGH_BYTES and not self._is_held:
            self._is_held = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._over = self._over or HungUp()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._over = self._over or exc or HungUp()
        if not self._closed.done():
            self._closed.set_result(None)
        self._silence_alarm()
        self._wake()

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._wake()

    # ---

    def _on_own_loop(self, act: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # its loop is closed, and everything with it
            if self.loop.is_closed() or _is_running(self.loop):
                act()
            else:
                self.loop.call_soon_threadsafe(act)

    def _leave(self, last_words: bytes) -> None:
        if self._over or self._is_unsent():
            self._tcp.abort()
            return
        self._transport.write(last_words)
        self._transport.close()
        breaking_off = self.loop.call_later(LAST_WORDS_SECONDS, self._tcp.abort)
        self._closed.add_done_callback(lambda _: breaking_off.cancel())

    def _wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    async def _change(self, deadline: float, at_most: float = math.inf) -> None:
        """Wait until something has happened to the connection, but at most `at_most` seconds; it may return early.

        Raises: `TimeoutError` at the deadline.
        """
        if self.loop.time() >= deadline:
            raise TimeoutError
        waiter = self._waiter = self.loop.create_future()
        until = min(deadline, self.loop.time() + at_most)
        if self._alarm is None or self._alarm.when() > until:  # one timer serves many waits: most end long before
            self._silence_alarm()
            self._alarm = self.loop.call_at(until, self._ring)
        try:
            await waiter
        finally:
            self._waiter = None

    def _ring(self) -> None:
        self._alarm = None
        self._wake()

    def _silence_alarm(self) -> None:
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None

    async def _line(self, deadline: float) -> bytes:
        while (end := self._received.find(b"\n")) < 0 and len(self._received) <= LONGEST_LINE:
            self._require_open()
            self._let_in()
            await self._change(deadline)
        if not 0 <= end <= LONGEST_LINE:
            raise ReplyUnreadable
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def _let_in(self) -> None:
        if self._is_held and not self._over:
            self._is_held = False
            self._transport.resume_reading()

    def _require_open(self) -> None:
        if self._over:
            raise self._over

    def _is_unsent(self) -> bool:
        """Return whether something of ours is not in the kernel yet, but above or below TLS."""
        return self._is_full or self._tcp.get_write_buffer_size() > 0

    def _is_ending(self) -> bool:
        """Return whether the connection has ended or is about to, and `connection_lost` follows."""
        return self._tcp.is_closing() or self._transport.is_closing()

    def _has_news(self) -> bool:
        """Return whether the server has sent something, or ended the connection, that was not reported here yet."""
        if self._is_held or self._is_ending():
            return True
        polling = select.poll()
        polling.register(self._tcp.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(polling.poll(0))


def _is_running(loop: asyncio.AbstractEventLoop) -> bool:
    """Return whether this is called by the loop."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


async def first_that_answers(addresses: Sequence[Address], seconds: float) -> socket.socket:
    """Connect to the first of these addresses that accepts; each gets its share of the time.

    Raises: `OSError`, that of the last address.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    for left, (family, kind, protocol, _, address) in zip(range(len(addresses), 0, -1), addresses, strict=True):
        try:
            share = (deadline - loop.time()) / left
            return await _connected(socket.socket(family, kind, protocol), address, share)
        except OSError:
            if left == 1:
                raise
    raise OSError  # the name has no address


async def _connected(connecting: socket.socket, address: tuple[Any, ...], seconds: float) -> socket.socket:
    try:
        connecting.settimeout(0.0)
        async with asyncio.timeout(seconds):
            await asyncio.get_running_loop().sock_connect(connecting, address)
        # the dot follows after the fence: it must not wait for an acknowledgement of the content
        connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        connecting.close()
        raise
    return connecting

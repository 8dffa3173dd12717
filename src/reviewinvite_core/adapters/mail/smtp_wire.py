"""A connection's bytes, with a deadline for each phase. RFC 5321, sections 4.2 and 4.5.3.2.

A socket's time-out restarts with each byte, so a server that sends one byte at a time could hold a session for ever.
"""

from __future__ import annotations

import re
import select
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

import attrs

from reviewinvite_core.adapters.mail.smtp_replies import Reply

T = TypeVar("T")
Address: TypeAlias = tuple[int, int, int, str, tuple[Any, ...]]  # as returned by `socket.getaddrinfo`

BLOCK_BYTES = 1 << 16
LONGEST_LINE = 4096  # RFC 5321 says 512; some servers send more
MOST_LINES = 200

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


class Wire:
    """One connection: data sent and replies received."""

    def __init__(self, connected: socket.socket) -> None:
        connected.settimeout(0.0)  # we wait ourselves, with one deadline per phase
        self._socket = connected
        self._received = bytearray()

    @classmethod
    def connect(cls, host: str, port: int, seconds: float) -> Wire:
        """Connect to the first address of the host that answers; name resolution has the resolver's own time-out.

        Raises: `OSError`, `UnicodeError`.
        """
        return cls(first_that_answers(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM), seconds))

    @property
    def own_address(self) -> str:
        """IP address of this end."""
        return str(self._socket.getsockname()[0])

    def encrypt(self, context: ssl.SSLContext, host: str, seconds: float) -> None:
        """Switch to TLS, with a certificate for this host.

        Data received in clear text before is rejected: somebody in between may have injected it.

        Raises: `OSError`, `ReplyUnreadable`, `ValueError`.
        """
        if self._received:
            raise ReplyUnreadable
        secure = context.wrap_socket(self._socket, server_hostname=host, do_handshake_on_connect=False)
        self._socket = secure
        self._when_ready(secure.do_handshake, select.POLLIN, time.monotonic() + seconds)

    def send(self, data: bytes, seconds: float) -> None:
        """Send all data; each block may take `seconds`.

        Raises: `OSError`.
        """
        for start in range(0, len(data), BLOCK_BYTES):
            deadline = time.monotonic() + seconds
            block = memoryview(data)[start : start + BLOCK_BYTES]
            while block:
                sent = self._when_ready(partial(self._socket.send, block), select.POLLOUT, deadline)
                block = block[sent:]

    def reply(self, seconds: float) -> Reply:
        """Return the server's next complete reply.

        Raises: `HungUp`, `OSError`, `ReplyUnreadable`.
        """
        deadline = time.monotonic() + seconds
        codes, texts = set(), []
        for _ in range(MOST_LINES):
            line = _LINE.fullmatch(self._line(deadline))
            if line is None:
                break
            code, separator, text = line.groups()
            codes.add(code)
            texts.append(text or b"")
            if separator != b"-" and len(codes) == 1:
                return Reply.of(int(code), texts)
        raise ReplyUnreadable

    def expect_silence(self) -> None:
        """Raise if the server has sent unsolicited data or hung up, as far as this end knows.

        Raises: `ReplyUnreadable` (what it sent is the next reply), `HungUp`, `OSError`.
        """
        if not self._received:
            try:
                self._keep(self._socket.recv(LONGEST_LINE))
            except (BlockingIOError, ssl.SSLWantReadError):
                return
        raise ReplyUnreadable

    def close(self) -> None:
        """Close the connection; idempotent."""
        self._socket.close()

    def _line(self, deadline: float) -> bytes:
        while (end := self._received.find(b"\n")) < 0 and len(self._received) <= LONGEST_LINE:
            self._keep(self._when_ready(partial(self._socket.recv, LONGEST_LINE), select.POLLIN, deadline))
        if not 0 <= end <= LONGEST_LINE:
            raise ReplyUnreadable
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def _keep(self, received: bytes) -> None:
        if not received:
            raise HungUp
        self._received += received

    def _when_ready(self, attempt: Callable[[], T], event: int, deadline: float) -> T:
        """Return the attempt's result once the socket is ready; TLS may have to wait for a different event.

        Raises: `TimeoutError`, and what the attempt raises.
        """
        while True:
            try:
                return attempt()
            except BlockingIOError:
                awaited = event
            except ssl.SSLWantReadError:
                awaited = select.POLLIN
            except ssl.SSLWantWriteError:
                awaited = select.POLLOUT
            waiting = select.poll()
            waiting.register(self._socket, awaited)
            waiting.poll(_remaining(deadline) * 1000)


def first_that_answers(addresses: Sequence[Address], seconds: float) -> socket.socket:
    """Connect to the first of these addresses that accepts; each gets its share of the time.

    Raises: `OSError`, that of the last address.
    """
    deadline = time.monotonic() + seconds
    for left, (family, kind, protocol, _, address) in zip(range(len(addresses), 0, -1), addresses, strict=True):
        try:
            return _connected(socket.socket(family, kind, protocol), address, _remaining(deadline) / left)
        except OSError:
            if left == 1:
                raise
    raise OSError  # the name has no address


def _connected(connecting: socket.socket, address: tuple[Any, ...], seconds: float) -> socket.socket:
    try:
        connecting.settimeout(seconds)
        connecting.connect(address)
        # the dot follows after the fence: it must not wait for an acknowledgement of the content
        connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        connecting.close()
        raise
    return connecting


def _remaining(deadline: float) -> float:
    """Return the seconds until the deadline.

    Raises: `TimeoutError`.
    """
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds

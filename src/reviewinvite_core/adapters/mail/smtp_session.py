"""One session with a mail server: opening, envelope and content, and the final dot. RFC 5321.

`smtplib.sendmail` hides the one moment that matters, and its time-outs restart with each byte. So the commands are sent
one by one here. ADR-7.
"""

from __future__ import annotations

import asyncio
import functools
import re
import socket
import ssl

import attrs

from reviewinvite_core.adapters import daemon_threads
from reviewinvite_core.adapters.mail.smtp_login import TokenRefused, log_in_with_password, log_in_with_token
from reviewinvite_core.adapters.mail.smtp_replies import (
    GO_AHEAD,
    GOING_AWAY,
    HELLO,
    LOGIN_REFUSED,
    LOGIN_REQUIRED,
    MESSAGE_TOO_LARGE,
    NO_SUCH_COMMAND,
    TOO_LARGE,
    Refusal,
    Reply,
    answer,
    expect,
    refusal,
)
from reviewinvite_core.adapters.mail.smtp_wire import SessionBroken, Timeouts, Wire
from reviewinvite_core.adapters.mail.tokens import Token, Tokens
from reviewinvite_core.ports import Accepted, AnswerLost, Message, RefusedForNow, Rejected

EARLY_SECONDS = 0.1
SENDER, RECIPIENT = 0, 1  # the first two steps of the envelope
_HOST_NAME = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")


@attrs.frozen(kw_only=True)
class SmtpServer:
    """Address of the mail server, and how to connect to it."""

    host: str
    port: int
    user: str | None = None
    password: str | None = attrs.field(default=None, repr=False)
    tokens: Tokens | None = None  # for a login without a password
    implicit_tls: bool = False
    starttls_required: bool = False
    starttls_if_offered: bool = False  # for mail that crosses a network, without a login

    def tls(self) -> ssl.SSLContext | None:
        """Return how to encrypt sessions, or None for clear text.

        TLS that is only used if offered protects from those who listen, not from those who change the traffic: they can
        remove the offer. So a certificate is not checked there, and no mail stays behind because of one. RFC 7435.
        """
        if not (self.implicit_tls or self.starttls_required or self.starttls_if_offered):
            return None
        context = ssl.create_default_context()
        if self.starttls_if_offered:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context


class Stale(Exception):
    """The session, or its login, had ended before the server accepted anything of this message."""


class StarttlsNotOffered(SessionBroken):
    """TLS is required but the server does not offer it, so nothing may be sent in clear text."""


class OfferedTlsFailed(SessionBroken):
    """The server offers TLS that does not work; another session may do without."""


class LoginLost(Refusal):
    """The server no longer counts the session as logged in."""


class SmtpSession:
    """A session that carries messages one at a time."""

    def __init__(self, wire: Wire, timeouts: Timeouts) -> None:
        self.carried = 0  # messages, including refused ones
        self.in_clear: str | None = None  # why it is not encrypted, although it should be if possible
        self._wire = wire
        self._timeouts = timeouts
        self._extensions: dict[str, str] = {}
        self._transaction_open = False
        self._is_by_token = False  # and tokens expire
        self._heard = False  # whether the server has replied to anything of the current message

    @classmethod
    async def opened(
        cls, server: SmtpServer, timeouts: Timeouts, tls: ssl.SSLContext | None, *, wire: type[Wire] = Wire
    ) -> SmtpSession:
        """Open a session: EHLO done, over TLS and logged in if required.

        If the server refuses the access token, it is renewed, and tried once more on a new connection. If TLS that is
        only used if offered does not work, a new connection does without.

        Raises: `Refusal`, never permanent; `SessionBroken`, `OSError`, `ValueError` if no session can be opened.
        """
        if server.starttls_if_offered:
            try:
                return await cls._opened(server, timeouts, tls, wire)
            except OfferedTlsFailed as failed:
                session = await cls._opened(server, timeouts, None, wire)
                session.in_clear = f"TLS failed: {type(failed.__cause__).__name__}"
                return session
        if server.tokens is None:
            return await cls._opened(server, timeouts, tls, wire)
        token = await server.tokens.current()
        try:
            return await cls._opened(server, timeouts, tls, wire, token)
        except TokenRefused:
            another = await server.tokens.other_than(token)
            if another is None:
                raise
        return await cls._opened(server, timeouts, tls, wire, another)

    @classmethod
    async def _opened(
        cls,
        server: SmtpServer,
        timeouts: Timeouts,
        tls: ssl.SSLContext | None,
        wire: type[Wire],
        token: Token | None = None,
    ) -> SmtpSession:
        session = cls(await wire.connect(server.host, server.port, timeouts.connect), timeouts)
        try:
            await session._open(server, tls, token)
        except Refusal:
            session.leave()
            await session.left()  # its loop may end with this call, and TLS ends by an exchange
            raise
        except BaseException:
            session.close()
            raise
        return session

    async def stage(self, message: Message) -> None:
        """Transmit the envelope and the content, everything except the final dot.

        Raises: `Refusal`; `Stale`; `SessionBroken`, `OSError` if the session has ended.
        """
        content = message.content if message.content.endswith(b"\r\n") else message.content + b"\r\n"
        self._check_size(len(content))
        used_before, self._heard = self.carried > 0, False
        self.carried += 1
        try:
            await self._start_afresh()
            await self._envelope(message, len(content))
        except (Refusal, SessionBroken, OSError) as error:
            is_expired = self._is_by_token and isinstance(error, LoginLost)
            if used_before and (is_expired or not self._heard) and not isinstance(error, TimeoutError):
                raise Stale from error
            raise
        stuffed = content.replace(b"\r\n.", b"\r\n..")
        await self._wire.send(b"." + stuffed if stuffed.startswith(b".") else stuffed, self._timeouts.block)

    async def end(self) -> tuple[Accepted | RefusedForNow | Rejected | AnswerLost, bool]:
        """Transmit the dot and wait for the answer; return it, and whether the session may carry another message."""
        try:
            await self._wire.expect_silence()
        except (SessionBroken, OSError):
            return await self._ended_early(), False
        try:
            await self._wire.send(b".\r\n", self._timeouts.block)
            reply = await self._wire.reply(self._timeouts.end)
        except (SessionBroken, OSError):
            return AnswerLost(), False
        self._transaction_open = False
        return answer(reply), reply.accepts or (reply.refuses and reply.code != GOING_AWAY)

    @property
    def is_of_this_loop(self) -> bool:
        """Whether the session belongs to the running event loop; it cannot be used on another one."""
        return self._wire.loop is asyncio.get_running_loop()

    @property
    def is_stranded(self) -> bool:
        """Whether the session's event loop is closed, so that nothing can use it."""
        return self._wire.loop.is_closed()

    def leave(self) -> None:
        """Send QUIT and close without waiting for the reply."""
        self._wire.leave(b"QUIT\r\n")

    async def left(self) -> None:
        """Return when the connection is closed, soon after `leave`."""
        await self._wire.closed()

    def close(self) -> None:
        """Break the connection off; a message transmitted without its dot is not sent."""
        self._wire.close()

    # --- opening

    async def _open(self, server: SmtpServer, tls: ssl.SSLContext | None, token: Token | None) -> None:
        if tls and server.implicit_tls:
            await self._wire.encrypt(tls, server.host, self._timeouts.connect)
        expect(await self._wire.reply(self._timeouts.command), 220)
        await self._hello()
        if tls and not server.implicit_tls:
            await self._start_tls(server, tls)
        await self._log_in(server, token)

    async def _start_tls(self, server: SmtpServer, tls: ssl.SSLContext) -> None:
        """Encrypt the session; if TLS is not required and not to be had, note why, and leave it in clear."""
        if "STARTTLS" not in self._extensions:
            if server.starttls_required:
                raise StarttlsNotOffered
            self.in_clear = "STARTTLS is not offered"
            return
        reply = await self._ask("STARTTLS")
        if server.starttls_if_offered and reply.refuses and reply.code != GOING_AWAY:
            self.in_clear = f"STARTTLS is refused: {reply.status}"
            return
        expect(reply, 220)
        try:
            await self._wire.encrypt(tls, server.host, self._timeouts.connect)
        except (SessionBroken, OSError) as error:
            if server.starttls_required:
                raise
            raise OfferedTlsFailed from error
        await self._hello()  # what was offered in clear text no longer counts

    async def _hello(self) -> None:
        name = await daemon_threads.call(_own_name) or _literal(self._wire.own_address)
        reply = await self._ask(f"EHLO {name}")
        self._extensions = _extensions(reply)
        if reply.code in NO_SUCH_COMMAND:  # older than EHLO: no extensions
            reply = await self._ask(f"HELO {name}")
        expect(reply, HELLO)

    async def _log_in(self, server: SmtpServer, token: Token | None) -> None:
        mechanisms = self._extensions.get("AUTH", "").upper().split()
        if server.user is not None and token:
            await log_in_with_token(self._reply_to, mechanisms, server.user, token)
            self._is_by_token = True
        elif server.user is not None:
            await log_in_with_password(self._reply_to, mechanisms, server.user, server.password or "")

    async def _ask(self, command: str) -> Reply:
        return await self._reply_to(f"{command}\r\n".encode("ascii"))

    async def _reply_to(self, line: bytes) -> Reply:
        await self._wire.send(line, self._timeouts.command)
        return await self._wire.reply(self._timeouts.command)

    # --- one message

    def _check_size(self, size: int) -> None:
        limit = self._extensions.get("SIZE", "")
        if limit.isdecimal() and 0 < int(limit) < size:
            raise Refusal(TOO_LARGE, usable=True)

    async def _start_afresh(self) -> None:
        """Reset the session, so that nothing of the previous message remains."""
        await self._wire.expect_silence()
        if self._transaction_open:
            expect(await self._ask("RSET"), 250)
            self._transaction_open = False

    async def _envelope(self, message: Message, size: int) -> None:
        """Send MAIL, RCPT and DATA and check the replies; pipeline them (RFC 2920) if the server supports it."""
        ending = f" SIZE={size}" if "SIZE" in self._extensions else ""
        steps = (
            (f"MAIL FROM:<{message.sender}>{ending}\r\n".encode("ascii"), (250,), self._timeouts.command),
            (f"RCPT TO:<{message.recipient}>\r\n".encode("ascii"), (250, 251), self._timeouts.command),
            (b"DATA\r\n", (GO_AHEAD,), self._timeouts.data),
        )
        at_once = "PIPELINING" in self._extensions
        if at_once:
            await self._wire.send(b"".join(command for command, _, _ in steps), self._timeouts.command)
        refused: Reply | None = None
        refused_at = SENDER
        wants_content = False
        for place, (command, good, seconds) in enumerate(steps):
            if not at_once:
                await self._wire.send(command, self._timeouts.command)
            reply = await self._wire.reply(seconds)
            if reply.code == GOING_AWAY:
                raise Refusal(refusal(refused or reply, to_recipient=refused_at == RECIPIENT))
            self._heard = self._transaction_open = True
            wants_content = reply.code == GO_AHEAD
            if reply.code not in good:
                refused, refused_at = (refused, refused_at) if refused else (reply, place)
                if not at_once:
                    break
        if refused:
            about_us = refused_at == SENDER and refused.code != MESSAGE_TOO_LARGE
            # pipelined, it may expect the content despite its refusal: then close the connection, without a dot
            answer = refusal(refused, about_us=about_us, to_recipient=refused_at == RECIPIENT)
            lost = refused_at == SENDER and refused.code in {LOGIN_REQUIRED, LOGIN_REFUSED}
            kind = LoginLost if lost else Refusal
            raise kind(answer, usable=refused.refuses and not wants_content)

    async def _ended_early(self) -> RefusedForNow:
        """Return the result if the server replied or hung up before the dot; without a dot the message is not taken."""
        try:
            reply = await self._wire.reply(EARLY_SECONDS)
        except (SessionBroken, OSError):
            return RefusedForNow()
        return RefusedForNow(reply.status if reply.refuses else None)


def _extensions(reply: Reply) -> dict[str, str]:
    """Return the extensions that EHLO lists: keywords and their parameters."""
    offered = (line.decode("ascii", "replace").strip() for line in reply.words[1:] if reply.code == HELLO)
    parts = (re.split("[ =]", line, maxsplit=1) for line in offered)  # some servers write AUTH=
    return {keyword.upper(): " ".join(parameters) for keyword, *parameters in parts}


@functools.cache
def _own_name() -> str | None:
    """Return this machine's DNS name, or None if it has no DNS name."""
    name = socket.getfqdn()
    return name if _HOST_NAME.fullmatch(name) else None


def _literal(address: str) -> str:
    """Return an IP address in the form that EHLO takes instead of a name. RFC 5321, section 4.1.3."""
    return f"[IPv6:{address.partition('%')[0]}]" if ":" in address else f"[{address}]"

"""SMTP in two separate phases, over reusable sessions. ADR-7, RFC 5321."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from functools import lru_cache

import attrs

from reviewinvite_core.adapters.loggers import get_logger
from reviewinvite_core.adapters.mail.smtp_replies import BAD_RECIPIENT, BAD_SENDER, NOT_TRANSMITTABLE, Refusal
from reviewinvite_core.adapters.mail.smtp_session import SmtpServer, SmtpSession, Stale
from reviewinvite_core.adapters.mail.smtp_wire import SessionBroken, Timeouts
from reviewinvite_core.domain.email_address import EmailAddress, SenderAddress
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.forks import ProcessGuard
from reviewinvite_core.ports import Accepted, AnswerLost, Message, RefusedForNow, Rejected, Unreachable

MESSAGES_A_SESSION = 100
LONGEST_LINE = 998  # RFC 5322, section 2.1.1

_log = get_logger("reviewinvite.mail")
_BROKEN = (SessionBroken, OSError, ValueError)  # ValueError: not a valid host name

__all__ = ["SmtpMailer", "SmtpServer", "Timeouts"]


class SmtpMailer:
    """Hands messages to one mail server; messages that are staged at the same time have a session each.

    Any number of event loops may use it at once, each with sessions of its own.
    Implements `ports.Mailer`.
    """

    def __init__(self, server: SmtpServer, timeouts: Timeouts | None = None) -> None:
        """Use `server`, with the time-outs of RFC 5321 by default."""
        self._server = server
        self._timeouts = timeouts or Timeouts()
        self._tls = server.tls()
        self._in_clear: str | None = None
        self._idle = _IdleSessions(self._timeouts.idle)
        self._guard = ProcessGuard()

    async def stage(self, message: Message) -> _StagedData | RefusedForNow | Rejected | Unreachable:
        fit = _fit_to_travel(message)
        if isinstance(fit, Rejected):
            return fit
        try:
            return await self._staged(fit)
        except Refusal as refusal:
            return refusal.answer
        except _BROKEN as error:
            return Unreachable(type(error).__name__)

    async def close(self) -> None:
        """Close idle sessions; sessions in use end with their message."""
        if not self._guard.is_elsewhere():  # a QUIT from a forked child would end the parent's sessions
            await self._idle.close()

    async def _staged(self, message: Message) -> _StagedData:
        """Stage the message on an idle session, or on a new one if there is no idle session or it has ended."""
        idle = self._idle.take()
        if idle is not None:
            with suppress(Stale):
                return await self._staged_on(idle, message)
        session = await SmtpSession.opened(self._server, self._timeouts, self._tls)
        self._note_encryption(session.in_clear)
        return await self._staged_on(session, message)

    def _note_encryption(self, in_clear: str | None) -> None:
        """Log that mail crosses the network in clear, once until that changes."""
        if in_clear and in_clear != self._in_clear:
            _log.warning("mail is not encrypted", host=self._server.host, cause=in_clear)
        self._in_clear = in_clear

    async def _staged_on(self, session: SmtpSession, message: Message) -> _StagedData:
        try:
            await session.stage(message)
        except Refusal as refusal:
            if refusal.usable:
                self._idle.keep(session)
            else:
                session.leave()
                await session.left()
            raise
        except BaseException:
            session.close()
            raise
        return _StagedData(session, self._idle)


class _IdleSessions:
    """Sessions that wait for a message. The one used last is used next, so that surplus ones age and are closed.

    A session is taken by its own event loop only: each application that shares the mailer has a loop in a thread.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._waiting: list[tuple[float, SmtpSession]] = []
        self._closed = False

    def take(self) -> SmtpSession | None:
        """Return an idle session for exclusive use, or None; `keep` returns it."""
        self._leave_old()
        with self._lock:
            latest = next((each for each in reversed(self._waiting) if each[1].is_of_this_loop), None)
            if latest is None:
                return None
            self._waiting.remove(latest)
            return latest[1]

    def keep(self, session: SmtpSession) -> None:
        """Keep the session for its next message, unless it has carried its maximum number of messages."""
        self._leave_old()
        with self._lock:
            keeping = not self._closed and session.carried < MESSAGES_A_SESSION
            if keeping:
                self._waiting.append((time.monotonic(), session))
        if not keeping:
            session.leave()

    async def close(self) -> None:
        with self._lock:
            self._closed = True
            waiting, self._waiting = [session for _, session in self._waiting], []
        for session in waiting:
            session.leave()
        await asyncio.gather(*(session.left() for session in waiting if session.is_of_this_loop))

    def _leave_old(self) -> None:
        since = time.monotonic() - self._seconds
        with self._lock:
            old = [session for at, session in self._waiting if at < since or session.is_stranded]
            self._waiting = [each for each in self._waiting if each[1] not in old]
        for session in old:
            session.leave()


@attrs.frozen
class _StagedData:
    _session: SmtpSession
    _idle: _IdleSessions

    async def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        try:
            answer, usable = await self._session.end()
        except BaseException:
            self._session.close()
            raise
        if usable:
            self._idle.keep(self._session)
        else:
            self._session.close()
        return answer

    def abandon(self) -> None:
        self._session.close()


def _fit_to_travel(message: Message) -> Message | Rejected:
    """Return the message with its addresses as servers accept them, or a refusal if no server could take it.

    The content is 7-bit, so that neither 8BITMIME nor SMTPUTF8 is needed. A lone CR or LF ends a line for some servers
    only, so a dot after it could end the message early (SMTP smuggling).
    """
    try:
        sender = _sender(message.sender)
    except Invalid:
        return BAD_SENDER
    try:
        recipient = EmailAddress.parse(message.recipient).text
    except Invalid:
        return BAD_RECIPIENT
    content = message.content
    line_ends = content.count(b"\r\n")
    fit = (
        content.isascii()
        and b"\0" not in content
        and content.count(b"\r") == content.count(b"\n") == line_ends
        and not _has_long_line(content)
    )
    if not fit:
        return NOT_TRANSMITTABLE
    is_ready = (sender, recipient) == (message.sender, message.recipient)
    return message if is_ready else attrs.evolve(message, sender=sender, recipient=recipient)


@lru_cache(maxsize=16)
def _sender(text: str) -> str:
    """Return the sender as servers accept it; nearly all messages have the same one.

    Raises: `Invalid`.
    """
    return SenderAddress.parse(text).text


def _has_long_line(content: bytes) -> bool:
    """Return whether a line is too long; jump from line end to line end, 20 times as fast as splitting."""
    start = 0
    while len(content) - start > LONGEST_LINE:
        end = content.rfind(b"\r\n", start, start + LONGEST_LINE + 2)
        if end < 0:
            return True
        start = end + 2
    return False

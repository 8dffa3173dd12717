"""SMTP with its two phases apart: everything but the final dot, then the dot. ADR-7, RFC 5321.

`smtplib.sendmail` hides the one moment that matters, so the commands are driven here one by one.
"""

from __future__ import annotations

import re
import smtplib
import ssl

import attrs

from reviewinvite_core.ports import Accepted, AnswerLost, Message, Refused, RefusedForNow, Unreachable

_STATUS = re.compile(rb"\s*([245]\.\d{1,3}\.\d{1,3})\b")
_LEADING_DOT = re.compile(rb"^\.", re.MULTILINE)

_BROKEN = (smtplib.SMTPException, OSError, ValueError)  # ValueError: a host or address that cannot be encoded

CONNECT_SECONDS = 30.0
REPLY_SECONDS = 300.0
FINAL_REPLY_SECONDS = 600.0  # RFC 5321, section 4.5.3.2.6


@attrs.frozen(kw_only=True)
class SmtpServer:
    """Where the mail server is, and how it is spoken to."""

    host: str
    port: int
    user: str | None = None
    password: str | None = attrs.field(default=None, repr=False)
    implicit_tls: bool = False
    starttls_required: bool = False


class _Fault(Exception):
    """The server said no before the end of the message."""

    def __init__(self, code: int, text: bytes, *, about_us: bool = False) -> None:
        super().__init__(code)
        self.answer = _refusal(code, text, about_us=about_us)


class SmtpMailer:
    """Hands messages to one mail server, a connection each."""

    def __init__(self, server: SmtpServer) -> None:
        self._server = server

    def stage(self, message: Message) -> _StagedData | RefusedForNow | Refused | Unreachable:
        """See `ports.Mailer`."""
        try:
            session = self._connect()
        except _Fault as fault:
            return fault.answer
        except _BROKEN as error:
            return Unreachable(type(error).__name__)
        try:
            _transmit(session, message)
        except _Fault as fault:
            _quit(session)
            return fault.answer
        except _BROKEN as error:
            session.close()
            return Unreachable(type(error).__name__)
        return _StagedData(session)

    def close(self) -> None:
        """See `ports.Mailer`."""

    def _connect(self) -> smtplib.SMTP:
        """A session that has said EHLO, over TLS and with a login where that is asked for."""
        server = self._server
        context = ssl.create_default_context()
        if server.implicit_tls:
            session: smtplib.SMTP = smtplib.SMTP_SSL(timeout=CONNECT_SECONDS, context=context)
        else:
            session = smtplib.SMTP(timeout=CONNECT_SECONDS)
        try:
            session._host = server.host  # type: ignore[attr-defined]
            _expect(session.connect(server.host, server.port), 220, about_us=True)
            session.ehlo_or_helo_if_needed()
            if server.starttls_required:
                session.starttls(context=context)
                session.ehlo()
            if server.user is not None:
                session.login(server.user, server.password or "")
            assert session.sock is not None  # noqa: S101 - for the type checker: it is connected
            session.sock.settimeout(REPLY_SECONDS)
        except smtplib.SMTPResponseException as error:
            session.close()
            text = error.smtp_error if isinstance(error.smtp_error, bytes) else error.smtp_error.encode()
            raise _Fault(error.smtp_code, text, about_us=True) from error
        except BaseException:
            session.close()
            raise
        return session


def _transmit(session: smtplib.SMTP, message: Message) -> None:
    """The envelope and the content, all but the line with the dot."""
    size = [f"SIZE={len(message.content)}"] if session.has_extn("size") else []
    _expect(session.mail(message.sender, size), 250)
    _expect(session.rcpt(message.recipient), 250, 251)
    _expect(session.docmd("DATA"), 354)
    content = message.content if message.content.endswith(b"\r\n") else message.content + b"\r\n"
    session.send(_LEADING_DOT.sub(b"..", content))


@attrs.frozen
class _StagedData:
    _session: smtplib.SMTP

    def commit(self) -> Accepted | RefusedForNow | Refused | AnswerLost:
        try:
            assert self._session.sock is not None  # noqa: S101 - for the type checker: it is connected
            self._session.sock.settimeout(FINAL_REPLY_SECONDS)
            self._session.send(b".\r\n")
            code, text = self._session.getreply()
        except (smtplib.SMTPException, OSError):
            self._session.close()
            return AnswerLost()
        _quit(self._session)
        if 200 <= code < 300:
            return Accepted(_status(code, text))
        return _refusal(code, text) if 400 <= code < 600 else AnswerLost()

    def abandon(self) -> None:
        self._session.close()


def _expect(reply: tuple[int, bytes], *codes: int, about_us: bool = False) -> None:
    code, text = reply
    if code not in codes:
        raise _Fault(code, text, about_us=about_us)


def _refusal(code: int, text: bytes, *, about_us: bool = False) -> Refused | RefusedForNow:
    """A refusal of this message; one of our connection or login (`about_us`) may be mended, so it is never final."""
    final = 500 <= code < 600 and not about_us
    return Refused(_status(code, text)) if final else RefusedForNow(_status(code, text))


def _status(code: int, text: bytes) -> str:
    """The reply's codes alone: its words may quote the customer's address."""
    enhanced = _STATUS.match(text)
    return f"{code} {enhanced[1].decode()}" if enhanced else str(code)


def _quit(session: smtplib.SMTP) -> None:
    """Part politely; the answer is of no interest."""
    try:
        session.putcmd("quit")
    except (smtplib.SMTPException, OSError):
        pass
    finally:
        session.close()

"""Try a mail server as deliveries use it, and report what it said at each step."""

from __future__ import annotations

import ssl
from enum import StrEnum

import attrs

from reviewinvite_core.adapters.mail.smtp_replies import Refusal, Reply
from reviewinvite_core.adapters.mail.smtp_session import SmtpServer, SmtpSession
from reviewinvite_core.adapters.mail.smtp_wire import SessionBroken, Timeouts, Wire
from reviewinvite_core.ports import Accepted, Message

TRIAL_TIMEOUTS = Timeouts(connect=10.0, command=20.0, data=20.0, block=20.0, end=60.0)
_LONGEST_SAID = 300
_COMMANDS = frozenset({"EHLO", "HELO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "."})


class TrialStep(StrEnum):
    """A step of handing over a message."""

    CONNECT = "connect"
    TLS = "tls"
    LOGIN = "login"
    MESSAGE = "message"


@attrs.frozen(kw_only=True)
class TrialReport:
    """What happened at each step, in order; at the last one `failure`, if any.

    `failure` is the name of an exception's class, or the codes with which the server refused. `said` is the server's
    text then, which may contain an address, but never the password.
    """

    steps: tuple[tuple[TrialStep, str], ...]
    failed_at: TrialStep | None = None
    failure: str = ""
    said: str = ""


class SmtpTrial:
    """One session with a mail server, with or without a message."""

    def __init__(self, server: SmtpServer, timeouts: Timeouts = TRIAL_TIMEOUTS) -> None:
        self._server = server
        self._timeouts = timeouts
        self._steps: list[tuple[TrialStep, str]] = []

    async def run(self, message: Message | None = None) -> TrialReport:
        """Open a session, and hand over `message` if there is one; the session is closed afterwards."""
        server, heard = self._server, _Heard()
        session: SmtpSession | None = None
        try:
            session = await SmtpSession.opened(server, self._timeouts, server.tls(), wire=_recorded(heard))
            self._note_opening(heard)
            if message is not None:
                await session.stage(message)
                answer, _ = await session.end()
                if not isinstance(answer, Accepted):
                    return self._failed(TrialStep.MESSAGE, getattr(answer, "reply", None) or "AnswerLost", heard)
                self._steps.append((TrialStep.MESSAGE, f"accepted: {heard.last}"))
        except Refusal as refusal:
            return self._failed_in(session, refusal.answer.reply or "refused", heard)
        except (SessionBroken, OSError, ValueError) as error:
            return self._failed_in(session, _name_of(error), heard)
        finally:
            if session is not None:
                session.leave()
                await session.left()
        return TrialReport(steps=tuple(self._steps))

    def _note_opening(self, heard: _Heard) -> None:
        server = self._server
        for step, text in (
            (TrialStep.CONNECT, f"{server.host} port {server.port}: {heard.greeting}"),
            (TrialStep.TLS, self._tls_words(heard)),
            (TrialStep.LOGIN, f"as {server.user}: {heard.last}" if server.user is not None else "none"),
        ):
            self._steps.append((step, text))

    def _tls_words(self, heard: _Heard) -> str:
        if heard.tls and self._server.starttls_if_offered:
            return f"{heard.tls}, certificate not checked"
        return heard.tls or "not encrypted"

    def _failed_in(self, session: SmtpSession | None, failure: str, heard: _Heard) -> TrialReport:
        if session is not None:
            return self._failed(TrialStep.MESSAGE, failure, heard)
        greeted = f"{self._server.host} port {self._server.port}: {heard.greeting}"
        if not heard.greeting and not heard.tls:
            at_tls = heard.is_connected and self._server.implicit_tls
            return self._failed(TrialStep.TLS if at_tls else TrialStep.CONNECT, failure, heard)
        self._steps.append((TrialStep.CONNECT, greeted))
        if self._server.starttls_required and not heard.tls:
            return self._failed(TrialStep.TLS, failure, heard)
        self._steps.append((TrialStep.TLS, self._tls_words(heard)))
        return self._failed(TrialStep.LOGIN if heard.command == "AUTH" else TrialStep.CONNECT, failure, heard)

    def _failed(self, step: TrialStep, failure: str, heard: _Heard) -> TrialReport:
        return TrialReport(steps=tuple(self._steps), failed_at=step, failure=failure, said=heard.refused)


@attrs.define
class _Heard:
    """What the server has said so far."""

    greeting: str = ""
    last: str = ""
    refused: str = ""
    tls: str = ""
    command: str = ""
    is_connected: bool = False

    def note(self, reply: Reply) -> None:
        self.last = _words(reply)
        self.greeting = self.greeting or self.last
        if reply.refuses:
            self.refused = self.refused or self.last


def _recorded(heard: _Heard) -> type[Wire]:
    """Return a class of connections that record what the server says, but of what is sent only the command's name."""

    class RecordedWire(Wire):
        async def encrypt(self, context: ssl.SSLContext, host: str, seconds: float) -> None:
            heard.is_connected = True
            await super().encrypt(context, host, seconds)
            heard.tls = _tls_words(self._transport.get_extra_info("ssl_object"))

        async def send(self, data: bytes, seconds: float) -> None:
            heard.is_connected = True
            command = data[:10].decode("ascii", "replace").split(maxsplit=1)[0].upper() if data.strip() else ""
            heard.command = command if command in _COMMANDS else heard.command
            await super().send(data, seconds)

        async def reply(self, seconds: float) -> Reply:
            heard.is_connected = True
            reply = await super().reply(seconds)
            heard.note(reply)
            return reply

    return RecordedWire


def _tls_words(connection: ssl.SSLObject | None) -> str:
    if connection is None:
        return ""
    certificate = connection.getpeercert() or {}
    until = certificate.get("notAfter")
    return f"{connection.version()}, the certificate is valid until {until}" if until else f"{connection.version()}"


def _words(reply: Reply) -> str:
    text = b" ".join(line.strip() for line in reply.words if line).decode("utf-8", "replace")
    return f"{reply.code} {text}"[:_LONGEST_SAID].strip()


def _name_of(error: Exception) -> str:
    """Return the name of the error's class; of a certificate's error, also what is wrong with the certificate."""
    name = type(error).__name__
    return f"{name}: {error.verify_message}" if isinstance(error, ssl.SSLCertVerificationError) else name

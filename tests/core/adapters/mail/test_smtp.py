"""SMTP against a real server: each phase, each kind of refusal, and each way to break off."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer
from reviewinvite_core.ports import Accepted, AnswerLost, Mailer, Refused, RefusedForNow, Unreachable
from reviewinvite_core.testing.mailer_contract import Delivered, MailerContract, a_message, staged

PATIENCE = 10.0
CERTIFICATE = Path(__file__).with_name("certificate.pem")  # for 127.0.0.1, with its key; nobody vouches for it


class Inbox:
    """A server's handler: keeps what arrives whole, and answers as it was told to."""

    def __init__(self) -> None:
        self.arrived: list[Envelope] = []
        self.commands: list[str] = []
        self.at_mail = self.at_rcpt = "250 OK"
        self.at_end = "250 2.0.0 taken"
        self.disconnected = threading.Event()
        self.close_at_end = False

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.commands.append(f"MAIL {address} {' '.join(options)}".strip())
        if self.at_mail.startswith("250"):
            envelope.mail_from = address
        return self.at_mail

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        self.commands.append(f"RCPT {address}")
        if self.at_rcpt.startswith("25"):
            envelope.rcpt_tos.append(address)
        return self.at_rcpt

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        if self.close_at_end:
            server.transport.abort()
            return "250 never seen"
        if self.at_end.startswith("250"):
            self.arrived.append(envelope)
        return self.at_end


class NotingServer(SMTP):
    """Says when a client has gone, and may refuse DATA itself or fall silent."""

    at_data: str | None = None

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        if self.at_data:
            await self.push(self.at_data)
        else:
            await super().smtp_DATA(arg)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self.event_handler.disconnected.set()


class MailServer:
    """A real SMTP server on a free port."""

    def __init__(self, **options: object) -> None:
        self.inbox = Inbox()
        self.at_data: str | None = None
        outer = self

        class Listening(Controller):
            def factory(self) -> SMTP:
                server = NotingServer(self.handler, **self.SMTP_kwargs)
                server.at_data = outer.at_data
                return server

        self._controller = Listening(self.inbox, hostname="127.0.0.1", port=free_port(), **options)
        self._controller.start()
        self._running = True

    @property
    def address(self) -> SmtpServer:
        return SmtpServer(host="127.0.0.1", port=self._controller.port)

    def stop(self) -> None:
        """Hang up on everybody; idempotent."""
        if self._running:
            self._running = False
            self._controller.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def serving() -> Iterator[Callable[..., MailServer]]:
    """Starts servers that are stopped in the end."""
    with contextlib.ExitStack() as stack:

        def serve(**options: object) -> MailServer:
            server = MailServer(**options)
            stack.callback(server.stop)
            return server

        yield serve


@pytest.fixture
def server(serving: Callable[..., MailServer]) -> MailServer:
    return serving()


@pytest.fixture
def mailer(server: MailServer) -> Mailer:
    return SmtpMailer(server.address)


class TestSmtpMailer(MailerContract):
    @pytest.fixture
    def mailer(self, server: MailServer) -> Mailer:
        return SmtpMailer(server.address)

    @pytest.fixture
    def delivered(self, server: MailServer) -> Delivered:
        return lambda: [envelope.original_content for envelope in server.inbox.arrived]


# --- the envelope -----------------------------------------------------------------------------------------------


def test_the_envelope_is_the_messages_own(server: MailServer, mailer: Mailer) -> None:
    message = a_message(recipient="anna+x@example.com")
    assert staged(mailer, message).commit() == Accepted("250 2.0.0")
    (envelope,) = server.inbox.arrived
    assert (envelope.mail_from, envelope.rcpt_tos) == ("shop@example.com", ["anna+x@example.com"])
    assert server.inbox.commands[0] == f"MAIL shop@example.com SIZE={len(message.content)}"


def test_content_without_a_line_end_at_its_end_is_ended_before_the_dot(server: MailServer, mailer: Mailer) -> None:
    staged(mailer, attrs.evolve(a_message(), content=b"X: y\r\n\r\nno line end")).commit()
    assert server.inbox.arrived[0].original_content == b"X: y\r\n\r\nno line end\r\n"


def test_an_abandoned_message_breaks_the_connection_off(server: MailServer, mailer: Mailer) -> None:
    staged(mailer, a_message()).abandon()
    assert server.inbox.disconnected.wait(PATIENCE)
    assert server.inbox.arrived == []


# --- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["at_mail", "at_rcpt"])
@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("450 4.2.1 anna@example.com is busy", RefusedForNow("450 4.2.1")),
        ("451 no code of its own", RefusedForNow("451")),
        ("550 5.1.1 anna@example.com unknown", Refused("550 5.1.1")),
        ("554 no", Refused("554")),
    ],
)
def test_a_refusal_of_the_envelope_is_told_by_its_codes_only(
    server: MailServer, mailer: Mailer, phase: str, reply: str, answer: Refused | RefusedForNow
) -> None:
    setattr(server.inbox, phase, reply)
    assert mailer.stage(a_message()) == answer
    assert server.inbox.disconnected.wait(PATIENCE)
    assert server.inbox.arrived == []


def test_a_recipient_that_will_be_forwarded_is_accepted(server: MailServer, mailer: Mailer) -> None:
    server.inbox.at_rcpt = "251 User not local; will forward"
    assert isinstance(staged(mailer, a_message()).commit(), Accepted)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [("451 4.3.0 later", RefusedForNow("451 4.3.0")), ("554 5.5.1 no", Refused("554 5.5.1"))],
)
def test_a_refusal_of_data_is_told(server: MailServer, mailer: Mailer, reply: str, answer: object) -> None:
    server.at_data = reply
    assert mailer.stage(a_message()) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("250 2.0.0 queued", Accepted("250 2.0.0")),
        ("250 queued as 5.1.1", Accepted("250")),
        ("452 4.2.2 anna@example.com is over quota", RefusedForNow("452 4.2.2")),
        ("552 5.2.3 too large", Refused("552 5.2.3")),
        ("354 go on", AnswerLost()),
    ],
)
def test_the_answer_to_the_end_is_told(server: MailServer, mailer: Mailer, reply: str, answer: object) -> None:
    server.inbox.at_end = reply
    assert staged(mailer, a_message()).commit() == answer


def test_a_message_larger_than_the_server_takes_is_refused_before_it_is_sent(serving) -> None:
    server = serving(data_size_limit=1000)
    assert SmtpMailer(server.address).stage(a_message(body=b"x\r\n" * 1000)) == Refused("552")
    assert server.inbox.commands == []


# --- breaking off -----------------------------------------------------------------------------------------------


def test_where_nobody_listens_the_mail_is_unreachable() -> None:
    mailer = SmtpMailer(SmtpServer(host="127.0.0.1", port=free_port()))
    assert mailer.stage(a_message()) == Unreachable("ConnectionRefusedError")


def test_a_host_that_does_not_exist_is_unreachable() -> None:
    assert SmtpMailer(SmtpServer(host="no-such-host.invalid", port=25)).stage(a_message()) == Unreachable("gaierror")


@pytest.mark.parametrize("host", ["mail..example.com", "x" * 64 + ".example.com"])
def test_a_host_that_cannot_be_a_name_is_unreachable(host: str) -> None:
    answer = SmtpMailer(SmtpServer(host=host, port=25)).stage(a_message())
    assert isinstance(answer, Unreachable)
    assert answer.cause in {"UnicodeError", "UnicodeEncodeError"}


def test_an_address_that_cannot_be_transmitted_is_no_fault_of_the_program(server: MailServer) -> None:
    message = attrs.evolve(a_message(), recipient="\N{SNOWMAN}@example.com")
    assert SmtpMailer(server.address).stage(message) == Unreachable("UnicodeEncodeError")
    assert server.inbox.arrived == []


@contextlib.contextmanager
def speaking(talk: Callable[[socket.socket], object]) -> Iterator[SmtpServer]:
    """A server that says what `talk` says to one client, and nothing of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            client, _ = listener.accept()
            with client:
                talk(client)

        thread = threading.Thread(target=serve)
        thread.start()
        yield SmtpServer(host="127.0.0.1", port=listener.getsockname()[1])
        thread.join(PATIENCE)


def converse(*replies: bytes) -> Callable[[socket.socket], None]:
    """Greets, answers each line with the next reply, then closes."""

    def talk(client: socket.socket) -> None:
        client.sendall(b"220 hello\r\n")
        with client.makefile("rb") as lines:
            for reply in replies:
                lines.readline()
                client.sendall(reply)

    return talk


@pytest.mark.parametrize("steps", range(5))
def test_a_connection_that_breaks_before_the_end_is_unreachable(steps: int) -> None:
    replies = [b"250 hello\r\n", b"250 OK\r\n", b"250 OK\r\n", b"garbage without a code\r\n"]
    with speaking(converse(*replies[:steps])) as address:
        assert isinstance(SmtpMailer(address).stage(a_message()), Unreachable | RefusedForNow)


@pytest.mark.parametrize("greeting", [b"554 5.7.1 go away\r\n", b"421 busy\r\n"])
def test_a_server_that_will_not_speak_to_us_refuses_no_message_for_good(greeting: bytes) -> None:
    with speaking(lambda client: client.sendall(greeting)) as address:
        answer = SmtpMailer(address).stage(a_message())
    assert isinstance(answer, RefusedForNow)


def test_a_server_that_closes_at_the_end_leaves_it_unanswered(server: MailServer, mailer: Mailer) -> None:
    server.inbox.close_at_end = True
    assert staged(mailer, a_message()).commit() == AnswerLost()


def test_a_server_that_hung_up_before_the_end_is_sent_leaves_it_unanswered(server: MailServer, mailer: Mailer) -> None:
    waiting = staged(mailer, a_message())
    server.stop()
    assert waiting.commit() == AnswerLost()
    assert server.inbox.arrived == []


def until_the_end(client: socket.socket, answer: bytes) -> bytes:
    """Takes one message as a server does, and answers its end so; the bytes of the content as they came."""
    client.sendall(b"220 hello\r\n")
    received = b""
    with client.makefile("rb") as lines:
        for reply in (b"250 hello\r\n", b"250 OK\r\n", b"250 OK\r\n", b"354 go\r\n"):
            lines.readline()
            client.sendall(reply)
        for line in lines:
            received += line
            if line == b".\r\n":
                client.sendall(answer)
                break
    return received


@pytest.mark.parametrize("answer", [b"", b"25", b"hello\r\n", b"250", b"\xff\xfe\r\n", b"2" * 10_000])
def test_an_answer_that_cannot_be_read_is_no_answer(answer: bytes) -> None:
    with speaking(lambda client: until_the_end(client, answer)) as address:
        left = staged(SmtpMailer(address), a_message()).commit()
    assert left == (Accepted("250") if answer == b"250" else AnswerLost())


def test_the_end_is_not_on_the_wire_before_the_commit() -> None:
    arrived, received = threading.Event(), []

    def talk(client: socket.socket) -> None:
        received.append(until_the_end(client, b"250 OK\r\n"))
        arrived.set()

    with speaking(talk) as address:
        waiting = staged(SmtpMailer(address), a_message(body=b".\r\n"))
        assert not arrived.wait(0.2)
        assert waiting.commit() == Accepted("250")
    assert received == [a_message().content.partition(b"Hello")[0] + b"..\r\n.\r\n"]


# --- TLS and login ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("login", [{}, {"user": "shop", "password": "hunter2"}], ids=["no login", "login"])
def test_where_tls_is_required_and_not_offered_nothing_is_sent_in_clear(
    server: MailServer, login: dict[str, str]
) -> None:
    address = attrs.evolve(server.address, starttls_required=True, **login)
    assert SmtpMailer(address).stage(a_message()) == Unreachable("SMTPNotSupportedError")
    assert server.inbox.disconnected.wait(PATIENCE)
    assert server.inbox.commands == []


@pytest.fixture
def tls() -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    return context


@pytest.fixture
def trusted() -> Iterator[None]:
    """A machine that trusts the certificate."""
    before = os.environ.get("SSL_CERT_FILE")
    os.environ["SSL_CERT_FILE"] = str(CERTIFICATE)
    yield
    if before is None:
        del os.environ["SSL_CERT_FILE"]
    else:
        os.environ["SSL_CERT_FILE"] = before


def test_over_tls_a_message_arrives(serving, tls: ssl.SSLContext, trusted: None) -> None:
    server = serving(tls_context=tls, require_starttls=True)
    address = attrs.evolve(server.address, starttls_required=True)
    assert isinstance(staged(SmtpMailer(address), a_message()).commit(), Accepted)
    assert len(server.inbox.arrived) == 1


def test_a_certificate_that_nobody_vouches_for_is_sent_nothing(serving, tls: ssl.SSLContext) -> None:
    server = serving(tls_context=tls)
    address = attrs.evolve(server.address, starttls_required=True)
    assert SmtpMailer(address).stage(a_message()) == Unreachable("SSLCertVerificationError")
    assert server.inbox.commands == []


class GuardedServer:
    """A server that wants a login."""

    def __init__(self, serving: Callable[..., MailServer], tls: ssl.SSLContext) -> None:
        self.seen: list[tuple[bytes, bytes]] = []

        def check(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object) -> AuthResult:
            assert isinstance(data, LoginPassword)
            self.seen.append((data.login, data.password))
            return AuthResult(success=data.password == b"hunter2", handled=False)

        self.server = serving(tls_context=tls, auth_required=True, authenticator=check)

    def mailer(self, password: str) -> SmtpMailer:
        address = attrs.evolve(self.server.address, starttls_required=True, user="shop", password=password)
        return SmtpMailer(address)


def test_a_login_is_made_over_tls(serving, tls: ssl.SSLContext, trusted: None) -> None:
    guarded = GuardedServer(serving, tls)
    assert isinstance(staged(guarded.mailer("hunter2"), a_message()).commit(), Accepted)
    assert guarded.seen == [(b"shop", b"hunter2")]


def test_a_refused_login_refuses_no_message_for_good(serving, tls: ssl.SSLContext, trusted: None) -> None:
    guarded = GuardedServer(serving, tls)
    assert isinstance(guarded.mailer("wrong").stage(a_message()), RefusedForNow)
    assert guarded.server.inbox.commands == []


def test_a_server_of_implicit_tls_is_spoken_to_in_tls(tls: ssl.SSLContext, trusted: None) -> None:
    inbox, port = Inbox(), free_port()
    started, loop = threading.Event(), asyncio.new_event_loop()

    async def serve() -> asyncio.Server:
        listening = await loop.create_server(lambda: NotingServer(inbox, loop=loop), "127.0.0.1", port, ssl=tls)
        started.set()
        return listening

    def run() -> None:
        listening = loop.run_until_complete(serve())
        loop.run_forever()
        listening.close()
        loop.run_until_complete(listening.wait_closed())
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(PATIENCE)
    try:
        address = SmtpServer(host="127.0.0.1", port=port, implicit_tls=True)
        assert isinstance(staged(SmtpMailer(address), a_message()).commit(), Accepted)
        assert inbox.disconnected.wait(PATIENCE)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
    assert len(inbox.arrived) == 1


def test_a_server_shows_no_password_in_a_log() -> None:
    assert "hunter2" not in repr(SmtpServer(host="h", port=25, user="shop", password="hunter2"))

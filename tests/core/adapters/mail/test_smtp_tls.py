"""TLS that is required, certificates that are checked, and logins that nobody overhears."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from tests.blocking_mailer import staged
from tests.core.adapters.mail.mail_server import MailServer
from tests.core.adapters.mail.servers import CERTIFICATE, FaultyServer, MakeMailer, StartMailServer, TroubleOfServer
from tests.smtp_server import SmtpTestServer

from reviewinvite_core.adapters.mail.smtp import SmtpServer, Timeouts
from reviewinvite_core.adapters.mail.smtp_replies import Refusal
from reviewinvite_core.adapters.mail.smtp_session import SmtpSession
from reviewinvite_core.adapters.mail.smtp_wire import Wire
from reviewinvite_core.ports import Accepted, Mailer, RefusedForNow, Unreachable
from reviewinvite_core.testing.mailer_contract import Delivered, MailerContract, a_message

LOGIN = {"user": "shop", "password": "hunter2"}


class TestSmtpMailerOverTls(TroubleOfServer, MailerContract):
    @pytest.fixture
    def server(self, faulty_server: FaultyServer, trusted: Path) -> SmtpTestServer:
        return faulty_server(certificate=trusted, starttls=True, login="shop:hunter2", pipelining=True)

    @pytest.fixture
    def mailer(self, server: SmtpTestServer, make_mailer: MakeMailer) -> Mailer:
        return make_mailer(server, starttls_required=True, **LOGIN).inner

    @pytest.fixture
    def delivered(self, server: SmtpTestServer) -> Delivered:
        return lambda: server.messages


@pytest.fixture
def tls() -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    return context


# --- STARTTLS ---------------------------------------------------------------------------------------------------


def test_over_tls_a_message_arrives(
    start_mail_server: StartMailServer, tls: ssl.SSLContext, trusted: Path, make_mailer: MakeMailer
) -> None:
    server = start_mail_server(tls_context=tls, require_starttls=True)
    mailer = make_mailer(server, starttls_required=True)
    for serial in range(2):
        assert isinstance(staged(mailer, a_message(serial)).commit(), Accepted)
    assert len(server.inbox.arrived) == 2


def test_a_session_over_tls_is_used_again(faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer) -> None:
    server = faulty_server(certificate=trusted, starttls=True)
    mailer = make_mailer(server, starttls_required=True)
    for serial in range(3):
        assert isinstance(staged(mailer, a_message(serial)).commit(), Accepted)
    assert server.sessions == 1
    assert [command.partition(" ")[0] for command in server.commands[:4]] == ["EHLO", "STARTTLS", "EHLO", "MAIL"]


def test_a_server_that_hung_up_over_tls_before_the_end_is_not_sent_it(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer
) -> None:
    server = faulty_server(certificate=trusted, starttls=True)
    waiting = staged(make_mailer(server, starttls_required=True), a_message())
    server.hang_up()
    assert waiting.commit() == RefusedForNow()
    assert server.messages == []


def test_where_somebody_refuses_ehlo_nothing_is_sent_in_clear(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer
) -> None:
    refusal = {"at": "ehlo", "do": "reply", "with": "502 5.5.1 unknown", "times": 1}
    server = faulty_server(refusal, certificate=trusted, starttls=True, login="shop:hunter2")
    mailer = make_mailer(server, starttls_required=True, **LOGIN)
    assert mailer.stage(a_message()) == Unreachable("StarttlsNotOffered")
    assert {command[:4] for command in server.commands} <= {"EHLO", "HELO", "QUIT"}


def test_what_was_offered_before_tls_counts_no_more(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer
) -> None:
    in_clear = {
        "at": "ehlo",
        "do": "reply",
        "with": "250-a\r\n250-SIZE 10\r\n250-PIPELINING\r\n250 STARTTLS",
        "times": 1,
    }
    server = faulty_server(in_clear, certificate=trusted, starttls=True)
    assert isinstance(staged(make_mailer(server, starttls_required=True), a_message()).commit(), Accepted)
    assert "MAIL FROM:<shop@example.com>" in server.commands


def test_a_session_whose_login_is_refused_is_closed_when_the_caller_is_told(
    faulty_server: FaultyServer, trusted: Path
) -> None:
    class Kept(Wire):
        made: ClassVar[list[Wire]] = []

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.made.append(self)
            super().connection_made(transport)

    refusal = {"at": "auth", "do": "reply", "with": "535 5.7.8 no"}
    server = faulty_server(refusal, certificate=trusted, starttls=True, login="shop:hunter2")
    host, port = server.address
    wanted = SmtpServer(host=host, port=port, starttls_required=True, user="shop", password="hunter2")

    async def open_session() -> None:
        with pytest.raises(Refusal):
            await SmtpSession.opened(wanted, Timeouts(), wanted.tls(), wire=Kept)
        assert all(wire._closed.done() for wire in Kept.made)

    asyncio.run(open_session())
    assert len(Kept.made) == 1


# --- STARTTLS if it is offered ------------------------------------------------------------------------------------


def warnings(caplog: pytest.LogCaptureFixture) -> list[object]:
    return [record.__dict__["fields"]["cause"] for record in caplog.records if record.levelname == "WARNING"]


def test_offered_tls_is_used_whoever_signed_its_certificate(
    faulty_server: FaultyServer, make_mailer: MakeMailer, caplog: pytest.LogCaptureFixture
) -> None:
    server = faulty_server(certificate=CERTIFICATE, starttls=True)
    mailer = make_mailer(server, host="localhost", starttls_if_offered=True)
    assert isinstance(staged(mailer, a_message()).commit(), Accepted)
    assert [command.partition(" ")[0] for command in server.commands[:4]] == ["EHLO", "STARTTLS", "EHLO", "MAIL"]
    assert warnings(caplog) == []


@pytest.mark.parametrize(
    ("fault", "cause", "sessions"),
    [
        ({"at": "starttls", "do": "reply", "with": "454 4.7.0 not now"}, "STARTTLS is refused: 454 4.7.0", 1),
        ({"at": "starttls", "do": "garbage", "with": "220 go ahead\r\n", "times": 1}, "TLS failed: HungUp", 2),
        ({"at": "ehlo", "do": "reply", "with": "250 mail.example.com"}, "STARTTLS is not offered", 1),
    ],
)
def test_without_working_tls_mail_leaves_all_the_same_and_the_log_says_so_once(
    faulty_server: FaultyServer,
    make_mailer: MakeMailer,
    caplog: pytest.LogCaptureFixture,
    fault: Mapping[str, object],
    cause: str,
    sessions: int,
) -> None:
    server = faulty_server(fault, certificate=CERTIFICATE, starttls=True)
    mailer = make_mailer(server, starttls_if_offered=True)
    waiting = [staged(mailer, a_message(serial)) for serial in range(2)]
    assert [type(each.commit()) for each in waiting] == [Accepted] * 2
    assert warnings(caplog)[0] == cause
    assert server.sessions == sessions + 1


def test_a_downgrade_is_logged(
    faulty_server: FaultyServer, make_mailer: MakeMailer, caplog: pytest.LogCaptureFixture
) -> None:
    server = faulty_server(certificate=CERTIFICATE, starttls=True)
    mailer = make_mailer(server, starttls_if_offered=True)
    first = staged(mailer, a_message(1))
    assert warnings(caplog) == []
    server.then({"at": "ehlo", "do": "reply", "with": "250 mail.example.com"})
    second, third = staged(mailer, a_message(2)), staged(mailer, a_message(3))
    assert warnings(caplog) == ["STARTTLS is not offered"]
    for each in (first, second, third):
        assert isinstance(each.commit(), Accepted)


# --- certificates -----------------------------------------------------------------------------------------------


def test_a_server_of_implicit_tls_is_spoken_to_in_tls(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer
) -> None:
    server = faulty_server(certificate=trusted, implicit_tls=True, login="shop:hunter2")
    mailer = make_mailer(server, implicit_tls=True, **LOGIN)
    assert isinstance(staged(mailer, a_message()).commit(), Accepted)
    assert len(server.messages) == 1


# --- logins -----------------------------------------------------------------------------------------------------


class GuardedServer:
    """A server of aiosmtpd that wants a login."""

    def __init__(self, start_mail_server: StartMailServer, tls: ssl.SSLContext) -> None:
        self.seen: list[tuple[bytes, bytes]] = []

        def check(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object) -> AuthResult:
            assert isinstance(data, LoginPassword)
            self.seen.append((data.login, data.password))
            return AuthResult(success=data.password == b"hunter2", handled=False)

        self.server: MailServer = start_mail_server(tls_context=tls, auth_required=True, authenticator=check)


def test_a_login_is_made_over_tls(
    start_mail_server: StartMailServer, tls: ssl.SSLContext, trusted: Path, make_mailer: MakeMailer
) -> None:
    guarded = GuardedServer(start_mail_server, tls)
    mailer = make_mailer(guarded.server, starttls_required=True, **LOGIN)
    assert isinstance(staged(mailer, a_message()).commit(), Accepted)
    assert guarded.seen == [(b"shop", b"hunter2")]


@pytest.mark.parametrize(
    ("mechanisms", "words"),
    [
        ("PLAIN LOGIN", ["AUTH PLAIN " + base64.b64encode(b"\0shop\0hunter2").decode()]),
        ("plain", ["AUTH PLAIN " + base64.b64encode(b"\0shop\0hunter2").decode()]),
        ("LOGIN CRAM-MD5", ["AUTH LOGIN"]),
    ],
)
def test_a_login_is_made_in_a_way_that_the_server_knows(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer, mechanisms: str, words: list[str]
) -> None:
    server = faulty_server(certificate=trusted, starttls=True, login="shop:hunter2", mechanisms=mechanisms)
    mailer = make_mailer(server, starttls_required=True, **LOGIN)
    assert isinstance(staged(mailer, a_message()).commit(), Accepted)
    assert [command for command in server.commands if command.startswith("AUTH")] == words


def test_a_server_shows_no_password_in_a_log() -> None:
    assert "hunter2" not in repr(SmtpServer(host="h", port=25, user="shop", password="hunter2"))

"""TLS that is required, certificates that are checked, and logins that nobody overhears."""

from __future__ import annotations

import base64
import ssl
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from tests.blocking_mailer import staged
from tests.core.adapters.mail.mail_server import MailServer
from tests.core.adapters.mail.servers import CERTIFICATE, FaultyServer, MakeMailer, StartMailServer
from tests.smtp_server import SmtpTestServer

from reviewinvite_core.adapters.mail.smtp import SmtpServer
from reviewinvite_core.ports import Accepted, Mailer, RefusedForNow, Unreachable
from reviewinvite_core.testing.mailer_contract import Delivered, MailerContract, a_message

LOGIN = {"user": "shop", "password": "hunter2"}


class TestSmtpMailerOverTls(MailerContract):
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


@pytest.mark.parametrize("login", [{}, LOGIN], ids=["no login", "login"])
def test_where_tls_is_required_and_not_offered_nothing_is_sent_in_clear(
    faulty_server: FaultyServer, make_mailer: MakeMailer, login: dict[str, str]
) -> None:
    server = faulty_server(login="shop:hunter2" if login else None)
    assert make_mailer(server, starttls_required=True, **login).stage(a_message()) == Unreachable("StarttlsNotOffered")
    assert [command[:4] for command in server.commands] == ["EHLO"]


@pytest.mark.parametrize(
    "stripped",
    [
        {"at": "ehlo", "do": "reply", "with": "250 mail.example.com"},
        {"at": "ehlo", "do": "reply", "with": "250-mail.example.com\r\n250 XXXXXXXA"},
        {"at": "ehlo", "do": "reply", "with": "502 5.5.1 unknown", "times": 1},
    ],
)
def test_where_somebody_strips_the_offer_of_tls_nothing_is_sent_in_clear(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer, stripped: dict[str, object]
) -> None:
    server = faulty_server(stripped, certificate=trusted, starttls=True, login="shop:hunter2")
    mailer = make_mailer(server, starttls_required=True, **LOGIN)
    assert mailer.stage(a_message()) == Unreachable("StarttlsNotOffered")
    assert {command[:4] for command in server.commands} <= {"EHLO", "HELO", "QUIT"}


def test_what_is_said_in_clear_after_starttls_is_not_believed(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer
) -> None:
    injected = "250-mail.example.com\r\n250 AUTH PLAIN"
    server = faulty_server({"at": "starttls", "do": "add", "with": injected}, certificate=trusted, starttls=True)
    assert make_mailer(server, starttls_required=True).stage(a_message()) == Unreachable("ReplyUnreadable")
    assert [command[:4] for command in server.commands] == ["EHLO", "STAR"]


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


def test_a_server_whose_tls_is_out_of_order_refuses_for_now(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer
) -> None:
    refusal = {"at": "starttls", "do": "reply", "with": "454 4.7.0 TLS not available"}
    server = faulty_server(refusal, certificate=trusted, starttls=True)
    assert make_mailer(server, starttls_required=True).stage(a_message()) == RefusedForNow("454 4.7.0")


# --- certificates -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("implicit", [False, True])
def test_a_certificate_that_nobody_vouches_for_is_sent_nothing(
    faulty_server: FaultyServer, make_mailer: MakeMailer, implicit: bool
) -> None:
    server = faulty_server(certificate=CERTIFICATE, starttls=not implicit, implicit_tls=implicit)
    mailer = make_mailer(server, starttls_required=not implicit, implicit_tls=implicit)
    assert mailer.stage(a_message()) == Unreachable("SSLCertVerificationError")
    assert not [command for command in server.commands if command.startswith("MAIL")]


@pytest.mark.parametrize("implicit", [False, True])
def test_a_certificate_for_another_host_is_sent_nothing(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer, implicit: bool
) -> None:
    server = faulty_server(certificate=trusted, starttls=not implicit, implicit_tls=implicit)
    mailer = make_mailer(server, host="localhost", starttls_required=not implicit, implicit_tls=implicit)
    assert mailer.stage(a_message()) == Unreachable("SSLCertVerificationError")
    assert not [command for command in server.commands if command.startswith("MAIL")]


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


def test_a_refused_login_refuses_no_message_for_good(
    start_mail_server: StartMailServer, tls: ssl.SSLContext, trusted: Path, make_mailer: MakeMailer
) -> None:
    guarded = GuardedServer(start_mail_server, tls)
    mailer = make_mailer(guarded.server, starttls_required=True, user="shop", password="wrong")
    assert mailer.stage(a_message()) == RefusedForNow("535 5.7.8")
    assert guarded.server.inbox.commands == []


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


def test_a_login_where_the_server_knows_no_way_of_ours_is_unreachable(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer
) -> None:
    server = faulty_server(certificate=trusted, starttls=True, login="shop:hunter2", mechanisms="GSSAPI")
    mailer = make_mailer(server, starttls_required=True, **LOGIN)
    assert mailer.stage(a_message()) == Unreachable("LoginNotOffered")


def test_a_server_that_wants_a_login_that_was_not_given_refuses_for_now(
    faulty_server: FaultyServer, trusted: Path, make_mailer: MakeMailer
) -> None:
    server = faulty_server(certificate=trusted, starttls=True, login="shop:hunter2")
    assert make_mailer(server, starttls_required=True).stage(a_message()) == RefusedForNow("530 5.7.0")


def test_a_server_shows_no_password_in_a_log() -> None:
    assert "hunter2" not in repr(SmtpServer(host="h", port=25, user="shop", password="hunter2"))

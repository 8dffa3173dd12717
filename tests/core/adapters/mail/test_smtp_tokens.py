"""Logins by XOAUTH2: how a token is sent, what becomes of one that the server refuses, and that nobody sees it."""

from __future__ import annotations

import asyncio
import base64
import traceback
from pathlib import Path

import pytest
from tests.blocking_mailer import staged, wait_for
from tests.core.adapters.mail.servers import FaultyServer, MakeMailer, TroubleOfServer
from tests.core.adapters.mail.token_fakes import USER, ScriptedSource
from tests.smtp_server import SmtpTestServer

from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer, Timeouts
from reviewinvite_core.adapters.mail.smtp_session import SmtpSession
from reviewinvite_core.adapters.mail.token_sources import TokenCommandFailed
from reviewinvite_core.adapters.mail.tokens import LONGEST_TOKEN, Tokens
from reviewinvite_core.ports import Accepted, Mailer, RefusedForNow, Unreachable
from reviewinvite_core.testing.mailer_contract import Delivered, MailerContract, a_message

BY_TOKEN = {"login": USER, "mechanisms": "PLAIN XOAUTH2"}
SHORT, LONG = "ya29.first", "eyJ." + "x" * 1500


class TestSmtpMailerWithToken(TroubleOfServer, MailerContract):
    @pytest.fixture
    def server(self, faulty_server: FaultyServer, trusted: Path) -> SmtpTestServer:
        server = faulty_server(certificate=trusted, starttls=True, pipelining=True, **BY_TOKEN)
        server.tokens = {LONG}
        return server

    @pytest.fixture
    def mailer(self, server: SmtpTestServer, make_mailer: MakeMailer) -> Mailer:
        return make_mailer(server, starttls_required=True, user=USER, tokens=Tokens(ScriptedSource(LONG))).inner

    @pytest.fixture
    def delivered(self, server: SmtpTestServer) -> Delivered:
        return lambda: server.messages


def response(token: str) -> str:
    return base64.b64encode(f"user={USER}\1auth=Bearer {token}\1\1".encode()).decode()


def auth_lines(server: SmtpTestServer) -> list[str]:
    return [command for command in server.commands if command.startswith("AUTH")]


# --- how it is sent ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("token", "asks_always", "commands", "responses"),
    [
        (SHORT, False, [f"AUTH XOAUTH2 {response(SHORT)}"], []),
        (SHORT, True, [f"AUTH XOAUTH2 {response(SHORT)}"], [response(SHORT)]),
        (LONG, False, ["AUTH XOAUTH2"], [response(LONG)]),
        ("x" * LONGEST_TOKEN, False, ["AUTH XOAUTH2"], [response("x" * LONGEST_TOKEN)]),
    ],
    ids=["with an initial response", "which is ignored", "too long for it", "as long as can be"],
)
def test_a_token_goes_into_the_command_if_it_fits(
    faulty_server: FaultyServer,
    make_mailer: MakeMailer,
    token: str,
    asks_always: bool,
    commands: list[str],
    responses: list[str],
) -> None:
    server = faulty_server(asks_always=asks_always, **BY_TOKEN)
    server.tokens = {token}
    mailer = make_mailer(server, user=USER, tokens=Tokens(ScriptedSource(token)))
    assert isinstance(staged(mailer, a_message()).commit(), Accepted)
    assert (auth_lines(server), server.responses) == (commands, responses)
    assert max(map(len, server.responses), default=0) <= 12288  # RFC 4954, section 4


@pytest.mark.parametrize("mechanisms", ["PLAIN LOGIN", "OAUTHBEARER", "XOAUTH2-PLUS"])
def test_a_server_that_does_not_offer_it_is_named_as_the_cause(
    faulty_server: FaultyServer, make_mailer: MakeMailer, mechanisms: str
) -> None:
    server = faulty_server(login=USER, mechanisms=mechanisms)
    mailer = make_mailer(server, user=USER, tokens=Tokens(ScriptedSource(SHORT)))
    assert mailer.stage(a_message()) == Unreachable("Xoauth2NotOffered")
    assert auth_lines(server) == []


def test_without_a_token_no_connection_is_made(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server(**BY_TOKEN)
    mailer = make_mailer(server, user=USER, tokens=Tokens(ScriptedSource(TokenCommandFailed)))
    assert mailer.stage(a_message()) == Unreachable("TokenCommandFailed")
    assert server.sessions == 0


# --- a token that is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize("explains", [False, True])
def test_a_refused_token_is_renewed_and_tried_once_more(
    faulty_server: FaultyServer, make_mailer: MakeMailer, explains: bool
) -> None:
    server = faulty_server(explains=explains, **BY_TOKEN)
    server.tokens = {"second"}
    source = ScriptedSource("first", "second")
    mailer = make_mailer(server, user=USER, tokens=Tokens(source))
    assert isinstance(staged(mailer, a_message()).commit(), Accepted)
    assert (server.sessions, source.readings) == (2, 2)
    assert server.responses == ([""] if explains else [])


@pytest.mark.parametrize("explains", [False, True])
def test_a_renewed_token_that_is_refused_too_is_a_refused_login(
    faulty_server: FaultyServer, make_mailer: MakeMailer, explains: bool
) -> None:
    server = faulty_server(explains=explains, **BY_TOKEN)
    source = ScriptedSource("first", "second", "third")
    mailer = make_mailer(server, user=USER, tokens=Tokens(source))
    assert mailer.stage(a_message(1)) == RefusedForNow("535 5.7.8")
    assert (server.sessions, source.readings) == (2, 2)
    assert mailer.stage(a_message(2)) == RefusedForNow("535 5.7.8")  # once more, but with no other token so soon
    assert (server.sessions, source.readings) == (3, 2)


def test_the_same_token_is_not_tried_again(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server(**BY_TOKEN)
    mailer = make_mailer(server, user=USER, tokens=Tokens(ScriptedSource("first")))
    assert mailer.stage(a_message()) == RefusedForNow("535 5.7.8")
    assert server.sessions == 1


@pytest.mark.parametrize("reply", ["454 4.7.0 later", "421 4.3.2 bye", "534 5.7.9 too weak", "334 ", "299 what"])
def test_a_refusal_that_is_not_about_the_token_renews_nothing(
    faulty_server: FaultyServer, make_mailer: MakeMailer, reply: str
) -> None:
    server = faulty_server({"at": "auth", "do": "reply", "with": reply}, **BY_TOKEN)
    server.tokens = {SHORT}
    source = ScriptedSource(SHORT, "second")
    mailer = make_mailer(server, Timeouts(command=5.0), user=USER, tokens=Tokens(source))
    answer = mailer.stage(a_message())
    assert answer == RefusedForNow(" ".join(reply.split(" ")[:2]) if reply[4:5].isdigit() else reply[:3]) or (
        reply == "334 " and isinstance(answer, RefusedForNow | Unreachable)
    )
    assert source.readings == 1


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ({"do": "stall"}, {"TimeoutError"}),
        ({"do": "drop"}, {"HungUp", "ConnectionResetError"}),
        ({"do": "garbage", "with": "hello\r\n"}, {"ReplyUnreadable"}),
    ],
)
def test_a_server_that_does_not_answer_the_login_is_unreachable(
    faulty_server: FaultyServer, make_mailer: MakeMailer, fault: dict[str, object], cause: set[str]
) -> None:
    server = faulty_server({"at": "auth", **fault}, **BY_TOKEN)
    source = ScriptedSource(SHORT, "second")
    mailer = make_mailer(server, Timeouts(command=0.2), user=USER, tokens=Tokens(source))
    answer = mailer.stage(a_message())
    assert isinstance(answer, Unreachable)
    assert answer.cause in cause
    assert source.readings == 1


def test_sessions_that_are_refused_at_once_renew_once(faulty_server: FaultyServer) -> None:
    server = faulty_server(**BY_TOKEN)
    server.tokens = {"second"}
    source = ScriptedSource("first", "second", "third")
    host, port = server.address
    mailer = SmtpMailer(SmtpServer(host=host, port=port, user=USER, tokens=Tokens(source)))

    async def deliver(serial: int) -> object:
        waiting = await mailer.stage(a_message(serial))
        return waiting if isinstance(waiting, RefusedForNow | Unreachable) else await waiting.commit()  # type: ignore[union-attr]

    async def deliver_all() -> list[object]:
        try:
            return await asyncio.gather(*(deliver(serial) for serial in range(8)))
        finally:
            await mailer.close()

    assert wait_for(deliver_all()) == [Accepted("250 2.0.0")] * 8
    assert source.readings == 2


# --- a token that expires while a session is open ---------------------------------------------------------------


@pytest.mark.parametrize("pipelining", [False, True])
@pytest.mark.parametrize("reply", ["530 5.7.0 log in again", "535 5.7.3 expired", "421 4.7.0 expired"])
def test_a_session_whose_token_has_expired_is_replaced_by_another(
    faulty_server: FaultyServer, make_mailer: MakeMailer, reply: str, pipelining: bool
) -> None:
    server = faulty_server(pipelining=pipelining, **BY_TOKEN)
    server.tokens = {"first"}
    source = ScriptedSource("first", "second")
    mailer = make_mailer(server, user=USER, tokens=Tokens(source))
    assert isinstance(staged(mailer, a_message(1)).commit(), Accepted)
    server.tokens = {"second"}
    server.then({"at": "mail", "do": "reply", "with": reply, "used": True})
    assert isinstance(staged(mailer, a_message(2)).commit(), Accepted)
    assert (server.sessions, source.readings) == (3, 2)  # the second with the old token, which is refused


def test_a_new_session_that_asks_for_a_login_again_is_refused(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server({"at": "mail", "do": "reply", "with": "530 5.7.0 log in"}, **BY_TOKEN)
    server.tokens = {SHORT}
    mailer = make_mailer(server, user=USER, tokens=Tokens(ScriptedSource(SHORT)))
    assert mailer.stage(a_message()) == RefusedForNow("530 5.7.0")
    assert server.sessions == 1


# --- nobody sees it ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", [SHORT, LONG])
@pytest.mark.parametrize("do", ["stall", "drop", "reply"])
def test_no_traceback_shows_a_token_even_with_the_values_of_variables(
    faulty_server: FaultyServer, do: str, token: str
) -> None:
    server = faulty_server({"at": "auth", "do": do, "with": "454 4.7.0 later"}, **BY_TOKEN)
    host, port = server.address
    with_token = SmtpServer(host=host, port=port, user=USER, tokens=Tokens(ScriptedSource(token)))
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is
        asyncio.run(SmtpSession.opened(with_token, Timeouts(command=0.2), None))
    assert caught.value.__traceback__
    below = caught.value.with_traceback(caught.value.__traceback__.tb_next)  # without this test's own variables
    shown = "".join(traceback.TracebackException.from_exception(below, capture_locals=True).format())
    assert "log_in_with_token" in shown
    for secret in (token, response(token)[8:-8]):
        assert secret not in shown

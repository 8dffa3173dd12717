"""One, four or sixteen sessions at once that cannot begin, or cannot go on with the next message; others go on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import attrs
import pytest
from tests.blocking_mailer import wait_for
from tests.budgets import others_in_full
from tests.core.adapters.mail.servers import CERTIFICATE, FaultyServer, MakeMailer
from tests.core.adapters.mail.test_smtp_many import SESSIONS, send_at_once
from tests.waiting import wait_until

from reviewinvite_core.adapters.mail.smtp import Timeouts
from reviewinvite_core.ports import Accepted, RefusedForNow, Rejected, Unreachable

ACCEPTED = Accepted("250 2.0.0")
SHORT, A_WHILE = 0.3, 5.0  # the latter is long enough for a busy machine to answer in
LOGIN = {"user": "shop", "password": "hunter2"}
STARTTLS, TLS = {"starttls_required": True}, {"implicit_tls": True}
OFFERS_LOGIN = {"login": "shop:hunter2"}
OFFERS_STARTTLS = {"certificate": CERTIFICATE, "starttls": True}
OFFERS_TLS = {"certificate": CERTIFICATE, "implicit_tls": True}
GUARDED = OFFERS_STARTTLS | OFFERS_LOGIN

NOT_OFFERED = Unreachable("StarttlsNotOffered")
NOT_CERTIFIED = Unreachable("SSLCertVerificationError")
IN_CLEAR, ENCRYPTED, KNOWN = {"EHLO"}, {"EHLO", "STARTTLS"}, {"EHLO", "STARTTLS", "AUTH"}


def says(phase: str, reply: str) -> Mapping[str, object]:
    return {"at": phase, "do": "reply", "with": reply}


@attrs.frozen
class Start:
    """What a server offers and what a mailer wants of it, the answer, and the commands that the server hears."""

    answer: object
    heard: Collection[str]
    offers: Mapping[str, Any] = {}
    wants: Mapping[str, Any] = {}
    fault: Mapping[str, object] | None = None
    trusts: bool = True  # the server's certificate


STARTS = {
    "no STARTTLS": Start(NOT_OFFERED, IN_CLEAR, {}, STARTTLS),
    "no STARTTLS, but a login": Start(NOT_OFFERED, IN_CLEAR, OFFERS_LOGIN, STARTTLS | LOGIN),
    "the offer stripped": Start(NOT_OFFERED, IN_CLEAR, GUARDED, STARTTLS | LOGIN, says("ehlo", "250 mail.example.com")),
    "the offer overwritten": Start(
        NOT_OFFERED, IN_CLEAR, GUARDED, STARTTLS | LOGIN, says("ehlo", "250-mail.example.com\r\n250 XXXXXXXA")
    ),
    "words in clear after STARTTLS": Start(
        *(Unreachable("ReplyUnreadable"), ENCRYPTED, OFFERS_STARTTLS, STARTTLS),
        {"at": "starttls", "do": "add", "with": "250-mail.example.com\r\n250 AUTH PLAIN"},
    ),
    "TLS out of order": Start(
        *(RefusedForNow("454 4.7.0"), ENCRYPTED, OFFERS_STARTTLS, STARTTLS),
        says("starttls", "454 4.7.0 TLS not available"),
    ),
    "nobody vouches, STARTTLS": Start(NOT_CERTIFIED, ENCRYPTED, OFFERS_STARTTLS, STARTTLS, trusts=False),
    "nobody vouches, TLS": Start(NOT_CERTIFIED, set(), OFFERS_TLS, TLS, trusts=False),
    "another host's, STARTTLS": Start(NOT_CERTIFIED, ENCRYPTED, OFFERS_STARTTLS, STARTTLS | {"host": "localhost"}),
    "another host's, TLS": Start(NOT_CERTIFIED, set(), OFFERS_TLS, TLS | {"host": "localhost"}),
    "a wrong password": Start(RefusedForNow("535 5.7.8"), KNOWN, GUARDED, STARTTLS | LOGIN | {"password": "wrong"}),
    "no login that we know": Start(
        Unreachable("LoginNotOffered"), ENCRYPTED, GUARDED | {"mechanisms": "GSSAPI"}, STARTTLS | LOGIN
    ),
    "a login that was not given": Start(RefusedForNow("530 5.7.0"), ENCRYPTED | {"MAIL"}, GUARDED, STARTTLS),
    "a message above SIZE": Start(Rejected("552 5.3.4"), IN_CLEAR, {"size": 10}),
}

NOBODY = {
    "127.0.0.1": {Unreachable("ConnectionRefusedError")},
    "no-such-host.invalid": {Unreachable("gaierror")},
    "mail..example.com": {Unreachable("UnicodeError"), Unreachable("UnicodeEncodeError")},
    "x" * 64 + ".example.com": {Unreachable("UnicodeError"), Unreachable("UnicodeEncodeError")},
}

SILENT: dict[str, tuple[str, Mapping[str, Any], Mapping[str, Any]]] = {
    "STARTTLS": ("starttls", GUARDED, STARTTLS | LOGIN),
    "a login": ("auth", GUARDED, STARTTLS | LOGIN),
    "a TLS handshake": ("connect", OFFERS_TLS, TLS),
}

at_once = pytest.mark.parametrize("count", SESSIONS)


def verbs(commands: Collection[str]) -> Counter[str]:
    """Count the commands by their first word, QUIT aside."""
    return Counter(verb for verb in (command.partition(" ")[0] for command in commands) if verb != "QUIT")


@at_once
@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_sessions_that_cannot_begin_send_nothing_and_hold_up_no_other_server(
    faulty_server: FaultyServer, make_mailer: MakeMailer, request: pytest.FixtureRequest, count: int, start: Start
) -> None:
    if start.trusts:
        request.getfixturevalue("trusted")
    server = faulty_server(*filter(None, [start.fault]), **start.offers)
    mailer, other = make_mailer(server, **start.wants).inner, make_mailer(faulty_server()).inner

    async def test() -> list[list[object]]:
        return list(await asyncio.gather(send_at_once(mailer, count), send_at_once(other, count)))

    assert wait_for(test()) == [[start.answer] * count, [ACCEPTED] * count]
    assert set(verbs(server.commands)) == start.heard
    assert (server.sessions, server.messages) == (count, [])


@at_once
@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(("phase", "offers", "wants"), SILENT.values(), ids=SILENT)
def test_sessions_that_get_no_answer_about_tls_or_their_login_hold_up_no_other_server(
    faulty_server: FaultyServer,
    make_mailer: MakeMailer,
    count: int,
    phase: str,
    offers: Mapping[str, Any],
    wants: Mapping[str, Any],
) -> None:
    server = faulty_server({"at": phase, "do": "stall"}, **offers)
    mailer = make_mailer(server, Timeouts(connect=SHORT, command=SHORT), **wants).inner
    other = make_mailer(faulty_server()).inner

    async def test() -> list[list[object]]:
        return list(await asyncio.gather(send_at_once(mailer, count), send_at_once(other, count)))

    assert wait_for(test()) == [[Unreachable("TimeoutError")] * count, [ACCEPTED] * count]
    assert server.messages == []


@at_once
def test_servers_older_than_ehlo_are_given_the_messages_of_all_sessions(
    faulty_server: FaultyServer, make_mailer: MakeMailer, count: int
) -> None:
    server = faulty_server(says("ehlo", "502 5.5.1 unknown"))
    assert wait_for(send_at_once(make_mailer(server).inner, count)) == [ACCEPTED] * count
    assert verbs(server.commands) == dict.fromkeys(["EHLO", "HELO", "MAIL", "RCPT", "DATA"], count)


@at_once
@pytest.mark.parametrize("host", NOBODY)
def test_where_nobody_is_there_the_mail_is_unreachable_and_no_other_server_is(
    faulty_server: FaultyServer, make_mailer: MakeMailer, unused_address: tuple[str, int], count: int, host: str
) -> None:
    other = faulty_server()
    mailers = make_mailer(other, host=host, port=unused_address[1]).inner, make_mailer(other).inner

    async def test() -> list[list[object]]:
        return await asyncio.gather(*(send_at_once(mailer, count) for mailer in mailers))

    answers, others = wait_for(test())
    assert len(answers) == count
    assert set(answers) <= NOBODY[host]
    assert others == [ACCEPTED] * count


# --- the next message of a session; half of the sessions get the fault --------------------------------------------

BYE = {"do": "reply", "with": "421 4.3.2 bye"}


@at_once
@pytest.mark.parametrize(
    "fault", [{"do": "reply", "with": "550 5.5.1 no"}, BYE, {"do": "drop"}, {"do": "reset"}], ids=str
)
def test_sessions_that_cannot_start_afresh_are_replaced(
    faulty_server: FaultyServer, make_mailer: MakeMailer, count: int, fault: Mapping[str, object]
) -> None:
    server = faulty_server(
        {**says("rcpt", "550 5.1.1 unknown"), "times": 2 * count}, {"at": "rset", "times": count, **fault}
    )
    mailer = make_mailer(server).inner
    assert wait_for(send_at_once(mailer, 2 * count)) == [Rejected("550 5.1.1", no_mailbox=True)] * 2 * count
    assert wait_for(send_at_once(mailer, 2 * count)) == [ACCEPTED] * 2 * count
    assert (server.sessions, len(server.messages)) == (3 * count, 2 * count)
    assert verbs(server.commands)["RSET"] == 2 * count


@pytest.mark.parametrize("count", others_in_full(SESSIONS, 16))  # it waits as long as each server is silent
def test_sessions_that_get_no_answer_to_rset_send_nothing_and_hold_up_no_other(
    faulty_server: FaultyServer, make_mailer: MakeMailer, count: int
) -> None:
    server = faulty_server(
        {**says("rcpt", "550 5.1.1 unknown"), "times": 2 * count}, {"at": "rset", "times": count, "do": "stall"}
    )
    mailer = make_mailer(server, Timeouts(command=A_WHILE)).inner
    assert wait_for(send_at_once(mailer, 2 * count)) == [Rejected("550 5.1.1", no_mailbox=True)] * 2 * count
    answers = wait_for(send_at_once(mailer, 2 * count))
    assert Counter(answers) == {Unreachable("TimeoutError"): count, ACCEPTED: count}
    assert len(server.messages) == count


@at_once
@pytest.mark.parametrize("pipelining", [False, True])
@pytest.mark.parametrize("fault", [BYE, {"do": "drop"}, {"do": "reset"}, {"do": "garbage", "with": "x"}], ids=str)
def test_used_sessions_that_are_over_at_mail_are_replaced(
    faulty_server: FaultyServer, make_mailer: MakeMailer, count: int, fault: Mapping[str, object], pipelining: bool
) -> None:
    server = faulty_server({"at": "mail", "used": True, "times": count, **fault}, pipelining=pipelining)
    mailer = make_mailer(server).inner
    for _ in range(2):
        assert wait_for(send_at_once(mailer, 2 * count)) == [ACCEPTED] * 2 * count
    assert (server.sessions, len(server.messages)) == (3 * count, 4 * count)


@at_once
def test_sessions_that_were_idle_for_long_are_left(
    faulty_server: FaultyServer, make_mailer: MakeMailer, count: int
) -> None:
    server = faulty_server()
    mailer = make_mailer(server, Timeouts(idle=0.0)).inner
    for _ in range(2):
        assert wait_for(send_at_once(mailer, count)) == [ACCEPTED] * count
    assert server.sessions == 2 * count
    wait_until(lambda: server.commands.count("QUIT") >= count)

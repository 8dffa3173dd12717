"""SMTP against real servers: the envelope, the content, each kind of refusal, and the answer to the end."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import attrs
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.blocking_mailer import BlockingMailer, staged, wait_for
from tests.core.adapters.mail.mail_server import PATIENCE, MailServer, converse, speaking
from tests.core.adapters.mail.servers import FaultyServer, MakeMailer, TroubleOfServer, smtp_mailer
from tests.smtp_server import SmtpTestServer

from reviewinvite_core.adapters.mail.smtp import SmtpServer, Timeouts
from reviewinvite_core.adapters.mail.smtp_wire import first_that_answers
from reviewinvite_core.domain.relay import names_one
from reviewinvite_core.ports import Accepted, AnswerLost, Mailer, RefusedForNow, Rejected, Unreachable
from reviewinvite_core.testing.mailer_contract import Delivered, MailerContract, Trouble, a_message


@pytest.fixture
def mailer(server: MailServer, make_mailer: MakeMailer) -> BlockingMailer:
    return make_mailer(server)


class TestSmtpMailer(MailerContract):
    @pytest.fixture
    def mailer(self, server: MailServer, make_mailer: MakeMailer) -> Mailer:
        return make_mailer(server).inner

    @pytest.fixture
    def delivered(self, server: MailServer) -> Delivered:
        return lambda: server.inbox.contents

    @pytest.fixture
    def lose_answer(self, server: MailServer) -> Trouble:
        return server.inbox.hangs_up_at_end.set

    @pytest.fixture
    def refuse(self, server: MailServer) -> Trouble:
        return partial(setattr, server.inbox, "at_end", "554 5.6.0 no")

    @pytest.fixture
    def disconnect(self, server: MailServer) -> Trouble:
        return server.stop


class TestSmtpMailerThatSendsCommandsAtOnce(TroubleOfServer, MailerContract):
    @pytest.fixture
    def server(self, faulty_server: FaultyServer) -> SmtpTestServer:
        return faulty_server(pipelining=True)

    @pytest.fixture
    def mailer(self, server: SmtpTestServer, make_mailer: MakeMailer) -> Mailer:
        return make_mailer(server).inner

    @pytest.fixture
    def delivered(self, server: SmtpTestServer) -> Delivered:
        return lambda: server.messages


# --- the envelope -----------------------------------------------------------------------------------------------


def test_the_envelope_is_the_messages_own(server: MailServer, mailer: BlockingMailer) -> None:
    message = a_message(recipient="anna+x@example.com")
    assert staged(mailer, message).commit() == Accepted("250 2.0.0")
    (envelope,) = server.inbox.arrived
    assert (envelope.mail_from, envelope.rcpt_tos) == ("shop@example.com", ["anna+x@example.com"])
    assert server.inbox.commands[0] == f"MAIL shop@example.com SIZE={len(message.content)}"


def test_nothing_is_used_that_the_server_does_not_offer(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server()
    assert isinstance(staged(make_mailer(server), a_message()).commit(), Accepted)
    assert server.commands[1:] == ["MAIL FROM:<shop@example.com>", "RCPT TO:<anna@example.com>", "DATA"]


def test_what_messages_never_need_is_not_asked_for_where_it_is_offered(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server(extensions=["8BITMIME", "SMTPUTF8", "CHUNKING"])
    assert isinstance(staged(make_mailer(server), a_message()).commit(), Accepted)
    assert server.commands[1] == "MAIL FROM:<shop@example.com>"


def test_a_server_older_than_ehlo_is_given_messages(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server({"at": "ehlo", "do": "reply", "with": "502 5.5.1 unknown", "times": 1}, size=1)
    assert isinstance(staged(make_mailer(server), a_message()).commit(), Accepted)
    assert [command.partition(" ")[0] for command in server.commands] == ["EHLO", "HELO", "MAIL", "RCPT", "DATA"]


def test_an_abandoned_message_breaks_the_connection_off(server: MailServer, mailer: BlockingMailer) -> None:
    staged(mailer, a_message()).abandon()
    assert server.inbox.disconnected.wait(PATIENCE)
    assert server.inbox.arrived == []


# --- commands at once (RFC 2920) --------------------------------------------------------------------------------

AT_ONCE = b"MAIL FROM:<shop@example.com>\r\nRCPT TO:<anna@example.com>\r\nDATA\r\n"


def answering(heard: list[bytes], offer: bytes, wanted: bytes, replies: bytes) -> Callable[[socket.socket], None]:
    """Greets, then answers nothing before all of `wanted` has come; keeps it, and what comes after the replies."""

    def talk(client: socket.socket) -> None:
        client.sendall(b"220 hello\r\n")
        client.recv(1000)
        client.sendall(offer)
        came = b""
        while len(came) < len(wanted) and (more := client.recv(65536)):
            came += more
        heard.append(came)
        client.sendall(replies)
        rest = b""
        while more := client.recv(65536):
            rest += more
        heard.append(rest)

    return talk


def test_where_it_is_offered_the_envelope_is_sent_at_once() -> None:
    heard: list[bytes] = []
    replies = b"250 OK\r\n250 OK\r\n354 go\r\n"
    with speaking(answering(heard, b"250-hello\r\n250 PIPELINING\r\n", AT_ONCE, replies)) as address:
        staged(smtp_mailer(address), a_message()).abandon()
    assert heard == [AT_ONCE, a_message().content]


def test_where_it_is_not_offered_each_command_waits_for_its_answer() -> None:
    heard: list[bytes] = []
    first = b"MAIL FROM:<shop@example.com>\r\n"
    with speaking(answering(heard, b"250 hello\r\n", first, b"550 no\r\n")) as address:
        mailer = smtp_mailer(address)
        assert mailer.stage(a_message()) == RefusedForNow("550")
        mailer.close()
    assert heard == [first, b"QUIT\r\n"]


def test_a_server_that_wants_the_content_for_nobody_gets_no_end() -> None:
    heard: list[bytes] = []
    replies = b"250 OK\r\n550 5.1.1 unknown\r\n354 go\r\n"
    over, talk = threading.Event(), answering(heard, b"250-hello\r\n250 PIPELINING\r\n", AT_ONCE, replies)

    def talk_and_tell(client: socket.socket) -> None:
        talk(client)
        over.set()

    with speaking(talk_and_tell) as address:
        mailer = smtp_mailer(address)
        assert mailer.stage(a_message()) == Rejected("550 5.1.1", no_mailbox=True)
        assert over.wait(PATIENCE)  # the connection has ended, though the mailer is not closed
        mailer.close()
    assert heard[1] in {b"", b"QUIT\r\n"}


@pytest.mark.parametrize("phase", ["mail", "rcpt", "data"])
def test_the_first_refusal_counts_where_all_was_sent_at_once(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str
) -> None:
    server = faulty_server({"at": phase, "do": "reply", "with": "450 4.2.1 busy", "times": 1}, pipelining=True)
    mailer = make_mailer(server)
    assert mailer.stage(a_message(1)) == RefusedForNow("450 4.2.1")
    assert isinstance(staged(mailer, a_message(2)).commit(), Accepted)
    assert (server.sessions, len(server.messages)) == (1, 1)


# --- the content ------------------------------------------------------------------------------------------------


def test_content_without_a_line_end_at_its_end_is_ended_before_the_dot(
    server: MailServer, mailer: BlockingMailer
) -> None:
    staged(mailer, attrs.evolve(a_message(), content=b"X: y\r\n\r\nno line end")).commit()
    assert server.inbox.contents[0] == b"X: y\r\n\r\nno line end\r\n"


def test_content_that_begins_with_a_dot_keeps_it(server: MailServer, mailer: BlockingMailer) -> None:
    content = b".X: y\r\n\r\nHello\r\n"
    staged(mailer, attrs.evolve(a_message(), content=content)).commit()
    assert server.inbox.contents[0] == content


UNASKED = SmtpServer(host="mail.invalid", port=25)
UNFIT = {
    "a line feed alone": b"one\n.\nMAIL FROM:<a@example.com>\r\n",
    "a carriage return alone": b"one\r.\r\ntwo\r\n",
    "a line feed alone before the dot": b"one\n.\r\ntwo\r\n",
    "a line feed alone after the dot": b"one\r\n.\ntwo\r\n",
    "carriage returns alone": b"one\r.\rtwo\r\n",
    "a carriage return at the end": b"one\r",
    "two carriage returns": b"one\r\r\n.\r\n",
    "eight bits": "één\r\n".encode(),
    "a zero": b"a\0b\r\n",
    "a line of 999 characters": b"x" * 999 + b"\r\n",
}


@pytest.mark.parametrize("body", list(UNFIT.values()), ids=list(UNFIT))
def test_content_that_servers_could_take_for_something_else_is_refused_before_anybody_is_asked(body: bytes) -> None:
    mailer = smtp_mailer(UNASKED)
    assert mailer.stage(a_message(body=body)) == Rejected("554 5.6.0")


PIECES = [
    b"\r\n",
    b"\n",
    b"\r",
    b".",
    b"..",
    b"a",
    b"\r\n.\r\n",
    b"MAIL FROM:<a@example.com>\r\n",
    b"DATA\r\n",
    b"QUIT",
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join))
def test_one_message_in_is_one_message_out_whatever_it_holds(
    server: MailServer, mailer: BlockingMailer, body: bytes
) -> None:
    server.inbox.arrived.clear()
    message = a_message(body=body)
    given_over = mailer.stage(message)
    if isinstance(given_over, Rejected):
        assert body.replace(b"\r\n", b"").strip(b"a.") != b"" or b"\r" in body or b"\n" in body
        assert server.inbox.arrived == []
        return
    assert not isinstance(given_over, RefusedForNow | Unreachable)
    assert isinstance(given_over.commit(), Accepted)
    ended = message.content if message.content.endswith(b"\r\n") else message.content + b"\r\n"
    assert server.inbox.contents == [ended]


@pytest.mark.parametrize("content", [b"\n.\n", b"\r.\r\n", b"\r\n.\n", b"\n.\r\n", b"\r.\r"])
def test_no_message_arrives_where_none_may_be_sent(server: MailServer, mailer: BlockingMailer, content: bytes) -> None:
    assert isinstance(mailer.stage(a_message(1, body=b"a" + content + b"b\r\n")), Rejected)
    staged(mailer, a_message(2)).commit()
    assert server.inbox.contents == [a_message(2).content]


@pytest.mark.parametrize(
    "address",
    [
        *("\N{SNOWMAN}@example.com", "a@example.com>\r\nRCPT TO:<b@example.com", "a b@example.com", "a>b@example.com"),
        *("", "a", "a@example", "a..b@example.com"),
    ],
)
def test_an_address_that_no_server_could_be_given_is_refused_for_good(address: str) -> None:
    mailer = smtp_mailer(UNASKED)
    assert mailer.stage(attrs.evolve(a_message(), recipient=address)) == Rejected("553 5.1.3")
    assert mailer.stage(attrs.evolve(a_message(), sender=address)) == Rejected("553 5.1.7")


def test_an_envelope_has_addresses_as_mail_servers_take_them(server: MailServer, mailer: BlockingMailer) -> None:
    message = attrs.evolve(a_message(recipient="Anna@BÜCHER.nl"), sender="shop@localhost")
    staged(mailer, message).commit()
    envelope = server.inbox.arrived[0]
    assert (envelope.mail_from, envelope.rcpt_tos) == ("shop@localhost", ["Anna@xn--bcher-kva.nl"])


def test_the_end_is_not_on_the_wire_before_the_commit() -> None:
    arrived, received = threading.Event(), []

    def talk(client: socket.socket) -> None:
        received.append(until_the_end(client, b"250 OK\r\n"))
        arrived.set()

    with speaking(talk) as address:
        mailer = smtp_mailer(address)
        waiting = staged(mailer, a_message(body=b".\r\n"))
        assert not arrived.wait(0.2)
        assert waiting.commit() == Accepted("250")
        mailer.close()
    assert received == [a_message().content.partition(b"Hello")[0] + b"..\r\n.\r\n"]


LARGE = a_message(body=b"x\r\n" * 1000)


@pytest.mark.parametrize("limit", [0, len(LARGE.content), None])
def test_a_message_as_large_as_the_server_takes_is_taken(
    faulty_server: FaultyServer, make_mailer: MakeMailer, limit: int | None
) -> None:
    server = faulty_server(size=limit)
    assert isinstance(staged(make_mailer(server), LARGE).commit(), Accepted)


@pytest.mark.parametrize("limit", [1000, len(LARGE.content) - 1])
def test_a_larger_message_is_refused_before_mail_and_the_session_carries_the_next(
    faulty_server: FaultyServer, make_mailer: MakeMailer, limit: int
) -> None:
    server = faulty_server(size=limit)
    mailer = make_mailer(server)
    assert mailer.stage(LARGE) == Rejected("552 5.3.4")
    assert [command[:4] for command in server.commands] == ["EHLO"]
    assert isinstance(staged(mailer, a_message(2)).commit(), Accepted)
    assert server.sessions == 1


# --- refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("450 4.2.1 anna@example.com is busy", RefusedForNow("450 4.2.1")),
        ("451 no code of its own", RefusedForNow("451")),
        ("550 5.1.1 anna@example.com unknown", Rejected("550 5.1.1", no_mailbox=True)),
        ("550 4.1.1 anna@example.com, codes that disagree", Rejected("550")),
        ("554 no", Rejected("554")),
    ],
)
def test_a_refusal_of_the_envelope_is_told_by_its_codes_only(
    server: MailServer, mailer: BlockingMailer, reply: str, answer: Rejected | RefusedForNow
) -> None:
    server.inbox.at_rcpt = reply
    assert mailer.stage(a_message()) == answer
    assert server.inbox.arrived == []


def test_a_recipient_that_will_be_forwarded_is_accepted(server: MailServer, mailer: BlockingMailer) -> None:
    server.inbox.at_rcpt = "251 User not local; will forward"
    assert isinstance(staged(mailer, a_message()).commit(), Accepted)


@pytest.mark.parametrize(
    ("reply", "answer"), [("451 4.3.0 later", RefusedForNow("451 4.3.0")), ("554 5.5.1 no", Rejected("554 5.5.1"))]
)
def test_a_refusal_of_data_is_told(server: MailServer, mailer: BlockingMailer, reply: str, answer: object) -> None:
    server.at_data = reply
    assert mailer.stage(a_message()) == answer


PERMANENT = ["500", "521", "550", "551", "552", "552 5.2.2", "553", "554", "556", "599"]
TEMPORARY = ["421", "421 4.3.2", "450", "451", "452", "452 4.2.2", "454", "499"]
ABOUT_US = ["530 5.7.0", "534", "535 5.7.8", "538"]
ODD = ["200", "299", "354", "399"]


@pytest.mark.parametrize("phase", ["mail", "rcpt", "data", "dot", "logged"])
@pytest.mark.parametrize("codes", [*PERMANENT, *TEMPORARY, *ABOUT_US])
def test_5xx_is_for_good_and_4xx_and_what_an_operator_can_mend_is_not(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str, codes: str
) -> None:
    server = faulty_server({"at": phase, "do": "reply", "with": f"{codes} anna@example.com"})
    mailer = make_mailer(server)
    answer = staged(mailer, a_message()).commit() if phase in {"dot", "logged"} else mailer.stage(a_message())
    about_the_sender = phase == "mail" and not codes.startswith("552")  # one wrong setting must not reject all
    for_good = codes in PERMANENT and not about_the_sender
    assert answer == (Rejected(codes) if for_good else RefusedForNow(codes))


@pytest.mark.parametrize("pipelining", [False, True])
@pytest.mark.parametrize("phase", ["mail", "rcpt", "data", "dot", "logged"])
@pytest.mark.parametrize(
    "codes", ["550 5.1.1", "551 5.1.6", "556 5.1.10", "552 5.1.1", "550", "550 5.1.2", "550 5.2.1"]
)
def test_only_a_recipient_that_is_refused_by_these_codes_has_no_mailbox(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str, codes: str, pipelining: bool
) -> None:
    server = faulty_server({"at": phase, "do": "reply", "with": f"{codes} anna@example.com"}, pipelining=pipelining)
    mailer = make_mailer(server)
    answer = staged(mailer, a_message()).commit() if phase in {"dot", "logged"} else mailer.stage(a_message())
    is_dead = phase == "rcpt" and codes.partition(" ")[2] in {"5.1.1", "5.1.6", "5.1.10"}
    assert isinstance(answer, Rejected | RefusedForNow)
    assert (isinstance(answer, Rejected) and answer.no_mailbox) == is_dead


@pytest.mark.parametrize("pipelining", [False, True])
@pytest.mark.parametrize("phase", ["rcpt", "data", "dot"])
@pytest.mark.parametrize("codes", ["554 5.7.1", "550 5.7.26"])
def test_what_a_relay_says_that_is_closed_to_us_is_passed_on(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str, codes: str, pipelining: bool
) -> None:
    server = faulty_server({"at": phase, "do": "reply", "with": f"{codes} Relay access denied"}, pipelining=pipelining)
    mailer = make_mailer(server)
    answer = staged(mailer, a_message()).commit() if phase == "dot" else mailer.stage(a_message())
    assert answer == Rejected(codes)
    assert not names_one(codes)


@pytest.mark.parametrize("phase", ["greeting", "ehlo", "starttls", "auth"])
@pytest.mark.parametrize("codes", ["421", "451", "550 5.7.1", "554 5.7.1", "535", "299"])
def test_a_server_that_will_not_speak_to_us_refuses_no_message_for_good(
    faulty_server: FaultyServer, make_mailer: MakeMailer, trusted: Path, phase: str, codes: str
) -> None:
    server = faulty_server(
        {"at": phase, "do": "reply", "with": f"{codes} go away"}, certificate=trusted, starttls=True, login="shop:pass"
    )
    mailer = make_mailer(server, starttls_required=True, user="shop", password="pass")
    assert mailer.stage(a_message()) == RefusedForNow(codes)


@pytest.mark.parametrize("phase", ["mail", "rcpt", "data"])
@pytest.mark.parametrize("codes", ["220", "299", "399"])
def test_an_answer_that_fits_nothing_ends_the_session_and_is_no_refusal_for_good(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str, codes: str
) -> None:
    server = faulty_server({"at": phase, "do": "reply", "with": f"{codes} what?", "times": 1})
    mailer = make_mailer(server)
    assert mailer.stage(a_message()) == RefusedForNow(codes)
    assert isinstance(staged(mailer, a_message()).commit(), Accepted)
    assert server.sessions == 2


NO_REPLIES = [
    b"hello\r\n",
    b"199 what\r\n",
    b"700 what\r\n",
    b"25",
    b"2500 OK\r\n",
    b"250-OK\r\n550 no\r\n",
    b"\xff\xfe\r\n",
    b"250 " + b"x" * 5000 + b"\r\n",
]


@pytest.mark.parametrize("phase", ["greeting", "ehlo", "mail", "rcpt", "data"])
@pytest.mark.parametrize("words", [*NO_REPLIES, b"2" * 100_000, b"250-again\r\n" * 1000])
def test_what_is_no_reply_ends_the_session_and_refuses_nothing(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str, words: bytes
) -> None:
    server = faulty_server({"at": phase, "do": "garbage", "with": words.decode("latin-1"), "times": 1})
    mailer = make_mailer(server)
    given_over = mailer.stage(a_message(1))
    assert given_over in {Unreachable("ReplyUnreadable"), Unreachable("HungUp"), Unreachable("ConnectionResetError")}
    assert isinstance(staged(mailer, a_message(2)).commit(), Accepted)
    assert server.sessions == 2


# --- the answer to the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("250 2.0.0 queued", Accepted("250 2.0.0")),
        ("250 queued as 5.1.1", Accepted("250")),
        ("250-first 2.0.0\r\n250 2.6.0 last", Accepted("250 2.6.0")),
        ("250", Accepted("250")),
        ("452 4.2.2 anna@example.com is over quota", RefusedForNow("452 4.2.2")),
        ("552 5.2.3 too large", Rejected("552 5.2.3")),
        ("354 go on", AnswerLost()),
    ],
)
def test_the_answer_to_the_end_is_told(server: MailServer, mailer: BlockingMailer, reply: str, answer: object) -> None:
    server.inbox.at_end = reply
    assert staged(mailer, a_message()).commit() == answer


@pytest.mark.parametrize("words", [*NO_REPLIES, b"", b"250", b"2" * 100_000, b"250-again\r\n" * 1000])
def test_an_answer_to_the_end_that_cannot_be_read_is_no_answer(
    faulty_server: FaultyServer, make_mailer: MakeMailer, words: bytes
) -> None:
    server = faulty_server({"at": "logged", "do": "garbage", "with": words.decode("latin-1"), "times": 1})
    mailer = make_mailer(server)
    assert staged(mailer, a_message()).commit() == AnswerLost()
    assert isinstance(staged(mailer, a_message(2)).commit(), Accepted)
    assert (server.sessions, len(server.messages)) == (2, 2)


@pytest.mark.parametrize("phase", ["dot", "logged"])
@pytest.mark.parametrize("how", ["drop", "reset"])
def test_a_server_that_hangs_up_at_the_end_leaves_it_unanswered(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str, how: str
) -> None:
    server = faulty_server({"at": phase, "do": how})
    assert staged(make_mailer(server), a_message()).commit() == AnswerLost()


def test_a_server_that_hung_up_before_the_end_is_not_sent_it(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server()
    waiting = staged(make_mailer(server), a_message())
    server.hang_up()
    assert waiting.commit() == RefusedForNow()
    assert server.messages == []


@pytest.mark.parametrize(
    ("words", "answer"), [("250 2.0.0 taken", None), ("421 4.3.2 bye", "421 4.3.2"), ("552 5.3.4", "552 5.3.4")]
)
def test_what_a_server_says_before_it_has_the_end_is_no_answer_to_it(
    faulty_server: FaultyServer, make_mailer: MakeMailer, words: str, answer: str | None
) -> None:
    server = faulty_server({"at": "data", "do": "add", "with": words})
    assert staged(make_mailer(server), a_message()).commit() == RefusedForNow(answer)
    assert server.messages == []


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


@pytest.mark.parametrize("words", [b"2" * 1000, b"250-again\r\n" * 100])
def test_a_reply_without_an_end_is_not_waited_for(words: bytes) -> None:
    def talk(client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client.sendall(words)

    with speaking(talk) as address:
        mailer = smtp_mailer(address, Timeouts(command=PATIENCE / 2))
        assert mailer.stage(a_message()) == Unreachable("ReplyUnreadable")


# --- nobody there -----------------------------------------------------------------------------------------------


def test_each_address_of_a_host_is_tried_until_one_answers(server: MailServer, unused_address: tuple[str, int]) -> None:
    unanswered, answered = (
        (socket.AF_INET, socket.SOCK_STREAM, 0, "", address) for address in (unused_address, server.address)
    )
    with wait_for(first_that_answers([unanswered, answered], PATIENCE)) as connection:
        assert connection.getpeername() == server.address
    with wait_for(first_that_answers([answered, unanswered], PATIENCE)) as connection:
        assert connection.getpeername() == server.address
    with pytest.raises(ConnectionRefusedError):
        wait_for(first_that_answers([unanswered, unanswered], PATIENCE))


@pytest.mark.parametrize("steps", range(4))
def test_a_connection_that_breaks_before_the_end_is_unreachable(steps: int) -> None:
    replies = [b"250 hello\r\n", b"250 OK\r\n", b"250 OK\r\n"]
    with speaking(converse(*replies[:steps])) as address:
        answer = smtp_mailer(address).stage(a_message())
    assert answer in {Unreachable("HungUp"), Unreachable("ConnectionResetError"), Unreachable("BrokenPipeError")}

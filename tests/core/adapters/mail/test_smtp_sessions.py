"""Sessions with a mail server are used again, by one message at a time, and never when something is doubtful."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping

import pytest
from tests.blocking_mailer import BlockingMailer, staged
from tests.core.adapters.mail.mail_server import PATIENCE
from tests.core.adapters.mail.servers import FaultyServer, MakeMailer
from tests.waiting import wait_until

from reviewinvite_core.adapters.mail.smtp import MESSAGES_A_SESSION
from reviewinvite_core.ports import Accepted, AnswerLost, RefusedForNow, Rejected, Unreachable
from reviewinvite_core.testing.mailer_contract import a_message


def send(mailer: BlockingMailer, serial: int = 1) -> object:
    """Hand one message over; the answer."""
    return staged(mailer, a_message(serial)).commit()


def verbs(commands: list[str]) -> list[str]:
    return [command.partition(" ")[0] for command in commands]


# --- using a session again --------------------------------------------------------------------------------------


def test_messages_one_after_the_other_share_a_session(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server()
    mailer = make_mailer(server)
    assert [send(mailer, serial) for serial in range(3)] == [Accepted("250 2.0.0")] * 3
    assert server.sessions == 1
    assert verbs(server.commands) == ["EHLO", *["MAIL", "RCPT", "DATA"] * 3]


def test_messages_that_are_staged_together_have_a_session_each(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server()
    mailer = make_mailer(server)
    waiting = [staged(mailer, a_message(serial)) for serial in range(3)]
    assert [each.commit() for each in waiting] == [Accepted("250 2.0.0")] * 3
    assert (server.sessions, server.connected) == (3, 3)
    send(mailer)
    assert server.sessions == 3


def test_a_session_is_left_when_it_has_carried_enough(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server()
    mailer = make_mailer(server)
    for serial in range(MESSAGES_A_SESSION):
        send(mailer, serial)
    wait_until(lambda: "QUIT" in server.commands)
    assert server.sessions == 1
    send(mailer)
    assert server.sessions == 2
    assert len(server.messages) == MESSAGES_A_SESSION + 1


def test_refused_messages_count_towards_what_a_session_carries(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server({"at": "rcpt", "do": "reply", "with": "550 5.1.1 unknown"})
    mailer = make_mailer(server)
    answers = [mailer.stage(a_message()) for _ in range(MESSAGES_A_SESSION + 1)]
    assert answers == [Rejected("550 5.1.1", no_mailbox=True)] * len(answers)
    assert server.sessions == 2


@pytest.mark.parametrize("phase", ["mail", "rcpt", "data"])
@pytest.mark.parametrize("pipelining", [False, True])
def test_after_a_refused_envelope_the_session_starts_afresh(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str, pipelining: bool
) -> None:
    server = faulty_server({"at": phase, "do": "reply", "with": "550 5.1.1 unknown", "times": 1}, pipelining=pipelining)
    mailer = make_mailer(server)
    assert isinstance(mailer.stage(a_message(1)), RefusedForNow if phase == "mail" else Rejected)
    assert send(mailer, 2) == send(mailer, 3) == Accepted("250 2.0.0")
    assert server.sessions == 1
    assert verbs(server.commands).count("RSET") == 1
    assert server.messages == [a_message(2).content, a_message(3).content]


@pytest.mark.parametrize("reply", ["452 4.2.2 full", "550 5.7.1 no"])
def test_a_refusal_of_the_content_leaves_the_session_usable(
    faulty_server: FaultyServer, make_mailer: MakeMailer, reply: str
) -> None:
    server = faulty_server({"at": "dot", "do": "reply", "with": reply, "times": 1})
    mailer = make_mailer(server)
    assert isinstance(send(mailer, 1), Rejected | RefusedForNow)
    assert send(mailer, 2) == Accepted("250 2.0.0")
    assert server.sessions == 1
    assert "RSET" not in server.commands


def test_after_an_abandoned_message_the_next_has_a_new_session(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server()
    mailer = make_mailer(server)
    staged(mailer, a_message(1)).abandon()
    wait_until(lambda: server.connected == 0)
    assert send(mailer, 2) == Accepted("250 2.0.0")
    assert (server.sessions, server.messages) == (2, [a_message(2).content])


# --- a session that is over -------------------------------------------------------------------------------------


def test_a_session_is_replaced_once_only(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server({"at": "mail", "do": "reply", "with": "421 4.3.2 bye", "after": 1})
    mailer = make_mailer(server)
    send(mailer, 1)
    assert mailer.stage(a_message(2)) == RefusedForNow("421 4.3.2")
    assert server.sessions == 2


def test_a_new_session_that_is_over_at_mail_is_not_replaced(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server({"at": "mail", "do": "drop"})
    assert make_mailer(server).stage(a_message()) == Unreachable("HungUp")
    assert server.sessions == 1


@pytest.mark.parametrize("phase", ["rcpt", "data", "body"])
def test_a_session_that_breaks_when_it_has_taken_the_envelope_is_not_replaced(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str
) -> None:
    server = faulty_server({"at": phase, "do": "drop", "after": 1})
    mailer = make_mailer(server)
    send(mailer, 1)
    answer = mailer.stage(a_message(2, body=b"x" * 900 + b"\r\n")) if phase != "body" else mailer.stage(VAST)
    assert isinstance(answer, Unreachable)
    assert (server.sessions, len(server.messages)) == (1, 1)


VAST = a_message(2, body=(b"x" * 998 + b"\r\n") * 20_000)  # more than fits between two sockets


@pytest.mark.parametrize(
    "fault",
    [
        {"at": "logged", "do": "reply", "with": "354 go on"},
        {"at": "logged", "do": "garbage", "with": "hello\r\n"},
        {"at": "dot", "do": "reply", "with": "421 4.3.2 bye"},
    ],
)
def test_after_an_answer_that_is_not_clean_the_next_message_has_a_new_session(
    faulty_server: FaultyServer, make_mailer: MakeMailer, fault: Mapping[str, object]
) -> None:
    server = faulty_server({"times": 1, **fault})
    mailer = make_mailer(server)
    assert isinstance(send(mailer, 1), AnswerLost | RefusedForNow)
    assert send(mailer, 2) == Accepted("250 2.0.0")
    assert server.sessions == 2


def test_an_answer_too_many_is_not_taken_for_the_next_messages(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server({"at": "logged", "do": "add", "with": "550 5.1.1 not this one", "times": 1})
    mailer = make_mailer(server)
    assert send(mailer, 1) == send(mailer, 2) == Accepted("250 2.0.0")
    assert server.sessions == 2


def test_an_answer_too_many_to_ehlo_ends_a_new_session(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server({"at": "ehlo", "do": "add", "with": "250 again"})
    assert make_mailer(server).stage(a_message(1)) == Unreachable("ReplyUnreadable")
    assert server.sessions == 1


# --- the end ----------------------------------------------------------------------------------------------------


def test_closing_leaves_idle_sessions_politely(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server()
    mailer = make_mailer(server)
    for each in [staged(mailer, a_message(serial)) for serial in range(3)]:
        each.commit()
    mailer.close()
    wait_until(lambda: server.connected == 0)
    assert verbs(server.commands).count("QUIT") == 3


def test_a_session_in_use_ends_with_its_message_when_the_mailer_is_closed(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server()
    mailer = make_mailer(server)
    waiting = staged(mailer, a_message())
    mailer.close()
    assert waiting.commit() == Accepted("250 2.0.0")
    wait_until(lambda: server.connected == 0)
    assert verbs(server.commands).count("QUIT") == 1


def test_closing_waits_for_no_answer(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server({"at": "quit", "do": "stall"})
    mailer = make_mailer(server)
    send(mailer)
    begun = time.monotonic()
    mailer.close()
    assert time.monotonic() - begun < PATIENCE / 2


# --- threads ----------------------------------------------------------------------------------------------------


def test_threads_share_the_sessions_and_mix_nothing_up(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server(
        {"at": "rcpt", "do": "reply", "with": "450 4.2.1 busy", "chance": 0.1, "seed": 1},
        {"at": "dot", "do": "reply", "with": "451 4.3.0 later", "chance": 0.1, "seed": 2},
        {"at": "mail", "do": "drop", "chance": 0.1, "seed": 3},
        {"at": "logged", "do": "drop", "chance": 0.1, "seed": 4},
    )
    mailer = make_mailer(server)
    accepted: list[int] = []
    lost: list[int] = []

    def work(thread: int) -> None:
        for serial in range(thread * 1000, thread * 1000 + 40):
            message = a_message(serial, recipient=f"{serial}@example.com", body=b"%d\r\n" % serial * 100)
            given_over = mailer.stage(message)
            if isinstance(given_over, Unreachable | RefusedForNow):
                continue
            assert not isinstance(given_over, Rejected)
            if serial % 7 == 0:
                given_over.abandon()
                continue
            answer = given_over.commit()
            if isinstance(answer, Accepted):
                accepted.append(serial)
            elif isinstance(answer, AnswerLost):
                lost.append(serial)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    arrived = Counter(zip(server.recipients, server.messages, strict=True))
    expected = {
        (
            f"{serial}@example.com",
            a_message(serial, recipient=f"{serial}@example.com", body=b"%d\r\n" % serial * 100).content,
        )
        for serial in accepted + lost
    }
    assert set(arrived) == expected
    assert set(arrived.values()) == {1}
    assert len(accepted) > 100
    assert lost
    assert server.sessions < len(accepted)

"""Each phase of a session has a deadline, whatever the server does meanwhile."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest
from tests.blocking_mailer import staged, wait_for
from tests.core.adapters.mail.mail_server import converse, speaking
from tests.core.adapters.mail.servers import FaultyServer, MakeMailer, smtp_mailer
from tests.waiting import wait_until

from reviewinvite_core.adapters.mail.smtp import SmtpServer, Timeouts
from reviewinvite_core.adapters.mail.smtp_wire import BLOCK_BYTES, Wire
from reviewinvite_core.ports import Accepted, AnswerLost, Rejected, Unreachable
from reviewinvite_core.testing.mailer_contract import a_message

SHORT, LONG = 0.15, 60.0
A_WHILE = 5.0  # long enough for a busy machine to answer in
PATIENT = Timeouts(connect=LONG, command=LONG, data=LONG, block=LONG, end=LONG, idle=LONG)
DRIP = {"do": "drip", "seconds": 0.03}  # no wait for a byte is longer than SHORT, but that for a whole answer is
STALL = {"do": "stall"}
VAST = a_message(body=(b"x" * 998 + b"\r\n") * 20_000)  # more than fits between two sockets


def test_the_time_outs_are_those_of_the_rfc_unless_others_are_given() -> None:
    assert attrs.asdict(Timeouts()) == {
        "connect": 30.0,
        "command": 300.0,
        "data": 120.0,
        "block": 180.0,
        "end": 600.0,
        "idle": 30.0,
    }


@pytest.mark.parametrize("fault", [DRIP, STALL], ids=["drip", "stall"])
@pytest.mark.parametrize(
    ("phase", "field"),
    [("greeting", "command"), ("ehlo", "command"), ("mail", "command"), ("rcpt", "command"), ("data", "data")],
)
def test_a_server_that_takes_too_long_before_the_end_is_unreachable(
    faulty_server: FaultyServer, make_mailer: MakeMailer, phase: str, field: str, fault: Mapping[str, object]
) -> None:
    server = faulty_server({"at": phase, **fault})
    begun = time.monotonic()
    answer = make_mailer(server, attrs.evolve(PATIENT, **{field: SHORT})).stage(a_message())
    assert answer == Unreachable("TimeoutError")
    assert time.monotonic() - begun < LONG / 2


@pytest.mark.parametrize("fault", [DRIP, STALL], ids=["drip", "stall"])
@pytest.mark.parametrize("phase", ["starttls", "auth"])
def test_a_server_that_takes_too_long_over_tls_or_login_is_unreachable(
    faulty_server: FaultyServer, make_mailer: MakeMailer, trusted: Path, phase: str, fault: Mapping[str, object]
) -> None:
    server = faulty_server({"at": phase, **fault}, certificate=trusted, starttls=True, login="shop:pass")
    timeouts = attrs.evolve(PATIENT, command=SHORT)
    mailer = make_mailer(server, timeouts, starttls_required=True, user="shop", password="pass")
    assert mailer.stage(a_message()) == Unreachable("TimeoutError")


def test_a_tls_handshake_that_never_comes_is_unreachable(
    faulty_server: FaultyServer, make_mailer: MakeMailer, trusted: Path
) -> None:
    server = faulty_server({"at": "connect", "do": "stall"}, certificate=trusted, implicit_tls=True)
    mailer = make_mailer(server, attrs.evolve(PATIENT, connect=SHORT), implicit_tls=True)
    assert mailer.stage(a_message()) == Unreachable("TimeoutError")


@pytest.mark.parametrize("fault", [DRIP, STALL], ids=["drip", "stall"])
def test_an_answer_to_the_end_that_takes_too_long_is_no_answer(
    faulty_server: FaultyServer, make_mailer: MakeMailer, fault: Mapping[str, object]
) -> None:
    server = faulty_server({"at": "logged", **fault})
    begun = time.monotonic()
    assert staged(make_mailer(server, attrs.evolve(PATIENT, end=SHORT)), a_message()).commit() == AnswerLost()
    assert time.monotonic() - begun < LONG / 2
    wait_until(lambda: len(server.messages) == 1)


@pytest.mark.usefixtures("long_wait")
def test_a_late_answer_within_the_time_counts(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server({"at": "logged", "do": "late", "seconds": 1.5 * A_WHILE})
    timeouts = attrs.evolve(PATIENT, data=A_WHILE, block=A_WHILE, idle=A_WHILE)
    assert staged(make_mailer(server, timeouts), a_message()).commit() == Accepted("250 2.0.0")


def test_an_answer_that_comes_when_the_client_has_gone_is_lost(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server({"at": "dot", "do": "gone"})
    assert staged(make_mailer(server, attrs.evolve(PATIENT, end=SHORT)), a_message()).commit() == AnswerLost()
    server.stop()
    assert len(server.logged()) == 1


@pytest.mark.parametrize("tls", [False, True], ids=["clear", "tls"])
def test_a_server_that_stops_reading_the_content_is_unreachable(
    faulty_server: FaultyServer, make_mailer: MakeMailer, trusted: Path, tls: bool
) -> None:
    server = faulty_server({"at": "body", "do": "stall"}, certificate=trusted, starttls=tls)
    mailer = make_mailer(server, attrs.evolve(PATIENT, block=SHORT), starttls_required=tls)
    assert mailer.stage(VAST) == Unreachable("TimeoutError")


@pytest.mark.parametrize("tls", [False, True], ids=["clear", "tls"])
def test_a_block_has_been_sent_when_it_reaches_a_server_that_reads_it_later(trusted: Path, tls: bool) -> None:
    given_up = threading.Event()
    block = b"x" * BLOCK_BYTES
    received = sent = 0

    def talk(client: socket.socket) -> None:
        nonlocal received
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(trusted)
        with context.wrap_socket(client, server_side=True) if tls else client as reading:
            given_up.wait()
            while data := reading.recv(BLOCK_BYTES):
                received += len(data)

    async def send(server: SmtpServer) -> None:
        nonlocal sent
        wire = await Wire.connect(server.host, server.port, LONG)
        if tls:
            await wire.encrypt(ssl.create_default_context(), server.host, LONG)
        try:
            while True:
                await wire.send(block, SHORT)
                sent += len(block)
        finally:
            wire.close()
            await wire.closed()

    with speaking(talk) as server:
        with pytest.raises(TimeoutError):
            wait_for(send(server))
        given_up.set()
    assert sent <= received < sent + len(block)


def test_a_server_that_takes_the_content_in_small_bits_is_unreachable() -> None:
    given_up = threading.Event()

    def talk(client: socket.socket) -> None:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        converse(b"250 hello\r\n", b"250 OK\r\n", b"250 OK\r\n", b"354 go\r\n")(client)
        while not given_up.wait(SHORT / 10) and client.recv(1000):
            pass

    with speaking(talk) as address:
        answer = smtp_mailer(address, attrs.evolve(PATIENT, block=SHORT)).stage(VAST)
        given_up.set()
        assert answer == Unreachable("TimeoutError")


def test_a_connection_that_is_never_made_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        host, port = listener.getsockname()
        waiting = []
        for _ in range(4):  # more than it keeps in its queue: after them nobody gets through
            client = socket.socket()
            client.settimeout(0.0)
            client.connect_ex((host, port))
            waiting.append(client)
        mailer = smtp_mailer(SmtpServer(host=host, port=port), attrs.evolve(PATIENT, connect=SHORT))
        begun = time.monotonic()
        try:
            assert mailer.stage(a_message()) == Unreachable("TimeoutError")
            assert time.monotonic() - begun < LONG / 2
        finally:
            for client in waiting:
                client.close()


@pytest.mark.usefixtures("long_wait")
def test_a_used_session_that_falls_silent_is_not_waited_for_twice(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server({"at": "mail", "do": "stall", "after": 1})
    mailer = make_mailer(server, attrs.evolve(PATIENT, command=A_WHILE))
    assert staged(mailer, a_message(1)).commit() == Accepted("250 2.0.0")
    assert mailer.stage(a_message(2)) == Unreachable("TimeoutError")
    assert server.sessions == 1


def test_a_silent_phase_is_no_refusal(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server({"at": "rcpt", "do": "stall"})
    answer = make_mailer(server, attrs.evolve(PATIENT, command=SHORT)).stage(a_message())
    assert not isinstance(answer, Rejected)

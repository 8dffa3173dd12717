"""The mail server of `prove`: what it accepts is in its log before the answer, and it misbehaves as it says."""

from __future__ import annotations

import asyncio
import os
import smtplib
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.ports import free_port
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_cli.prove.mail_server import MISBEHAVIOUR, Behaviour, MailServer
from reviewinvite_cli.prove.tally import AcceptedMail

MESSAGE = b"To: anna@example.com\r\nMessage-ID: <id-1@shop.example>\r\n\r\nHello\r\n.and goodbye\r\n"


@contextmanager
def server_that(behaviour: Behaviour, log: Path) -> Iterator[int]:
    """Run a server in a thread that does this with each message; yield its port."""
    server = MailServer(
        os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT), behave=lambda: behaviour, silence=lambda: 0
    )
    port, ready, stops = free_port(), threading.Event(), list[Callable[[], object]]()

    async def serve() -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        listening = await asyncio.start_server(server.serve, "127.0.0.1", port)
        stops.append(lambda: loop.call_soon_threadsafe(stopped.set))
        async with listening:
            ready.set()
            await stopped.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))  # its end closes all connections
    thread.start()
    try:
        assert ready.wait(TIMEOUT_SECONDS)
        yield port
    finally:
        for stop in stops:
            stop()
        thread.join()
        os.close(server.log)


def deliver(port: int) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=TIMEOUT_SECONDS) as client:
        client.sendmail("shop@example.com", ["anna@example.com"], MESSAGE)


KEPT = {Behaviour.ACCEPT, Behaviour.RESET_KEPT, Behaviour.SILENT_KEPT}


@pytest.mark.parametrize("behaviour", list(Behaviour))
def test_only_what_it_keeps_is_in_its_log(tmp_path: Path, behaviour: Behaviour) -> None:
    log = tmp_path / "accepted"
    with server_that(behaviour, log) as port:
        if behaviour is Behaviour.ACCEPT:
            deliver(port)
        else:
            with pytest.raises((smtplib.SMTPException, OSError)):
                deliver(port)
    mail = AcceptedMail(log)
    mail.update()
    assert dict(mail.by_invitation) == ({"id-1": 1} if behaviour in KEPT else {})
    assert set(mail.by_recipient) == ({"anna@example.com"} if behaviour in KEPT else set())


def test_each_misbehaviour_is_one_of_those_tested() -> None:
    assert {*MISBEHAVIOUR, Behaviour.ACCEPT} == set(Behaviour)


def test_its_log_is_complete_after_a_kill(tmp_path: Path, interpreter: str) -> None:
    log, port = tmp_path / "accepted", free_port()
    command = [interpreter, "-m", "reviewinvite_cli.prove.mail_server", "--port", str(port), "--log", str(log)]
    with subprocess.Popen(command) as process:
        wait_until(listening_on(port))
        deliver(port)
        process.kill()
    assert log.read_text() == "id-1 anna@example.com\n"


def listening_on(port: int) -> Callable[[], bool]:
    def listens() -> bool:
        try:
            smtplib.SMTP("127.0.0.1", port, timeout=TIMEOUT_SECONDS).close()
        except OSError:
            return False
        return True

    return listens

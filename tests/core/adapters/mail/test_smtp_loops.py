"""Applications that share a mailer have an event loop each, in a thread each; sessions stay with their loop. ADR-49."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest
from tests.blocking_mailer import BlockingMailer, wait_for
from tests.core.adapters.mail.servers import FaultyServer, MakeMailer
from tests.waiting import wait_until

from reviewinvite_core.ports import Accepted, Mailer, RefusedForNow, Rejected, Unreachable
from reviewinvite_core.testing.mailer_contract import a_message


async def send(mailer: Mailer) -> None:
    """Hand a message over."""
    staged = await mailer.stage(a_message())
    assert not isinstance(staged, RefusedForNow | Rejected | Unreachable), staged
    assert await staged.commit() == Accepted("250 2.0.0")


def test_each_loop_uses_its_own_sessions_again(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server()
    mailer = make_mailer(server).inner
    with asyncio.Runner() as runner:
        for _ in range(3):
            wait_for(send(mailer))
            runner.run(send(mailer))
        assert (server.sessions, server.connected) == (2, 2)
        runner.run(mailer.close())


def test_closing_leaves_the_session_of_another_loop_to_that_loop(
    faulty_server: FaultyServer, make_mailer: MakeMailer
) -> None:
    server = faulty_server()
    mailer = make_mailer(server).inner
    busy, go_on = threading.Event(), threading.Event()

    async def hold_up_the_loop() -> None:
        busy.set()
        go_on.wait()

    wait_for(send(mailer))
    with asyncio.Runner() as runner:
        runner.run(send(mailer))
        holding = threading.Thread(target=lambda: wait_for(hold_up_the_loop()))
        holding.start()
        busy.wait()
        try:
            runner.run(mailer.close())
            runner.run(send(mailer))  # a whole session: by its end the server has seen all that was sent before
            wait_until(lambda: server.connected < 2)
            assert server.commands.count("QUIT") == 2
        finally:
            go_on.set()
            holding.join()
    wait_until(lambda: server.connected == 0)
    assert server.commands.count("QUIT") == 3


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # nothing can close them properly any more
def test_the_sessions_of_a_loop_that_was_closed_are_left(faulty_server: FaultyServer, make_mailer: MakeMailer) -> None:
    server = faulty_server()
    mailer: BlockingMailer = make_mailer(server)
    with asyncio.Runner() as runner:
        runner.run(send(mailer.inner))
    wait_for(send(mailer.inner))
    wait_until(lambda: server.connected == 1)
    assert (server.sessions, server.commands.count("QUIT")) == (2, 1)
    gc.collect()

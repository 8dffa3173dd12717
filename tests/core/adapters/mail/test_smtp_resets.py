"""A server that ends the connection before the dot has not taken the message, whenever this is noticed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.blocking_mailer import wait_for
from tests.core.adapters.mail.servers import FaultyServer, MakeMailer
from tests.core.adapters.mail.test_smtp_many import SESSIONS
from tests.smtp_server import SmtpTestServer
from tests.waiting import wait_until

from reviewinvite_core.ports import Accepted, Mailer, RefusedForNow, Rejected, Staged, Unreachable
from reviewinvite_core.testing.mailer_contract import a_message

TURNS = range(8)  # of the event loop: enough to learn all of it, so that each number before that is tried

clear_and_tls = pytest.mark.parametrize("tls", [False, True], ids=["clear", "tls"])
hang_up_and_reset = pytest.mark.parametrize("reset", [False, True], ids=["hang up", "reset"])
at_once = pytest.mark.parametrize("count", SESSIONS)


async def staged(mailer: Mailer, count: int) -> list[Staged]:
    """Stage this many messages at the same time."""
    answers = await asyncio.gather(*(mailer.stage(a_message(serial)) for serial in range(count)))
    for answer in answers:
        assert not isinstance(answer, RefusedForNow | Rejected | Unreachable), answer
    return list(answers)  # type: ignore[arg-type]  # by the loop


async def end_all(server: SmtpTestServer, *, reset: bool, turns: int) -> None:
    """End all connections while the event loop is busy elsewhere, then let it turn this often."""
    server.hang_up(reset=reset)
    wait_until(lambda: server.connected == 0)
    for _ in range(turns):
        await asyncio.sleep(0)


@clear_and_tls
@hang_up_and_reset
@at_once
def test_a_connection_that_ends_before_the_dot_is_a_definite_answer(
    faulty_server: FaultyServer, make_mailer: MakeMailer, trusted: Path, tls: bool, reset: bool, count: int
) -> None:
    server = faulty_server(certificate=trusted, starttls=tls)
    mailer = make_mailer(server, starttls_required=tls).inner

    async def answers(turns: int) -> list[object]:
        waiting = await staged(mailer, count)
        await end_all(server, reset=reset, turns=turns)
        first = await waiting[0].commit()  # at once: tasks would give the loop one more turn
        return [first, *await asyncio.gather(*(each.commit() for each in waiting[1:]))]

    found = {turns: wait_for(answers(turns)) for turns in TURNS}
    assert found == dict.fromkeys(TURNS, [RefusedForNow()] * count)
    assert server.messages == []


@clear_and_tls
@hang_up_and_reset
@at_once
def test_an_idle_connection_that_has_ended_is_replaced(
    faulty_server: FaultyServer, make_mailer: MakeMailer, trusted: Path, tls: bool, reset: bool, count: int
) -> None:
    server = faulty_server(certificate=trusted, starttls=tls)
    mailer = make_mailer(server, starttls_required=tls).inner

    async def send() -> list[object]:
        return list(await asyncio.gather(*[each.commit() for each in await staged(mailer, count)]))

    async def answers(turns: int) -> list[object]:
        await end_all(server, reset=reset, turns=turns)
        return await send()

    accepted = [Accepted("250 2.0.0")] * count
    assert wait_for(send()) == accepted
    assert {turns: wait_for(answers(turns)) for turns in TURNS} == dict.fromkeys(TURNS, accepted)
    assert server.sessions == count * (1 + len(TURNS))

"""Faults of a mail server while one, four or sixteen messages are on their way at once, on one event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.blocking_mailer import wait_for
from tests.core.adapters.mail.mail_server import PATIENCE
from tests.core.adapters.mail.servers import FaultyServer, MakeMailer

from reviewinvite_core.adapters.mail.smtp import Timeouts
from reviewinvite_core.ports import Accepted, AnswerLost, Mailer, RefusedForNow, Rejected, Unreachable
from reviewinvite_core.testing.mailer_contract import a_message

SESSIONS = [1, 16]
SHORT = 0.3
BROKEN = {Unreachable("HungUp"), Unreachable("ConnectionResetError"), Unreachable("BrokenPipeError")}

FAULTS: list[tuple[Mapping[str, object], Callable[[object], bool]]] = [
    *[
        ({"at": at, "do": "reply", "with": "421 4.3.2 bye"}, lambda answer: answer == RefusedForNow("421 4.3.2"))
        for at in ("greeting", "ehlo", "mail", "rcpt", "data", "dot")
    ],
    *[
        ({"at": at, "do": "reply", "with": "550 5.2.1 no"}, lambda answer: answer == Rejected("550 5.2.1"))
        for at in ("rcpt", "data", "dot", "logged")
    ],
    *[
        ({"at": at, "do": do}, lambda answer: answer in BROKEN)
        for at in ("greeting", "ehlo", "mail", "rcpt", "data")
        for do in ("drop", "reset")
    ],
    *[
        ({"at": at, "do": do}, lambda answer: answer == AnswerLost())
        for at in ("dot", "logged")
        for do in ("drop", "reset")
    ],
    *[
        (
            {"at": at, "do": "garbage", "with": "2" * 100_000},
            lambda answer: answer in {Unreachable("ReplyUnreadable"), *BROKEN},
        )
        for at in ("greeting", "ehlo", "mail", "data")
    ],
    ({"at": "logged", "do": "garbage", "with": "250-again\r\n" * 1000}, lambda answer: answer == AnswerLost()),
    *[
        (
            {"at": at, "do": do, **({"seconds": 0.03} if do == "drip" else {})},
            lambda answer: answer == Unreachable("TimeoutError"),
        )
        for at in ("greeting", "ehlo", "mail", "rcpt", "data")
        for do in ("stall", "drip")
    ],
    *[
        (
            {"at": "logged", "do": do, **({"seconds": 0.03} if do == "drip" else {})},
            lambda answer: answer == AnswerLost(),
        )
        for do in ("stall", "drip")
    ],
    ({"at": "data", "do": "add", "with": "250 2.0.0 taken"}, lambda answer: answer == RefusedForNow()),
]


async def send_at_once(mailer: Mailer, count: int) -> list[object]:
    """Hand `count` messages over at the same time; return their answers."""

    async def send(serial: int) -> object:
        staged = await mailer.stage(a_message(serial))
        return staged if isinstance(staged, Rejected | RefusedForNow | Unreachable) else await staged.commit()

    return list(await asyncio.gather(*map(send, range(count))))


@pytest.mark.parametrize("count", SESSIONS)
@pytest.mark.parametrize(("fault", "expected"), FAULTS, ids=[f"{fault['at']} {fault['do']}" for fault, _ in FAULTS])
def test_each_session_gets_the_answer_that_a_single_one_gets(
    faulty_server: FaultyServer,
    make_mailer: MakeMailer,
    count: int,
    fault: Mapping[str, object],
    expected: Callable[[object], bool],
) -> None:
    waits = fault["do"] in {"stall", "drip"}
    seconds = SHORT if waits else PATIENCE
    mailer = make_mailer(faulty_server(fault), Timeouts(command=seconds, data=seconds, end=seconds)).inner
    begun = time.monotonic()
    answers = wait_for(send_at_once(mailer, count))
    assert [answer for answer in answers if not expected(answer)] == []
    assert time.monotonic() - begun < PATIENCE


@pytest.mark.parametrize("count", SESSIONS)
@pytest.mark.parametrize("at", ["mail", "rcpt", "logged"])
def test_a_session_that_gets_stuck_holds_up_no_other(
    faulty_server: FaultyServer, make_mailer: MakeMailer, count: int, at: str
) -> None:
    server = faulty_server({"at": at, "do": "stall", "times": 1})
    mailer = make_mailer(server).inner

    async def test() -> None:
        sending = [asyncio.ensure_future(send_at_once(mailer, 1)) for _ in range(count + 1)]
        done, stuck = set[asyncio.Future[list[object]]](), set(sending)
        while len(done) < count:
            newly, stuck = await asyncio.wait(stuck, return_when=asyncio.FIRST_COMPLETED)
            done |= newly
        assert [each.result() for each in done] == [[Accepted("250 2.0.0")]] * count
        for each in stuck:
            each.cancel()
        await asyncio.wait(stuck)

    wait_for(test())


@pytest.mark.parametrize("count", SESSIONS)
def test_over_tls_messages_that_are_sent_at_once_do_not_mix(
    faulty_server: FaultyServer, make_mailer: MakeMailer, trusted: Path, count: int
) -> None:
    server = faulty_server(certificate=trusted, starttls=True, login="shop:hunter2", pipelining=True)
    mailer = make_mailer(server, starttls_required=True, user="shop", password="hunter2").inner
    answers = wait_for(send_at_once(mailer, count)) + wait_for(send_at_once(mailer, count))
    assert answers == [Accepted("250 2.0.0")] * 2 * count
    assert sorted(server.messages) == sorted([a_message(serial).content for serial in range(count)] * 2)
    assert server.sessions == count

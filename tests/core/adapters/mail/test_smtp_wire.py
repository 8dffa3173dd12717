"""One connection to a mail server: its waits, and the timer that they share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVarTuple

import pytest

from reviewinvite_core.adapters.mail.smtp_wire import Wire

Values = TypeVarTuple("Values")


class SteppedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock can be put forward, and that counts its timers."""

    ahead = 0.0
    timers = 0

    def time(self) -> float:
        return super().time() + self.ahead

    def call_at(
        self, when: float, callback: Callable[[*Values], object], *args: *Values, context: Context | None = None
    ) -> asyncio.TimerHandle:
        self.timers += 1
        return super().call_at(when, callback, *args, context=context)


def run(scenario: Callable[[SteppedLoop, Wire, asyncio.StreamWriter], Coroutine[Any, Any, None]]) -> None:
    """Run a scenario with a connection, and with the server's end of it."""
    loop = SteppedLoop()

    async def connected() -> None:
        accepted: asyncio.Future[asyncio.StreamWriter] = loop.create_future()
        server = await asyncio.start_server(lambda _, writer: accepted.set_result(writer), "127.0.0.1", 0)
        wire = await Wire.connect("127.0.0.1", server.sockets[0].getsockname()[1], 60)
        there = await accepted
        try:
            await scenario(loop, wire, there)
        finally:
            wire.close()
            await wire.closed()
            there.close()
            server.close()

    try:
        loop.run_until_complete(connected())
    finally:
        loop.close()


async def turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_one_timer_serves_many_waits() -> None:
    async def scenario(loop: SteppedLoop, wire: Wire, there: asyncio.StreamWriter) -> None:
        timers = loop.timers
        for _ in range(20):
            replied = asyncio.ensure_future(wire.reply(600))
            await turns()
            there.write(b"250 OK\r\n")
            assert (await replied).code == 250
        assert loop.timers == timers + 1

    run(scenario)


def test_each_wait_ends_at_its_own_deadline() -> None:
    async def scenario(loop: SteppedLoop, wire: Wire, there: asyncio.StreamWriter) -> None:
        first = asyncio.ensure_future(wire.reply(60))
        await turns()
        there.write(b"250 OK\r\n")
        assert (await first).code == 250

        later = asyncio.ensure_future(wire.reply(600))
        await turns()
        loop.ahead += 100  # past the deadline of the first
        await turns()
        assert not later.done()
        there.write(b"250 OK\r\n")
        assert (await later).code == 250

        sooner = asyncio.ensure_future(wire.reply(300))
        await turns()
        loop.ahead += 301  # before the deadline of the one before
        with pytest.raises(TimeoutError):
            await sooner

    run(scenario)

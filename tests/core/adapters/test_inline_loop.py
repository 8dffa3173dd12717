"""An event loop that runs only while a caller waits for a coroutine."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from reviewinvite_core.adapters.inline_loop import InlineLoop


async def running() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_the_loop_that_a_thread_has_set_stays_set() -> None:
    def check() -> None:
        mine = asyncio.new_event_loop()
        asyncio.set_event_loop(mine)
        loop = InlineLoop()
        assert loop.run(running) is not mine
        assert asyncio.get_event_loop() is mine
        loop.close()
        assert asyncio.get_event_loop() is mine
        mine.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(check).result()


def test_a_thread_whose_loop_is_running_waits_for_another() -> None:
    async def main() -> None:
        loop = InlineLoop()
        assert loop.run(running) is not asyncio.get_running_loop()
        loop.close()

    asyncio.run(main())

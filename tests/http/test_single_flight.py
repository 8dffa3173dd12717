"""Shared reads: one at a time of each key, and nobody gets the result of a read that began before the request."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core.application.event_loop import ReadThreadPool
from reviewinvite_http.single_flight import SingleFlight


@pytest.fixture
def readers() -> Iterator[ReadThreadPool]:
    made = ReadThreadPool(seconds=TIMEOUT_SECONDS)
    yield made
    made.close()


class Storage:
    """Something that is looked at: it says what it held when a look began, and lets looks end one by one."""

    def __init__(self) -> None:
        self.holds = 0
        self.begun = threading.Semaphore(0)
        self.may_end = threading.Semaphore(0)

    def look(self) -> int:
        seen = self.holds
        self.begun.release()
        assert self.may_end.acquire(timeout=TIMEOUT_SECONDS)
        return seen

    async def has_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.acquire, timeout=TIMEOUT_SECONDS)


def test_who_comes_during_a_look_is_told_by_the_next_one_and_all_of_them_by_the_same(readers: ReadThreadPool) -> None:
    async def scenario() -> None:
        storage, looks = Storage(), SingleFlight[int](readers)
        first = asyncio.create_task(looks.run("shop", storage.look))
        await storage.has_begun()
        storage.holds = 1
        later = [asyncio.create_task(looks.run("shop", storage.look)) for _ in range(50)]
        await asyncio.sleep(0)
        storage.may_end.release()
        assert await first == 0
        await storage.has_begun()
        storage.holds = 2
        last = asyncio.create_task(looks.run("shop", storage.look))
        await asyncio.sleep(0)
        storage.may_end.release()
        assert await asyncio.gather(*later) == [1] * 50
        storage.may_end.release()
        assert await last == 2
        assert [storage.begun.acquire(blocking=False) for _ in range(2)] == [True, False]  # the last one, and no more

    asyncio.run(scenario())


def test_other_things_do_not_wait(readers: ReadThreadPool) -> None:
    async def scenario() -> None:
        storage, looks = Storage(), SingleFlight[int](readers)
        waits = asyncio.create_task(looks.run("shop", storage.look))
        await storage.has_begun()
        assert await looks.run("other", lambda: 7) == 7
        storage.may_end.release()
        assert await waits == 0

    asyncio.run(scenario())


def test_a_failure_is_everybodys_and_the_next_look_is_a_new_one(readers: ReadThreadPool) -> None:
    def fail() -> int:
        raise KeyError("storage")

    async def scenario() -> None:
        looks = SingleFlight[int](readers)
        told = await asyncio.gather(*(looks.run("shop", fail) for _ in range(3)), return_exceptions=True)
        assert [type(each) for each in told] == [KeyError] * 3
        assert await looks.run("shop", lambda: 7) == 7

    asyncio.run(scenario())


def test_who_goes_away_takes_nobodys_look_along(readers: ReadThreadPool) -> None:
    async def scenario() -> None:
        storage, looks = Storage(), SingleFlight[int](readers)
        goes = asyncio.create_task(looks.run("shop", storage.look))
        stays = asyncio.create_task(looks.run("shop", storage.look))
        await storage.has_begun()
        goes.cancel()
        storage.may_end.release()
        assert await stays == 0
        assert goes.cancelled()

    asyncio.run(scenario())

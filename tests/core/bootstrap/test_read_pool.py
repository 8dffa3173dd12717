"""Looks at storage for pages: off the event loop, for so long and no longer, and none outlives the process."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest
from tests.http.service import Answer, http_request
from tests.http.unresponsive_storage import UnresponsiveStorage
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import Settings, StorageUnavailable, build
from reviewinvite_core.application.event_loop import ReadThreadPool
from reviewinvite_core.domain.errors import ApplicationClosed
from reviewinvite_http import server


def look_up_nothing() -> int:
    return dict[str, int]()["nothing"]


def running_readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "reader"]


def test_what_a_look_gives_or_raises_belongs_to_whoever_asked() -> None:
    others = set(running_readers())  # of applications that earlier tests have left open

    async def scenario() -> None:
        readers = ReadThreadPool()
        assert await readers.run(lambda: threading.current_thread().name) == "reader"
        with pytest.raises(KeyError):
            await readers.run(look_up_nothing)
        assert await asyncio.gather(*(readers.run(partial(int, each)) for each in range(50))) == list(range(50))
        readers.close()

    asyncio.run(scenario())
    wait_until(lambda: set(running_readers()) <= others)


def test_once_closed_it_takes_nothing_more() -> None:
    async def scenario() -> None:
        readers = ReadThreadPool()
        readers.close()
        with pytest.raises(ApplicationClosed):
            await readers.run(running_readers)

    asyncio.run(scenario())


def test_a_look_that_takes_too_long_is_given_up_and_the_next_one_is_answered() -> None:
    answer = threading.Event()

    async def scenario() -> None:
        readers = ReadThreadPool(threads=1, seconds=0.1)
        with pytest.raises(StorageUnavailable, match="in time"):
            await readers.run(answer.wait)
        ran: list[int] = []
        with pytest.raises(StorageUnavailable, match="in time"):
            await readers.run(lambda: ran.append(1))
        answer.set()
        while not await answers_again(readers):
            await asyncio.sleep(0.01)
        assert ran == []
        assert all(thread.daemon for thread in running_readers())
        readers.close()

    asyncio.run(scenario())


async def answers_again(readers: ReadThreadPool) -> bool:
    """Whether a look is answered now."""
    try:
        return await readers.run(lambda: True)
    except StorageUnavailable:
        return False


def test_when_too_many_wait_the_next_one_is_told_at_once() -> None:
    answer = threading.Event()

    async def scenario() -> None:
        readers = ReadThreadPool(threads=1, seconds=TIMEOUT_SECONDS, most_waiting=2)
        begun = threading.Event()

        def stand_in_the_way() -> None:
            begun.set()
            answer.wait(TIMEOUT_SECONDS)

        first = asyncio.ensure_future(readers.run(stand_in_the_way))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        waiting = [asyncio.ensure_future(readers.run(partial(int, each))) for each in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(StorageUnavailable, match="too many"):
            await readers.run(lambda: 3)
        answer.set()
        assert await asyncio.gather(first, *waiting) == [None, 0, 1]
        readers.close()

    asyncio.run(scenario())


def test_a_page_of_a_silent_database_is_given_up_and_holds_up_no_end() -> None:
    storage = UnresponsiveStorage()
    app = build(Settings(database_url="memory:", mail_url="recording:"), storage=storage)
    with server.running(app, worker=False, shutdown_seconds=1) as address:
        storage.silent.set()
        waiting = threading.Thread(target=lambda: answers.append(http_request(address, "GET", "/u/x")))
        answers: list[Answer] = []
        waiting.start()
        wait_until(lambda: storage.reads)
    waiting.join()
    assert [answer.status for answer in answers] == [503]
    assert answers[0].headers["Content-Type"].startswith("text/html")
    storage.answer.set()
    app.close()

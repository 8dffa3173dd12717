"""Units run on the event loop while there is one, and are never left waiting."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context
from typing import TypeVarTuple, Unpack

import pytest
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core.application.event_loop import EventLoopExecutor

Ts = TypeVarTuple("Ts")


@contextmanager
def a_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs in a thread of its own until the block ends or it is stopped."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield loop
    finally:
        if not loop.is_closed():
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


def where() -> int:
    return threading.get_ident()


def test_work_runs_on_the_loop() -> None:
    executor = EventLoopExecutor()
    with a_loop() as loop:
        executor.loop = loop
        on_loop = asyncio.run_coroutine_threadsafe(_where(), loop).result(TIMEOUT_SECONDS)
        assert executor.run(where) == on_loop != where()


async def _where() -> int:
    return where()


def test_without_a_loop_work_runs_here() -> None:
    assert EventLoopExecutor().run(where) == where()


def test_with_a_loop_that_does_not_run_yet_work_runs_here() -> None:
    executor = EventLoopExecutor()
    executor.loop = asyncio.new_event_loop()
    assert executor.run(where) == where()
    executor.loop.close()


def test_with_a_loop_that_is_closed_work_runs_here() -> None:
    executor = EventLoopExecutor()
    with a_loop() as loop:
        executor.loop = loop
    assert executor.run(where) == where()


@pytest.mark.parametrize("error", [ValueError("wrong"), TimeoutError("too late"), KeyboardInterrupt()], ids=repr)
def test_what_work_raises_is_raised_to_who_waits_for_it(error: BaseException) -> None:
    def fail() -> None:
        raise error

    executor = EventLoopExecutor()
    with a_loop() as loop:
        executor.loop = loop
        with pytest.raises(type(error)) as raised:
            executor.run(fail)
        assert raised.value is error
        assert executor.run(where) != where()  # the loop outlived it


def test_work_that_takes_its_time_is_waited_for_and_done_once() -> None:
    done: list[int] = []

    def work() -> str:
        time.sleep(0.5)
        done.append(where())
        return "done"

    executor = EventLoopExecutor()
    with a_loop() as loop:
        executor.loop = loop
        assert executor.run(work) == "done"
    assert len(done) == 1


def test_work_that_waits_for_a_loop_that_stops_is_done_here() -> None:
    """What was handed to the loop just before its end never runs there; whoever waits must not wait for ever."""
    handed_over = threading.Event()

    class WatchedLoop(asyncio.SelectorEventLoop):
        def call_soon_threadsafe(
            self, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
        ) -> asyncio.Handle:
            handle = super().call_soon_threadsafe(callback, *args, context=context)
            handed_over.set()
            return handle

    loop = WatchedLoop()
    executor = EventLoopExecutor()
    executor.loop = loop

    def stop_with_work_still_waiting() -> None:
        assert handed_over.wait(TIMEOUT_SECONDS)
        loop.stop()

    ran: list[int] = []
    running = threading.Event()

    def note_where() -> int:
        ran.append(where())
        return where()

    def block_the_loop() -> None:
        running.set()
        stop_with_work_still_waiting()
        time.sleep(0.05)

    with ThreadPoolExecutor() as pool:
        loop.call_soon(block_the_loop)
        looping = pool.submit(loop.run_forever)
        assert running.wait(TIMEOUT_SECONDS)
        answer = pool.submit(executor.run, note_where)
        looping.result(TIMEOUT_SECONDS)
        there = answer.result(TIMEOUT_SECONDS)
    assert ran == [there]
    loop.close()


def test_many_threads_lose_nothing_while_loops_come_and_go() -> None:
    executor = EventLoopExecutor()
    done: list[tuple[int, int]] = []
    stop = threading.Event()

    def run_units(thread: int) -> int:
        asked = 0
        while not stop.is_set():
            executor.run(lambda number=asked: done.append((thread, number)))  # type: ignore[misc]
            asked += 1
        return asked

    with ThreadPoolExecutor() as pool:
        asking = [pool.submit(run_units, thread) for thread in range(4)]
        for _ in range(20):
            with a_loop() as loop:
                executor.loop = loop
                time.sleep(0.02)
        stop.set()
        asked = [each.result(TIMEOUT_SECONDS) for each in asking]
    assert sorted(done) == [(thread, number) for thread in range(4) for number in range(asked[thread])]

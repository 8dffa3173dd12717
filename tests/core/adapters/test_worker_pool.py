"""Coroutines that work side by side on one event loop, in a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator

import pytest
from tests.waiting import no_more_threads, wait_until

from reviewinvite_core.adapters.worker_pool import EventLoopPool, EventLoopThread
from reviewinvite_core.domain.errors import ApplicationClosed
from reviewinvite_core.ports import Work


async def do_nothing() -> None:
    """Serve as a coroutine that has no effect."""


@pytest.fixture
def loop_thread() -> Iterator[EventLoopThread]:
    made = EventLoopThread()
    yield made
    made.close(do_nothing)


def waiting_for(free: threading.Event, number: int = 0, began: list[int] | None = None) -> Work[int]:
    """Return work that ends, with this number, when the event is set."""

    async def work(_: Callable[[], None]) -> int:
        if began is not None:
            began.append(number)
        await asyncio.to_thread(free.wait, 60)
        return number

    return work


def returning(number: int) -> Work[int]:
    async def work(_: Callable[[], None]) -> int:
        return number

    return work


def test_all_work_at_the_same_time(loop_thread: EventLoopThread) -> None:
    pool: EventLoopPool[int] = EventLoopPool(4, loop_thread)
    arrived: list[int] = []
    all_there = asyncio.Event()

    async def meet(_: Callable[[], None]) -> int:
        arrived.append(len(arrived))
        if len(arrived) == 4:
            all_there.set()
        await all_there.wait()
        return 1

    for _ in range(4):
        pool.begin(meet)
    assert [pool.next_done(60) for _ in range(4)] == [1] * 4
    assert list(pool.finish(0)) == []


def test_no_more_runs_at_once_than_the_size_and_in_the_order_of_submission(loop_thread: EventLoopThread) -> None:
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    free, began = threading.Event(), list[int]()
    for number in range(3):
        pool.begin(waiting_for(free, number, began))
    assert pool.next_done(0.05) is None
    assert began == [0]
    free.set()
    assert [pool.next_done(60) for _ in range(3)] == [0, 1, 2]
    assert list(pool.finish(0)) == []


def test_work_that_waits_behind_other_work_wakes_the_loop_no_further() -> None:
    class CountingThread(EventLoopThread):
        calls = 0

        def call(self, function: Callable[[], object]) -> None:
            self.calls += 1
            super().call(function)

    loop_thread = CountingThread()
    try:
        pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
        free, began = threading.Event(), list[int]()
        pool.begin(waiting_for(free, 0, began))
        wait_until(lambda: began == [0])
        for number in range(1, 11):
            pool.begin(returning(number))
        free.set()
        assert [pool.next_done(60) for _ in range(11)] == list(range(11))
        assert loop_thread.calls == 2  # for the first work, and for the first that found the worker busy
    finally:
        loop_thread.close(do_nothing)


def test_work_that_frees_its_worker_lets_the_next_begin_once(loop_thread: EventLoopThread) -> None:
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    end, began = threading.Event(), list[int]()

    async def free_at_once(free: Callable[[], None]) -> int:
        free()
        free()  # which changes nothing more
        await asyncio.to_thread(end.wait, 60)
        return -1

    pool.begin(free_at_once)
    for number in range(3):
        pool.begin(waiting_for(end, number, began))
    wait_until(lambda: began == [0])
    assert pool.next_done(0.05) is None
    assert began == [0]
    end.set()
    assert sorted(pool.next_done(60) or 0 for _ in range(4)) == [-1, 0, 1, 2]
    assert list(pool.finish(0)) == []


def test_finishing_begins_nothing_more_and_waits_for_what_is_at_hand(loop_thread: EventLoopThread) -> None:
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    free, began = threading.Event(), list[int]()
    for number in (1, 2):
        pool.begin(waiting_for(free, number, began))
    wait_until(lambda: began == [1])
    finishing = pool.finish(60)
    free.set()
    assert list(finishing) == [1]
    assert began == [1]


def test_finishing_waits_no_longer_than_told(loop_thread: EventLoopThread) -> None:
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    stuck = threading.Event()
    pool.begin(waiting_for(stuck))
    assert list(pool.finish(0.05)) == []
    stuck.set()


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        *((error, error) for error in (SystemExit, KeyboardInterrupt, ValueError)),
        (asyncio.CancelledError, RuntimeError),  # its own would cancel whoever waits
    ],
)
def test_what_breaks_work_is_raised_where_it_is_waited_for_and_ends_no_other(
    loop_thread: EventLoopThread, error: type[BaseException], raised: type[BaseException]
) -> None:
    pool: EventLoopPool[int] = EventLoopPool(2, loop_thread)
    free = threading.Event()

    async def broken(_: Callable[[], None]) -> int:
        raise error

    pool.begin(waiting_for(free, 7))
    pool.begin(broken)
    with pytest.raises(raised):
        pool.next_done(60)
    free.set()
    assert pool.next_done(60) == 7
    assert list(pool.finish(0)) == []


def test_pools_share_the_loop_and_what_is_left_by_one_goes_on_beside_the_next(loop_thread: EventLoopThread) -> None:
    loops: list[asyncio.AbstractEventLoop] = []
    late, ended = threading.Event(), threading.Event()

    async def outlive(_: Callable[[], None]) -> int:
        loops.append(asyncio.get_running_loop())
        await asyncio.to_thread(late.wait, 60)
        ended.set()
        return 1

    first: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    first.begin(outlive)
    wait_until(lambda: loops)
    assert list(first.finish(0)) == []
    second: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    late.set()
    second.begin(outlive)
    assert second.next_done(60) == 1
    assert ended.wait(60)
    assert loops[0] is loops[1]


def test_closing_runs_the_end_on_the_loop_cancels_what_still_runs_and_ends_the_thread() -> None:
    others = threading.enumerate()
    loop_thread = EventLoopThread()
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    begun, said = threading.Event(), list[str]()

    async def never_ends(_: Callable[[], None]) -> int:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            said.append("cancelled")
        return 1

    async def end() -> None:
        asyncio.get_running_loop()
        said.append("end")

    pool.begin(never_ends)
    assert begun.wait(60)
    assert loop_thread.is_running
    loop_thread.close(end)
    assert said == ["end", "cancelled"]
    assert not loop_thread.is_running
    assert [each for each in threading.enumerate() if each not in others and each.name == "delivery-loop"] == []
    loop_thread.close(end)  # there is no loop to end
    assert said == ["end", "cancelled"]


def test_closing_begins_nothing_more_and_is_told_to_whoever_waits_for_results() -> None:
    loop_thread = EventLoopThread()
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    begun, began = threading.Event(), list[int]()

    async def never_ends(_: Callable[[], None]) -> int:
        begun.set()
        await asyncio.Event().wait()
        return 1

    pool.begin(never_ends)
    pool.begin(waiting_for(threading.Event(), 2, began))
    assert begun.wait(60)
    loop_thread.close(do_nothing)
    with pytest.raises(ApplicationClosed):
        pool.next_done(0)  # it would wait for all of its time
    with pytest.raises(ApplicationClosed):
        pool.begin(returning(3))
    assert list(pool.finish(60)) == []
    assert began == []
    assert not loop_thread.is_running


def test_closing_leaves_the_results_there_are() -> None:
    loop_thread = EventLoopThread()
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    pool.begin(returning(1))
    wait_until(lambda: pool._done.qsize())
    loop_thread.close(do_nothing)
    assert pool.next_done(60) == 1


@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError])
def test_an_end_that_breaks_off_still_ends_the_loop(error: type[BaseException]) -> None:
    others = threading.enumerate()
    loop_thread = EventLoopThread()
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    pool.begin(returning(1))
    assert pool.next_done(60) == 1

    async def end() -> None:
        raise error

    with pytest.raises(error):
        loop_thread.close(end)
    assert [each for each in threading.enumerate() if each not in others and each.name == "delivery-loop"] == []


def test_without_a_thread_to_be_had_nothing_waits_to_begin(loop_thread: EventLoopThread) -> None:
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    with no_more_threads(), pytest.raises(RuntimeError):
        pool.begin(returning(1))
    assert not loop_thread.is_running
    pool.begin(returning(2))
    assert pool.next_done(60) == 2
    assert list(pool.finish(60)) == []


def test_what_the_end_raises_is_raised_where_it_is_waited_for(loop_thread: EventLoopThread) -> None:
    async def end() -> None:
        message = "no"
        raise ValueError(message)

    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    pool.begin(returning(1))
    assert pool.next_done(60) == 1
    with pytest.raises(ValueError, match="no"):
        loop_thread.close(end)


@pytest.mark.process
def test_a_forked_child_has_a_loop_of_its_own(loop_thread: EventLoopThread) -> None:
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    pool.begin(returning(1))
    assert pool.next_done(60) == 1
    child = os.fork()
    if not child:
        status = 1
        try:
            assert not loop_thread.is_running
            pool.begin(returning(2))
            status = 0 if pool.next_done(60) == 2 else 1
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    pool.begin(returning(3))
    assert pool.next_done(60) == 3


def test_work_that_goes_ahead_begins_before_all_that_waits_but_in_its_order(loop_thread: EventLoopThread) -> None:
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    free, began = threading.Event(), list[int]()
    pool.begin(waiting_for(free, 0, began))
    wait_until(lambda: began)
    for number in (3, 4):
        pool.begin(waiting_for(free, number, began))
    for number in (1, 2):
        pool.begin(waiting_for(free, number, began), ahead=True)
    free.set()
    assert [pool.next_done(60) for _ in range(5)] == began == [0, 1, 2, 3, 4]


def test_work_that_goes_ahead_does_not_begin_after_the_end_either(loop_thread: EventLoopThread) -> None:
    pool: EventLoopPool[int] = EventLoopPool(1, loop_thread)
    free, began = threading.Event(), list[int]()
    pool.begin(waiting_for(free, 0, began))
    wait_until(lambda: began)
    pool.begin(waiting_for(free, 1, began), ahead=True)
    finishing = pool.finish(60)
    free.set()
    assert list(finishing) == began == [0]

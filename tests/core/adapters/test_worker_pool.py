"""Threads that work side by side."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from reviewinvite_core.adapters.worker_pool import ThreadPool


def test_all_threads_work_at_the_same_time() -> None:
    pool: ThreadPool[int] = ThreadPool(4)
    together = threading.Barrier(4)
    for _ in range(4):
        pool.begin(lambda: together.wait(60))
    assert {pool.next_done(60) for _ in range(4)} == {0, 1, 2, 3}
    assert list(pool.finish(0)) == []


def test_no_more_runs_at_once_than_there_are_threads_and_in_the_order_of_submission() -> None:
    pool: ThreadPool[int] = ThreadPool(1)
    free, began = threading.Event(), []

    def work(number: int) -> int:
        began.append(number)
        free.wait(60)
        return number

    for number in range(3):
        pool.begin(partial(work, number))
    assert pool.next_done(0.05) is None
    assert began == [0]
    free.set()
    assert [pool.next_done(60) for _ in range(3)] == [0, 1, 2]
    assert list(pool.finish(0)) == []


def test_finishing_begins_nothing_more_and_waits_for_what_is_at_hand() -> None:
    pool: ThreadPool[str] = ThreadPool(1)
    begun, free, never = threading.Event(), threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        free.wait(60)
        return "slow"

    def second() -> str:
        never.set()
        return ""

    pool.begin(slow)
    pool.begin(second)
    assert begun.wait(60)
    finishing = pool.finish(60)
    free.set()
    assert list(finishing) == ["slow"]
    assert not never.is_set()


def test_finishing_waits_no_longer_than_told() -> None:
    pool: ThreadPool[int] = ThreadPool(1)
    stuck = threading.Event()
    pool.begin(lambda: int(stuck.wait(60)))
    assert list(pool.finish(0.05)) == []
    stuck.set()


def test_what_breaks_a_hand_is_raised_where_it_is_waited_for() -> None:
    pool: ThreadPool[int] = ThreadPool(1)

    def broken() -> int:
        raise SystemExit

    pool.begin(broken)
    with pytest.raises(SystemExit):
        pool.next_done(60)
    assert list(pool.finish(0)) == []


def test_threads_end_when_they_are_not_needed_any_more() -> None:
    others = threading.enumerate()
    pool: ThreadPool[int] = ThreadPool(3)
    for _ in range(3):
        pool.begin(lambda: 1)
    assert [pool.next_done(60) for _ in range(3)] == [1, 1, 1]
    threads = [thread for thread in threading.enumerate() if thread not in others]
    assert list(pool.finish(1)) == []
    for thread in threads:
        thread.join(60)
    assert not [thread for thread in threads if thread.is_alive()]

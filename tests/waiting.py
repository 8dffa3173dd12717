"""Waiting for what a test expects, and threads that begin at the same moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TypeVar

T = TypeVar("T")

TIMEOUT_SECONDS = 180.0  # however busy the machine is; a wait ends as soon as what it waits for has happened


def wait_until(condition: Callable[[], object], seconds: float = TIMEOUT_SECONDS) -> None:
    """Poll `condition` until it holds; fail the test after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.002)


def happens(condition: Callable[[], object], seconds: float) -> bool:
    """Poll `condition` for at most `seconds`; return whether it came to hold."""
    deadline = time.monotonic() + seconds
    while not (held := bool(condition())) and time.monotonic() < deadline:
        time.sleep(0.002)
    return held


def run_concurrently(count: int, task: Callable[[int], T]) -> list[T]:
    """Run `task(0)` to `task(count - 1)` in threads that start together; return the results in this order.

    Raises: what a task raises.
    """
    barrier = threading.Barrier(count)

    def run(number: int) -> T:
        barrier.wait(TIMEOUT_SECONDS)
        return task(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(run, range(count)))


@contextmanager
def no_more_threads() -> Iterator[ExitStack]:
    """Let no thread be started, nor an idle one of the daemon threads be reused, until the stack given is closed."""
    wait_until(lambda: all(each.name != "blocking-call" for each in threading.enumerate()))
    with ExitStack() as stack:
        stack.callback(threading.stack_size, threading.stack_size(1 << 50))  # more than there are addresses
        yield stack

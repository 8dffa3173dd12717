"""Waiting for what a test expects, and threads that begin at the same moment."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable
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
    """Run `task(0)` to `task(count - 1)` in threads that start together; return the results, or raise an error."""
    barrier = threading.Barrier(count)
    results: dict[int, T] = {}
    errors: list[Exception] = []

    def run(number: int) -> None:
        try:
            barrier.wait(TIMEOUT_SECONDS)
            results[number] = task(number)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [results[number] for number in range(count)]


def are_all_blocked(threads: Iterable[threading.Thread]) -> bool:
    """Return whether each of these threads waits for an event, a lock of `threading`, or a condition."""
    frames = sys._current_frames()  # the documented way to see what a thread does
    stacks = [frames.get(thread.ident) for thread in threads if thread.ident is not None]
    return all(frame is not None and frame.f_code.co_filename == threading.__file__ for frame in stacks)

"""Tasks that threads begin at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

SECONDS = 300.0  # longer means that a thread hangs


def run_at_once(count: int, task: Callable[[int], T]) -> list[T]:
    """Run `task(0)`, `task(1)` and so on in threads that begin together; return the results in this order.

    Raises: what a task raises.
    """
    gate = threading.Barrier(count)

    def run(number: int) -> T:
        gate.wait(SECONDS)
        return task(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(run, range(count)))

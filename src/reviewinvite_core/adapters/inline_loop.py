"""An event loop that runs only while a caller waits for a coroutine."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class InlineLoop:
    """Runs coroutines to their end, one at a time, on the calling thread.

    If that thread already runs an event loop, a coroutine runs on another thread, and the caller waits for its end.
    """

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None
        self._end: Callable[[], object] = lambda: None

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of the coroutine.

        Raises: what the coroutine raises.
        """
        runner = self._runner
        if runner is None:
            runner = self._runner = asyncio.Runner(
                loop_factory=asyncio.new_event_loop
            )  # the thread's own loop stays set
            self._end = weakref.finalize(self, _outside_any_loop, runner.close)
        return _outside_any_loop(lambda: runner.run(_awaited(work)))

    def close(self) -> None:
        """End the loop and the tasks that are left on it; `run` starts another. Idempotent.

        A loop that nobody refers to any more ends by itself.
        """
        self._runner = None
        self._end()


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()


def _outside_any_loop(function: Callable[[], T]) -> T:
    """Run the function where no event loop is running: here, or else on a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function()
    return _on_a_thread(function)


def _on_a_thread(function: Callable[[], T]) -> T:
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:  # it belongs to the caller
            errors.append(error)

    thread = threading.Thread(target=run, name="inline-loop", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]

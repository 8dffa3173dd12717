"""Daemon threads that run blocking calls, and are used again."""

from __future__ import annotations

import gc
import threading
import weakref

from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core.adapters.daemon_threads import DaemonThreads


class Held:
    """Something that work refers to."""


def test_an_idle_thread_is_used_again_and_keeps_nothing_of_its_first_work() -> None:
    threads, used = DaemonThreads(), list[int | None]()
    held, end = Held(), threading.Event()
    left = weakref.ref(held)

    def first(held: Held = held) -> None:
        used.append(threading.current_thread().ident)

    def second() -> None:
        used.append(threading.current_thread().ident)
        assert end.wait(TIMEOUT_SECONDS)

    threads.start(first)
    wait_until(lambda: threads._idle)
    del first, held
    gc.collect()
    assert left() is None
    threads.start(second)
    wait_until(lambda: len(used) == 2)
    assert used[0] == used[1]
    end.set()

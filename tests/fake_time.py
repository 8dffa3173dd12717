"""A wall clock for processes, by faketime: it is set, or it runs faster than time passes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from tests.tools import require, unavailable

TICK_SECONDS = 0.25


class FakeTime:
    """A file with the offset of the wall clock; processes started with `variables` follow it within a second."""

    def __init__(self, folder: Path) -> None:
        require("faketime", "`apt-get install faketime`")
        libraries = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        library = libraries[0] if libraries else unavailable("faketime", "its library is not in /usr/lib")
        self._file = folder / "offset"
        self.set(timedelta(0))
        self.variables = {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",  # seconds
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",  # as when an administrator sets the clock
        }

    def set(self, offset: timedelta) -> None:
        """Put the clocks so far ahead, or back."""
        written = self._file.with_suffix(".new")
        written.write_text(f"{offset.total_seconds():+.3f}\n")
        written.rename(self._file)

    @contextmanager
    def running(self, offset: timedelta, *, times: int) -> Iterator[None]:
        """Let the clocks start at this offset, and run faster by the factor `times` for as long as the block runs.

        They advance in small steps. Given a speed, faketime would also shorten the timeouts of system calls, and it
        does not know the one by which Python's locks wait.
        """
        began, stop = time.monotonic(), threading.Event()

        def tick() -> None:
            while not stop.wait(TICK_SECONDS):
                self.set(offset + timedelta(seconds=(times - 1) * (time.monotonic() - began)))

        self.set(offset)
        ticking = threading.Thread(target=tick, daemon=True)
        ticking.start()
        try:
            yield
        finally:
            stop.set()
            ticking.join()

"""The command, on a machine whose clock is wrong: `python -m tests.http.another_clock SECONDS serve ...`."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta

from reviewinvite_core.adapters import system

seconds = float(sys.argv.pop(1))


class WrongClock(system.SystemClock):
    """A system clock that is `seconds` ahead, or behind if negative."""

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=seconds)


if __name__ == "__main__":
    system.SystemClock = WrongClock  # type: ignore[misc]  # before anything is built
    from reviewinvite_cli.main import run

    run()

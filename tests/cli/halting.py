"""`halting.py MODULE FUNCTION N ARGUMENT...`: the command, which stands still before the n-th call of a function.

It stops itself with SIGSTOP, so that nobody has to catch it there in time; SIGCONT lets it go on.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
from importlib import import_module

from reviewinvite_cli.__main__ import run


def halt_before(module: str, function: str, nth: int) -> None:
    """Stand still there; `function` may be that of a class: `Account.enter`."""
    *holders, name = function.split(".")
    holder = import_module(module)
    for each in holders:
        holder = getattr(holder, each)
    real, calls = getattr(holder, name), itertools.count(1)

    def halting(*args: object, **more: object) -> object:
        if next(calls) == nth:
            os.kill(os.getpid(), signal.SIGSTOP)
        return real(*args, **more)

    setattr(holder, name, halting)


if __name__ == "__main__":
    module, function, nth = sys.argv[1:4]
    del sys.argv[1:4]
    halt_before(module, function, int(nth))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background is started without it
    run()

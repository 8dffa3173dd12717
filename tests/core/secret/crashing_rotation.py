"""A process that kills itself at the n-th line of a change of the secret, or of the start after one.

The code knows nothing of it: the interpreter tells of each line that it is about to run. So there is no instant between
two lines at which nobody was killed.

    python -m tests.core.secret.crashing_rotation

waits for orders, one JSON object a line (`Order`), forks a process for each, and prints its exit status when it has
ended: to fork a process that has imported all is twenty times as fast as to start one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import attrs
import structlog

from reviewinvite_core import Settings, build, rotate_secret
from reviewinvite_core.adapters import secret_file
from reviewinvite_core.adapters.sql import postgres, sqlite, sqlite_file, store
from reviewinvite_core.usecases import rotate_secret as use_case

SURVIVED = 0
KILLED = -signal.SIGKILL
_OWN = frozenset(module.__file__ for module in (use_case, secret_file))
_WATCHED = {
    "rotate": _OWN | {module.__file__ for module in (sqlite, sqlite_file, postgres, store)},
    "start": _OWN,  # of all that a start does
}


@attrs.frozen(kw_only=True)
class Order:
    """What to do, with which settings (`secret_file` among them), and at which line to die."""

    act: str  # `rotate` or `start`
    settings: Mapping[str, Any]
    line: int
    new_secret_file: str | None = None


class Nursery:
    """Where doomed processes are born."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        self._program = program

    def run(self, order: Order) -> int:
        """The exit status of a process that has carried out the order, or was killed at it."""
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.write(json.dumps(attrs.asdict(order)) + "\n")
        self._program.stdin.flush()
        return int(self._program.stdout.readline())


@contextmanager
def nursery() -> Iterator[Nursery]:
    """A program that forks doomed processes."""
    command = [sys.executable, "-m", "tests.core.secret.crashing_rotation"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        yield Nursery(program)
        assert program.stdin
        program.stdin.close()


def carry_out(order: Order) -> None:
    settings = Settings(**{**order.settings, "secret_file": Path(order.settings["secret_file"])})
    new = Path(order.new_secret_file) if order.new_secret_file else None
    with _dying_at(order.line, _WATCHED[order.act]):
        if order.act == "rotate":
            rotate_secret(settings, new_secret_file=new)
        else:
            build(settings).close()


@contextmanager
def _dying_at(last: int, watched: frozenset[str | None]) -> Iterator[None]:
    passed = 0

    def count(_frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        nonlocal passed
        if event in {"line", "return"}:
            passed += 1
            if passed == last:
                os.kill(os.getpid(), signal.SIGKILL)
        return count

    sys.settrace(lambda frame, _event, _: count if frame.f_code.co_filename in watched else None)
    try:
        yield
    finally:
        sys.settrace(None)


def main() -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                carry_out(Order(**json.loads(line)))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(SURVIVED)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()

"""A process that kills itself at the n-th line of a change of the secret, or of the start after one.

The code knows nothing of it: the interpreter traces each line before it runs, so that no instant between two lines
goes untested.

    python -m tests.core.secret.crashing_rotation

reads jobs, one JSON object a line (`Job`), forks a process for each, and prints its exit status: to fork a process that
has imported everything takes a twentieth of the time that starting one takes.
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
from typing import Any, Literal, TypeAlias

import attrs

from reviewinvite_core import Settings, build
from reviewinvite_core.adapters import secret_file
from reviewinvite_core.adapters.sql import store
from reviewinvite_core.adapters.sql.postgres import storage as postgres
from reviewinvite_core.adapters.sql.sqlite import file as sqlite_file, maintenance, storage as sqlite
from reviewinvite_core.admin import rotate_secret
from reviewinvite_core.usecases import secret as use_case

SURVIVED = 0
KILLED = -signal.SIGKILL
Act: TypeAlias = Literal["rotate", "start"]

_OWN = frozenset(module.__file__ for module in (use_case, secret_file))
_WATCHED: Mapping[Act, frozenset[str | None]] = {
    "rotate": _OWN | {module.__file__ for module in (sqlite, sqlite_file, maintenance, postgres, store)},
    "start": _OWN,  # of all that a start does
}


@attrs.frozen(kw_only=True)
class Job:
    """What to do, where, and at which line to die."""

    act: Act
    database_url: str
    secret_file: str
    line: int
    new_secret_file: str | None = None


class RotationForkServer:
    """A program that forks processes which crash."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        self._program = program

    def run(self, job: Job) -> int:
        """Return the exit status of a process that did the job, or was killed at it."""
        assert self._program.stdin
        assert self._program.stdout
        self._program.stdin.write(json.dumps(attrs.asdict(job)) + "\n")
        self._program.stdin.flush()
        return int(self._program.stdout.readline())


@contextmanager
def rotation_fork_server() -> Iterator[RotationForkServer]:
    """Start a fork server."""
    command = [sys.executable, "-m", "tests.core.secret.crashing_rotation"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        yield RotationForkServer(program)
        assert program.stdin
        program.stdin.close()


def settings_of(database_url: str, secret_file: Path) -> Settings:
    return Settings(database_url=database_url, mail_url="recording:", secret_file=secret_file)


def carry_out(job: Job) -> None:
    settings = settings_of(job.database_url, Path(job.secret_file))
    new = Path(job.new_secret_file) if job.new_secret_file else None
    with _dying_at(job.line, _WATCHED[job.act]):
        if job.act == "rotate":
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
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                carry_out(Job(**json.loads(line)))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(SURVIVED)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()

"""Processes that do the same at the same moment."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence

from tests.waiting import TIMEOUT_SECONDS


def run_at_once(commands: Iterable[Sequence[str]]) -> list[str]:
    """Start programs that print `ready`, let all go on with a line of input; return what each prints after that.

    Each must end with exit code 0.
    """
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    try:
        for process in processes:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        ended = [process.communicate(timeout=2 * TIMEOUT_SECONDS) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [(process.returncode, errors) for process, (_, errors) in zip(processes, ended, strict=True)] == [
        (0, "")
    ] * len(processes)
    return [said.strip() for said, _ in ended]

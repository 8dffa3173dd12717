"""Run beside a program: end it, and all processes that it started, when standard input ends, as it does with the tests.

A signal on the parent's death (`prctl`) would not do: a program that changes its user, like Postfix, loses it.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import psutil

with suppress(psutil.NoSuchProcess):
    program = psutil.Process(int(sys.argv[1]))
    sys.stdin.read()
    program.suspend()  # so that it starts nothing more
    for process in (*program.children(recursive=True), program):
        with suppress(psutil.NoSuchProcess):
            process.kill()

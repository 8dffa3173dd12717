"""Start a program that ends with the process that started it, even if that one is killed.

Run as `python child.py PARENT_ID PROGRAM ARGUMENT...`; it imports nothing of the package, so that it starts fast.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux; it survives exec


def main() -> None:
    parent, *command = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != int(parent):  # it died before the request above
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606 - our own interpreter


if __name__ == "__main__":
    main()

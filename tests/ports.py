"""Ports for programs that must be told one."""

from __future__ import annotations

import random
import socket
from contextlib import suppress


def free_port() -> int:
    """Return a port on loopback that nobody listens on.

    It is below those that the system gives to connections, so it stays free until its program listens, and while that
    is down.
    """
    while True:
        port = random.randrange(20_000, 32_000)  # noqa: S311 - it hides nothing
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port

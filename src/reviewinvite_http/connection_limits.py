"""How many connections a server keeps: room is made by ending the one that has waited longest for its client.

ADR-36.
"""

from __future__ import annotations

import asyncio
import resource
from typing import Any

import uvicorn

MOST_CONNECTIONS = 8192
"""Connections of a process whose limit of descriptors is high."""

RESERVED_DESCRIPTORS = 64
"""Descriptors for databases, mail servers, domain checks and logs."""


class OpenConnections:
    """The connections of one server; a new one always finds room, unless all the others are being answered."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._waiting: dict[asyncio.Transport, None] = {}  # for their client; the one that has waited longest first

    def add(self, transport: asyncio.Transport) -> None:
        """Take a new connection, and end another one, or else this one, if they are too many."""
        self._count += 1
        self._waiting[transport] = None
        if self._count > self._most:
            longest = next(iter(self._waiting))
            del self._waiting[longest]
            longest.abort()  # closing would wait until its client has read all

    def remove(self, transport: asyncio.Transport) -> None:
        """Forget a connection that has ended."""
        self._count -= 1
        self._waiting.pop(transport, None)

    def note(self, transport: asyncio.Transport, *, waiting: bool) -> None:
        """Note whether a connection waits for its client; one that waits already keeps its place."""
        if waiting:
            self._waiting.setdefault(transport)
        else:
            self._waiting.pop(transport, None)


class ServerConfig(uvicorn.Config):
    """Uvicorn's configuration, and the connections of the one server that is run with it."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.open_connections = OpenConnections(connections_for(resource.getrlimit(resource.RLIMIT_NOFILE)[0]))


def connections_for(descriptors: int) -> int:
    """Return how many connections fit into this limit of descriptors."""
    if descriptors == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(1, min(descriptors - RESERVED_DESCRIPTORS, MOST_CONNECTIONS))

"""Limit the connections of a server; to make room, close the one that has waited longest for its client.

ADR-36.
"""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Sequence
from typing import Any

import uvicorn

from reviewinvite_http.exchanges import Observer

MOST_CONNECTIONS = 8192
"""Maximum connections of a process whose limit of file descriptors is high enough."""

RESERVED_DESCRIPTORS = 64
"""File descriptors reserved for databases, mail servers, domain checks and logs."""


class OpenConnections:
    """The connections of one server; a new one always finds room, unless all others are in use."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._waiting: dict[asyncio.Transport, None] = {}  # for their client, the longest wait first

    def add(self, transport: asyncio.Transport) -> None:
        """Add a connection; if there are too many, close one that waits for its client, possibly this one."""
        self._count += 1
        self._waiting[transport] = None
        if self._count > self._most:
            longest = next(iter(self._waiting))
            del self._waiting[longest]
            longest.abort()  # closing would wait until its client has read everything

    def remove(self, transport: asyncio.Transport) -> None:
        """Remove a connection that has ended."""
        self._count -= 1
        self._waiting.pop(transport, None)

    def note(self, transport: asyncio.Transport, *, waiting: bool) -> None:
        """Note whether a connection waits for its client; a connection that was already waiting keeps its place."""
        if waiting:
            self._waiting.setdefault(transport)
        else:
            self._waiting.pop(transport, None)


class ServerConfig(uvicorn.Config):
    """Uvicorn's configuration that also tracks its server's open connections; use it for one server only.

    `observers` receive the requests that connections refuse; `base_url` is the `BASE_URL` of the service, for the
    errors that connections send.
    """

    def __init__(self, *args: Any, observers: Sequence[Observer] = (), base_url: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self.observers = observers
        self.base_url = base_url
        self.open_connections = OpenConnections(connections_for(resource.getrlimit(resource.RLIMIT_NOFILE)[0]))


def connections_for(descriptors: int) -> int:
    """Return how many connections fit within this limit of file descriptors."""
    if descriptors == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(1, min(descriptors - RESERVED_DESCRIPTORS, MOST_CONNECTIONS))

"""A wire between an application and PostgreSQL that can break, or fall silent, at the worst instant."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit


class Break(Enum):
    """When the wire breaks: before a commit arrives, or when its answer is on the way back."""

    BEFORE_COMMIT = "before"
    AFTER_COMMIT = "after"


class Silence(Enum):
    """What a silent wire loses: all that is said on it, or the answers only."""

    BOTH_WAYS = "both"
    ANSWERS = "answers"


class Wire:
    """Carries every connection to the server; `break_at` cuts the one that commits next.

    While it is silent it loses what is said; a connection that was spoken on then stays silent for ever, as both ends
    of it are too far apart. `silent_from` is a part of a statement with which a connection falls silent. Where it
    `hides_recovery`, a standby does not say so of itself, as behind a pooler.
    """

    def __init__(self, server_url: str) -> None:
        self._server_url = server_url
        self._next: Break | None = None
        self.silence: Silence | None = None
        self.silent_from: bytes | None = None
        self.hides_recovery = False
        self.broken = 0
        self.connections = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The database's address, over this wire."""
        url = urlsplit(self._server_url)
        netloc = f"{url.netloc.rpartition('@')[0] or 'postgres'}@127.0.0.1:{self.port}"
        options = {name: values[0] for name, values in parse_qs(url.query).items() if name != "host"}
        options |= {"sslmode": "disable", "gssencmode": "disable"}
        return url._replace(netloc=netloc, query=urlencode(options)).geturl()

    def break_at(self, moment: Break) -> None:
        """Once, at the next commit of any connection."""
        self._next = moment

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                try:
                    server = self._reach()
                except OSError:  # it is not running just now
                    client.close()
                    continue
                self.connections += 1
                threading.Thread(target=self._carry, args=(client, server), daemon=True).start()

    def _reach(self) -> socket.socket:
        url = urlsplit(self._server_url)
        folder = parse_qs(url.query).get("host", [""])[0]
        if not folder:
            return socket.create_connection((url.hostname or "localhost", url.port or 5432))
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(Path(folder) / f".s.PGSQL.{url.port or 5432}"))
        return server

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        lost, mute = threading.Event(), threading.Event()
        threading.Thread(target=self._carry_back, args=(client, server, lost, mute), daemon=True).start()
        with client, server, suppress(OSError):
            while sent := client.recv(65536):
                if self.silence or (self.silent_from and self.silent_from in sent):
                    mute.set()
                if mute.is_set() and self.silence is not Silence.ANSWERS:
                    continue
                moment = self._next if b"COMMIT\0" in sent else None
                if moment:
                    self._next = None
                    self.broken += 1
                if moment is Break.BEFORE_COMMIT:
                    break
                if moment is Break.AFTER_COMMIT:
                    lost.set()  # all that was asked before is answered: what comes next is the answer to this
                server.sendall(sent)
            self._cut(client, server)

    def _carry_back(
        self, client: socket.socket, server: socket.socket, lost: threading.Event, mute: threading.Event
    ) -> None:
        with suppress(OSError):
            while answer := server.recv(65536):
                if lost.is_set():
                    break
                if self.hides_recovery:
                    answer = answer.replace(b"in_hot_standby\0", b"in_hot_hiddens\0")
                if not mute.is_set():
                    client.sendall(answer)
        self._cut(client, server)

    @staticmethod
    def _cut(*ends: socket.socket) -> None:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def wire_to(server_url: str) -> Iterator[Wire]:
    """Open a proxy to a database, which works until `break_at` or `silence` is used."""
    wire = Wire(server_url)
    try:
        yield wire
    finally:
        wire.close()

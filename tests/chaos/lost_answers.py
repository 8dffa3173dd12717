"""A wire to a mail server that breaks at the worst instant: the message is taken, and its sender never learns of it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

END_OF_DATA = b"\r\n.\r\n"


class LosingWire:
    """Carries every connection to the mail server on a port; unencrypted, so that it can tell where a message ends.

    While it `loses`, it drops a connection as soon as the answer to the end of a message arrives, and keeps that answer
    in `lost`.
    """

    def __init__(self, server_port: int) -> None:
        self.loses = True
        self.lost: list[bytes] = []
        self._server_port = server_port
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The `MAIL_URL` of the mail server, over this wire."""
        return f"smtp://127.0.0.1:{self._listening.getsockname()[1]}"

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(("127.0.0.1", self._server_port))
                threading.Thread(target=self._carry, args=(client, server), daemon=True).start()

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        tail, ended = b"", threading.Event()
        back = threading.Thread(target=self._carry_back, args=(client, server, ended), daemon=True)
        back.start()
        with client, server, suppress(OSError):
            while sent := client.recv(65536):
                tail = (tail + sent)[-len(END_OF_DATA) :]
                if tail == END_OF_DATA and self.loses:
                    ended.set()  # all that was said before is answered: what comes next is the answer to this
                server.sendall(sent)
            server.shutdown(socket.SHUT_WR)
            back.join()

    def _carry_back(self, client: socket.socket, server: socket.socket, ended: threading.Event) -> None:
        with suppress(OSError):
            while answer := server.recv(65536):
                if ended.is_set():
                    self.lost.append(answer)
                    break
                client.sendall(answer)
            client.shutdown(socket.SHUT_RDWR)


@contextmanager
def losing_wire(server_port: int) -> Iterator[LosingWire]:
    """Open a wire to the mail server on this port."""
    wire = LosingWire(server_port)
    try:
        yield wire
    finally:
        wire.close()

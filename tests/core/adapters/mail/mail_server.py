"""A real SMTP server of aiosmtpd, which keeps what arrives and answers by its settings; and one that only talks."""

from __future__ import annotations

import asyncio
import socket
import threading
from asyncio import AbstractServer, WriteTransport
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from reviewinvite_core.adapters.mail.smtp import SmtpServer

PATIENCE = 60.0


class Inbox:
    """A server's handler."""

    def __init__(self) -> None:
        self.arrived: list[Envelope] = []
        self.commands: list[str] = []
        self.at_mail = self.at_rcpt = "250 OK"
        self.at_end = "250 2.0.0 taken"
        self.hangs_up_at_end = threading.Event()
        self.disconnected = threading.Event()

    @property
    def contents(self) -> list[bytes]:
        """The content of each message that has arrived."""
        return [envelope.original_content or b"" for envelope in self.arrived]

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.commands.append(f"MAIL {address} {' '.join(options)}".strip())
        if self.at_mail.startswith("250"):
            envelope.mail_from = address
        return self.at_mail

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        self.commands.append(f"RCPT {address}")
        if self.at_rcpt.startswith("25"):
            envelope.rcpt_tos.append(address)
        return self.at_rcpt

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        if self.hangs_up_at_end.is_set():
            assert server.transport
            server.transport.close()
        if self.at_end.startswith("250"):
            self.arrived.append(envelope)
        return self.at_end


class NotingServer(SMTP):
    """Notes when a client has gone, and may refuse DATA itself."""

    at_data: str | None = None

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        if self.at_data:
            await self.push(self.at_data)
        else:
            await super().smtp_DATA(arg)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self.event_handler.disconnected.set()


class ClosingController(Controller):
    """A server that listens on its port from the start, since another process may take a port that is merely free.

    It closes its connections when it stops; aiosmtpd leaves that to the garbage collector, during another test.
    """

    def __init__(self, handler: object, new_server: Callable[..., SMTP] = SMTP, **options: Any) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._new_server = new_server
        self._servers: list[SMTP] = []
        hostname, port = self._listening.getsockname()
        super().__init__(handler, hostname=hostname, port=port, ready_timeout=PATIENCE, **options)

    def factory(self) -> SMTP:
        server = self._new_server(self.handler, **self.SMTP_kwargs)
        self._servers.append(server)
        return server

    def _create_server(self) -> Awaitable[AbstractServer]:
        return self.loop.create_server(self._factory_invoker, sock=self._listening)

    def cancel_tasks(self, stop_loop: bool = True) -> None:
        assert self.server
        self.server.close()
        self._close_all(stop_loop)

    def _close_all(self, stop_loop: bool) -> None:
        """End every connection, also one that was just accepted and gets its transport later, from a task."""
        for server in self._servers:
            if isinstance(server.transport, WriteTransport):
                server.transport.abort()
        if asyncio.all_tasks(self.loop):
            self.loop.call_later(0.01, self._close_all, stop_loop)
        else:
            super().cancel_tasks(stop_loop)


class MailServer:
    """Serves on a free port until `stop`."""

    def __init__(self, **options: Any) -> None:
        self.inbox = Inbox()
        self.at_data: str | None = None
        self._controller = ClosingController(self.inbox, self._new_server, **options)
        self._controller.start()
        self._running = True

    def _new_server(self, *arguments: Any, **options: Any) -> SMTP:
        server = NotingServer(*arguments, **options)
        server.at_data = self.at_data
        return server

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self._controller.port

    def stop(self) -> None:
        """Hang up on everybody; idempotent."""
        if self._running:
            self._running = False
            self._controller.stop()


@contextmanager
def speaking(talk: Callable[[socket.socket], object]) -> Iterator[SmtpServer]:
    """A server that says what `talk` says to one client, and nothing of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            client, _ = listener.accept()
            with client:
                talk(client)

        thread = threading.Thread(target=serve)
        thread.start()
        yield SmtpServer(host="127.0.0.1", port=listener.getsockname()[1])
        thread.join(PATIENCE)


def converse(*replies: bytes) -> Callable[[socket.socket], None]:
    """Greets, answers each line with the next reply, then closes."""

    def talk(client: socket.socket) -> None:
        client.sendall(b"220 hello\r\n")
        with client.makefile("rb") as lines:
            for reply in replies:
                lines.readline()
                client.sendall(reply)

    return talk

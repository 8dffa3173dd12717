"""A real SMTP server of aiosmtpd, which keeps what arrives and answers as it was told to; and one that only talks."""

from __future__ import annotations

import socket
import threading
import time
from asyncio import AbstractServer
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

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
        self.disconnected = threading.Event()

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

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        if self.at_end.startswith("250"):
            self.arrived.append(envelope)
        return self.at_end


class HangingUp(Controller):
    """A server on a port of its own from the first: on one that was free a moment ago somebody else may listen by now.

    It closes what is open when it stops; aiosmtpd leaves that to the garbage collector, amid another test.
    """

    def __init__(self, handler: object, **options: object) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        hostname, port = self._listening.getsockname()
        super().__init__(handler, hostname=hostname, port=port, ready_timeout=PATIENCE, **options)

    def _create_server(self) -> Awaitable[AbstractServer]:
        return self.loop.create_server(self._factory_invoker, sock=self._listening)

    def cancel_tasks(self, stop_loop: bool = True) -> None:
        self.server.close()
        self.loop.call_later(0.01, self._hang_up, stop_loop)  # who was let in a moment ago has a transport by then

    def _hang_up(self, stop_loop: bool) -> None:
        for transport in list(self.loop._transports.values()):
            transport.abort()
        self.loop.call_soon(super().cancel_tasks, stop_loop)  # after what the transports have to do for their end


class NotingServer(SMTP):
    """Says when a client has gone, and may refuse DATA itself."""

    at_data: str | None = None

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's name
        if self.at_data:
            await self.push(self.at_data)
        else:
            await super().smtp_DATA(arg)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self.event_handler.disconnected.set()


class MailServer:
    """Serves on a free port until `stop`."""

    def __init__(self, **options: object) -> None:
        self.inbox = Inbox()
        self.at_data: str | None = None
        outer = self

        class Listening(HangingUp):
            def factory(self) -> SMTP:
                server = NotingServer(self.handler, **self.SMTP_kwargs)
                server.at_data = outer.at_data
                return server

        self._controller = Listening(self.inbox, **options)
        self._controller.start()
        self._running = True

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self._controller.port

    def stop(self) -> None:
        """Hang up on everybody; idempotent."""
        if self._running:
            self._running = False
            self._controller.stop()


def until(holds: Callable[[], bool]) -> bool:
    """Look again and again until it holds; whether it does."""
    deadline = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


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

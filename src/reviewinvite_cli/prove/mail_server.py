"""A small SMTP server that counts exactly, and misbehaves on request. Run it as a process of its own.

Each message that it accepts is a line of its log, `INVITATION RECIPIENT`, which is on disk before the message is
acknowledged. So the log is exact even if the server is killed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

import attrs

_RESET = struct.pack("ii", 1, 0)
_SILENT_SECONDS = (0.5, 4.0)
_LONGEST_LINE = 2**16


class Behaviour(StrEnum):
    """What it does with a message."""

    ACCEPT = "accept"
    REFUSE_RECIPIENT = "refuse_recipient"
    """Refuse it for now, before its data."""
    REFUSE_MESSAGE = "refuse_message"
    """Refuse it for now, after its end."""
    RESET_IN_DATA = "reset_in_data"
    RESET_UNKEPT = "reset_unkept"
    """Reset the connection after its end, without having accepted it."""
    RESET_KEPT = "reset_kept"
    """Accept it, and reset the connection in place of the answer."""
    SILENT_UNKEPT = "silent_unkept"
    """Do not answer its end, and reset the connection after a while."""
    SILENT_KEPT = "silent_kept"


MISBEHAVIOUR = tuple(Behaviour)[1:]


class _Ended(Exception):
    """The session is over."""


@attrs.define
class MailServer:
    """The server; `behave` says what it does with the next message, and `silence` for how many seconds it is silent."""

    log: int
    """The file descriptor of its log, opened to append."""
    behave: Callable[[], Behaviour]
    silence: Callable[[], float]

    def keep(self, content: bytes, recipient: str) -> None:
        """Accept a message: write its line, and sync it."""
        os.write(self.log, f"{_invitation(content)} {recipient}\n".encode())
        os.fsync(self.log)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hold one session."""
        try:
            await _Session(self, reader, writer).hold()
        except (_Ended, OSError, ValueError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()


@attrs.define
class _Session:
    server: MailServer
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    recipient: str = ""
    behaviour: Behaviour = Behaviour.ACCEPT

    async def hold(self) -> None:
        await self._say("220 prove")
        while True:
            line = (await self._line()).decode("latin-1").strip()
            verb = line[:4].upper()
            if verb in {"EHLO", "HELO"}:
                await self._say("250-prove\r\n250 PIPELINING" if verb == "EHLO" else "250 prove")
            elif verb == "MAIL":
                self.recipient, self.behaviour = "", self.server.behave()
                await self._say("250 ok")
            elif verb == "RCPT":
                await self._take_recipient(line)
            elif verb == "DATA" and not self.recipient:
                await self._say("503 no recipient")
            elif verb == "DATA":
                await self._say("354 go ahead")
                await self._take_message()
            elif verb == "QUIT":
                await self._say("221 bye")
                raise _Ended
            else:
                await self._say("250 ok")

    async def _take_recipient(self, line: str) -> None:
        if self.behaviour is Behaviour.REFUSE_RECIPIENT:
            await self._say("450 4.2.0 not now")
            return
        self.recipient = line.partition("<")[2].partition(">")[0]
        await self._say("250 ok")

    async def _take_message(self) -> None:
        content = bytearray()
        while (line := await self._line()) != b".\r\n":
            content += line
            if self.behaviour is Behaviour.RESET_IN_DATA:
                self._reset()
        if self.behaviour is Behaviour.REFUSE_MESSAGE:
            await self._say("451 4.3.0 not now")
            return
        if self.behaviour not in {Behaviour.RESET_UNKEPT, Behaviour.SILENT_UNKEPT}:
            self.server.keep(bytes(content), self.recipient)
        if self.behaviour in {Behaviour.SILENT_UNKEPT, Behaviour.SILENT_KEPT}:
            await asyncio.sleep(self.server.silence())
        if self.behaviour is not Behaviour.ACCEPT:
            self._reset()
        await self._say("250 2.0.0 accepted")

    async def _line(self) -> bytes:
        line = await self.reader.readline()
        if not line.endswith(b"\n"):
            raise _Ended
        return line

    async def _say(self, text: str) -> None:
        self.writer.write(text.encode() + b"\r\n")
        await self.writer.drain()

    def _reset(self) -> None:
        with suppress(OSError):
            self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        raise _Ended


def _invitation(content: bytes) -> str:
    """Return the invitation's id, with which the Message-ID begins."""
    for line in content.split(b"\r\n\r\n")[0].split(b"\r\n"):
        if line[:11].lower() == b"message-id:":
            return line[11:].strip().strip(b"<>").split(b"@")[0].decode("latin-1")
    return "-"


async def _serve(port: int, server: MailServer) -> None:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", port, limit=_LONGEST_LINE)
    await listening.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--misbehave", type=float, default=0.0, help="The share of messages to misbehave with.")
    parser.add_argument("--seed", default="")
    given = parser.parse_args()
    dice = random.Random(given.seed)  # noqa: S311 - no secret

    def behave() -> Behaviour:
        return dice.choice(MISBEHAVIOUR) if dice.random() < given.misbehave else Behaviour.ACCEPT

    log = os.open(given.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    asyncio.run(_serve(given.port, MailServer(log, behave, silence=lambda: dice.uniform(*_SILENT_SECONDS))))


if __name__ == "__main__":
    main()

"""A mail server that has every message on disk before it says so, as each has to; and does nothing else.

`python -m benchmarks.mail_sink` prints its port and serves until it is ended. It offers PIPELINING, SIZE and 8BITMIME,
as common servers do. Each message is written over the one before. `XCOUNT` is answered with the messages and the bytes
that it has taken.
"""

from __future__ import annotations

import asyncio
import os
import smtplib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import attrs
import uvloop

_EHLO = b"250-sink\r\n250-PIPELINING\r\n250-SIZE 10240000\r\n250 8BITMIME\r\n"
_ANSWERS = {b"EHLO": _EHLO, b"HELO": b"250 sink\r\n", b"DATA": b"354 go on\r\n", b"QUIT": b"221 2.0.0 bye\r\n"}
_END = b"\r\n.\r\n"


@attrs.frozen
class Sink:
    """Where a sink listens."""

    port: int

    def taken(self) -> tuple[int, int]:
        """How many messages it has taken since it began, and how many bytes they had on the wire."""
        with smtplib.SMTP("127.0.0.1", self.port, local_hostname="localhost") as session:
            _, answer = session.docmd("XCOUNT")
        messages, size = answer.split()
        return int(messages), int(size)


@contextmanager
def sink() -> Iterator[Sink]:
    """A sink as a process of its own."""
    command = [sys.executable, "-m", "benchmarks.mail_sink"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Sink(int(process.stdout.readline()))
        finally:
            process.terminate()


class _Total:
    """What was taken, and the file in which the latest message is."""

    def __init__(self, file: int) -> None:
        self.messages = self.size = 0
        self._file = file

    def take(self, content: bytes) -> None:
        """Keep it, durably."""
        os.pwrite(self._file, content, 0)
        os.fdatasync(self._file)
        self.messages += 1
        self.size += len(content)


class _Session(asyncio.Protocol):
    """One connection; a command is a line, and content ends with the line with the dot."""

    def __init__(self, total: _Total) -> None:
        self._total = total
        self._received = b""
        self._content = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's does not inherit from it
        self._transport.write(b"220 sink ESMTP\r\n")

    def data_received(self, data: bytes) -> None:
        self._received += data
        while self._take_content() if self._content else self._take_line():
            pass

    def _take_content(self) -> bool:
        end = self._received.find(_END)
        if end < 0:
            return False
        self._total.take(self._received[: end + len(_END)])
        self._received, self._content = self._received[end + len(_END) :], False
        self._transport.write(b"250 2.0.0 taken\r\n")
        return True

    def _take_line(self) -> bool:
        line, end, rest = self._received.partition(b"\r\n")
        if not end:
            return False
        self._received, verb = rest, line[:4].upper()
        self._content = verb == b"DATA"
        if verb == b"XCOU":
            self._transport.write(b"250 %d %d\r\n" % (self._total.messages, self._total.size))
        else:
            self._transport.write(_ANSWERS.get(verb, b"250 2.1.0 OK\r\n"))
        return True


async def _serve() -> None:
    with tempfile.TemporaryFile() as file:
        total = _Total(file.fileno())
        server = await asyncio.get_running_loop().create_server(lambda: _Session(total), "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve())

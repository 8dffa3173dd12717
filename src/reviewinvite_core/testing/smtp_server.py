"""A mail server for tests and trials: it keeps a durable log, and misbehaves by a script.

    faults = [{"at": "rcpt", "do": "reply", "with": "450 4.2.1 busy", "times": 3}]
    server = SmtpServer(Path("log"), faults)
    ...                     # server.url is a `mail_url`
    logged(Path("log"))     # the Message-IDs it has accepted, in order
    server.stop()

Or as a process of its own, which prints its port, then serves until it is killed:

    python -m reviewinvite_core.testing.smtp_server --log FILE [--port 0] [--faults JSON] [--extension LINE]...

It says 250 to the dot only when a line `MESSAGE-ID RECIPIENT` is written to its log and synced. So the log is exact
even if the server is killed. A message ends with CRLF.CRLF exactly.

A fault is `{"at": PHASE, "do": ACTION, ...}`; a script is a list of them, of which the first that fits takes effect.

PHASE: `connect` (accepted, nothing said), `greeting`, `ehlo`, `helo`, `starttls`, `auth`, `mail`, `rcpt`, `data`,
`body` (some of the content has come), `dot` (all has come, nothing is logged), `logged` (logged, not answered), `rset`,
`quit`.

ACTION:
    reply    answer `with` this line instead (several with CRLF between them); the command has no effect; 421 hangs up
    add      answer as usual, and in the same breath say `with` this line too, unasked
    garbage  send `with` as it is, without a line end of ours, then hang up
    drop     hang up (FIN)
    reset    hang up (RST)
    late     go on as usual after `seconds`
    drip     answer as usual, a byte every `seconds`
    stall    say nothing for `seconds`, or until the server stops if there are none, then hang up
    gone     wait until the client has hung up, then go on as usual, for nobody

How often: always; or the first `times` times; not before it has been passed over `after` times; or with a `chance`
(0 to 1) and a `seed`. A time is a session's coming to the phase, counted over all sessions together; with `used`, only
of sessions that have carried a message.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import attrs

Script: TypeAlias = Sequence[Mapping[str, object]]
"""Faults as they are written, each a mapping."""

UNANSWERED = ("connect", "body", "dot")
PHASES = (*UNANSWERED, "greeting", "ehlo", "helo", "starttls", "auth", "mail", "rcpt", "data", "logged", "rset", "quit")
TO_ANSWERS = ("add", "drip")
ACTIONS = (*TO_ANSWERS, "reply", "garbage", "drop", "reset", "late", "stall", "gone")


@attrs.define(kw_only=True)
class Fault:
    """What goes wrong at a phase, and how often."""

    at: str = attrs.field(validator=attrs.validators.in_(PHASES))
    do: str = attrs.field(validator=attrs.validators.in_(ACTIONS))
    text: str = ""
    seconds: float = 0.0
    times: int | None = None
    after: int = 0
    chance: float = 1.0
    seed: int = 0
    used: bool = False
    _dice: random.Random = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        if self.at in UNANSWERED and self.do in TO_ANSWERS:
            raise ValueError("this phase has no answer")
        self._dice = random.Random(self.seed)  # noqa: S311 - it decides about a test

    @classmethod
    def parse(cls, described: Mapping[str, Any]) -> Fault:
        return cls(**{"text" if name == "with" else name: value for name, value in described.items()})

    def strikes(self) -> bool:
        """Return whether it takes effect this time."""
        if self.after:
            self.after -= 1
            return False
        if self.times == 0 or self._dice.random() >= self.chance:
            return False
        if self.times is not None:
            self.times -= 1
        return True


class SessionEnded(Exception):
    """The session is over."""


class SmtpSession:
    """One connection; a subclass may know more verbs."""

    def __init__(self, server: SmtpServer, client: socket.socket) -> None:
        self._server, self._client, self._received = server, client, bytearray()
        self._client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._is_reset = self._used = False
        self._sender: str | None = None
        self._recipient: str | None = None

    def serve(self) -> None:
        self._refused("connect")
        self.greet()
        while True:
            self.obey(self._line())

    def greet(self) -> None:
        if not self._answer("greeting", "220 mail.example.com ESMTP"):
            raise SessionEnded

    def obey(self, line: str) -> None:
        """Do what a command says."""
        self.verbs().get(line[:8].partition(" ")[0].upper(), self._unknown)(line)

    def verbs(self) -> dict[str, Callable[[str], object]]:
        """Return what is done with a line that begins with a verb."""
        return {
            "EHLO": self._ehlo,
            "HELO": lambda _: self._answer("helo", "250 mail.example.com"),
            "MAIL": self._mail,
            "RCPT": self._rcpt,
            "DATA": self._data,
            "RSET": self._rset,
            "QUIT": self._quit,
        }

    def extensions(self) -> Sequence[str]:
        """Return the lines that EHLO is answered with, after the name."""
        return self._server.extensions

    def _ehlo(self, _: str) -> None:
        lines = ["mail.example.com", *self.extensions()]
        self._answer("ehlo", "".join(f"250-{line}\r\n" for line in lines[:-1]) + f"250 {lines[-1]}")

    def _mail(self, line: str) -> None:
        if self._sender is not None:
            self._send("503 5.5.1 a transaction is open")
        elif self._answer("mail", "250 2.1.0 OK"):
            self._sender = line.partition("<")[2].partition(">")[0]

    def _rcpt(self, line: str) -> None:
        if self._sender is None:
            self._send("503 5.5.1 MAIL first")
        elif self._answer("rcpt", "250 2.1.5 OK"):
            self._recipient = line.partition("<")[2].partition(">")[0]

    def _data(self, _: str) -> None:
        if self._recipient is None:
            self._send("503 5.5.1 RCPT first")
            return
        if not self._answer("data", "354 go ahead"):
            return
        content = self._content()
        recipient, self._sender, self._recipient = self._recipient, None, None
        if self._refused("dot"):
            return
        self._server.accept(recipient, content)
        self._used = True
        self._answer("logged", "250 2.0.0 taken")

    def _rset(self, _: str) -> None:
        if self._answer("rset", "250 2.0.0 OK"):
            self._sender = self._recipient = None

    def _quit(self, _: str) -> None:
        self._answer("quit", "221 2.0.0 bye")
        raise SessionEnded

    def _unknown(self, _: str) -> None:
        self._send("502 5.5.2 unknown")

    def _content(self) -> bytes:
        """Return all up to CRLF.CRLF, without the dots that were added on the way."""
        self._more()
        self._refused("body")
        searched = 0
        while not self._received.startswith(b".\r\n") and (end := self._received.find(b"\r\n.\r\n", searched)) < 0:
            searched = max(0, len(self._received) - 4)
            self._more(at_least=1)
        if self._received.startswith(b".\r\n"):
            content, taken = b"", 3
        else:
            content, taken = bytes(self._received[: end + 2]), end + 5
        del self._received[:taken]
        return (content[1:] if content.startswith(b".") else content).replace(b"\r\n.", b"\r\n")

    # --- faults

    def _answer(self, phase: str, usual: str) -> bool:
        """Answer as usual, or as the script has it; return whether it was the usual."""
        fault = self._server.fault(phase, used=self._used)
        if fault and self._strike(fault):
            return False
        if fault and fault.do == "add":
            usual = f"{usual}\r\n{fault.text}"
        self._send(usual, drip=fault.seconds if fault and fault.do == "drip" else 0.0)
        return True

    def _refused(self, phase: str) -> bool:
        """Do what the fault of a phase without an answer says, if any; return whether the phase is over with it."""
        fault = self._server.fault(phase, used=self._used)
        return fault is not None and self._strike(fault)

    def _strike(self, fault: Fault) -> bool:
        match fault.do:
            case "reply":
                self._send(fault.text)
                if fault.text.startswith("421"):
                    raise SessionEnded
                return True
            case "garbage":
                self._client.sendall(fault.text.encode("latin-1"))
                raise SessionEnded
            case "drop":
                raise SessionEnded
            case "reset":
                self.shut(reset=True)
                raise SessionEnded
            case "stall":
                self._server.stopping.wait(fault.seconds or None)
                raise SessionEnded
            case "late":
                self._server.stopping.wait(fault.seconds)
            case "gone":
                with suppress(OSError):
                    while self._client.recv(65536):
                        pass
        return False

    # --- bytes

    def _send(self, text: str, *, drip: float = 0.0) -> None:
        data = text.encode() + b"\r\n"
        if not drip:
            self._client.sendall(data)
        for byte in data if drip else b"":
            self._client.sendall(bytes([byte]))
            if self._server.stopping.wait(drip):
                raise SessionEnded

    def _line(self) -> str:
        while (end := self._received.find(b"\r\n")) < 0:
            self._more(at_least=1)
        line = self._received[:end].decode("latin-1")
        del self._received[: end + 2]
        return line

    def _more(self, at_least: int = 0) -> None:
        """Receive more; with nothing wanted, only where nothing is there."""
        if at_least or not self._received:
            received = self._client.recv(65536)
            if not received:
                raise SessionEnded
            self._received += received

    def shut(self, *, reset: bool = False) -> None:
        """End the connection, or only this end of it, so that closing it resets it."""
        with suppress(OSError):
            if reset:
                self._is_reset = True
                self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            how = socket.SHUT_RD if self._is_reset else socket.SHUT_RDWR
            socket.socket.shutdown(self._client, how)  # TLS's own takes it away from who is reading

    def close(self) -> None:
        self._client.close()


class SmtpServer:
    """Serves from its construction until `stop`."""

    session: type[SmtpSession] = SmtpSession

    def __init__(self, log: Path, faults: Script = (), *, port: int = 0, extensions: Sequence[str] = ()) -> None:
        self.log, self.extensions = log, extensions
        self.sessions = 0
        self.stopping = threading.Event()
        self._faults = [Fault.parse(fault) for fault in faults]
        self._lock = threading.Lock()
        self._log = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        self._open: set[SmtpSession] = set()
        self._threads: list[threading.Thread] = []
        self._listening = socket.create_server(("127.0.0.1", port), backlog=128)
        self.address: tuple[str, int] = self._listening.getsockname()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def url(self) -> str:
        return f"smtp://{self.address[0]}:{self.address[1]}"

    def logged(self) -> list[str]:
        return logged(self.log)

    @property
    def connected(self) -> int:
        """The number of sessions that there are now."""
        with self._lock:
            return len(self._open)

    def fault(self, phase: str, *, used: bool = False) -> Fault | None:
        """Return the fault that strikes now, if any, in a session that has carried a message or has not."""
        with self._lock:
            here = (fault for fault in self._faults if fault.at == phase and (used or not fault.used))
            return next((fault for fault in here if fault.strikes()), None)

    def then(self, *faults: Mapping[str, object]) -> None:
        """Follow this script from now on."""
        with self._lock:
            self._faults = [Fault.parse(fault) for fault in faults]

    def accept(self, recipient: str, content: bytes) -> None:
        """Write down that the message is ours, so that it outlives us."""
        os.write(self._log, _message_id(content) + b" " + recipient.encode("latin-1") + b"\n")
        os.fsync(self._log)

    def hang_up(self, *, reset: bool = False) -> None:
        """Hang up on everybody who is connected; new sessions are welcome."""
        with self._lock:
            sessions = list(self._open)
        for session in sessions:
            session.shut(reset=reset)

    def stop(self) -> None:
        """Stop; all threads have ended when it returns, also the second time."""
        if self.stopping.is_set():
            return
        self.stopping.set()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._accepting.join()
        self.hang_up()
        for thread in self._threads:
            thread.join()
        os.close(self._log)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self.sessions += 1
                session = self.session(self, client)
                with self._lock:
                    self._open.add(session)
                thread = threading.Thread(target=self._serve, args=(session,), daemon=True)
                self._threads = [each for each in self._threads if each.is_alive()] + [thread]
                thread.start()

    def _serve(self, session: SmtpSession) -> None:
        try:
            with suppress(SessionEnded, OSError):
                session.serve()
        finally:
            session.shut()
            session.close()
            with self._lock:
                self._open.discard(session)


def _message_id(content: bytes) -> bytes:
    for line in content.partition(b"\r\n\r\n")[0].split(b"\r\n"):
        if line[:11].lower() == b"message-id:":
            return line[11:].strip()
    return b"<none>"


def logged(log: Path) -> list[str]:
    """Return the Message-IDs in a server's log, in the order of their acceptance."""
    return [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--faults", type=json.loads, default=[])
    parser.add_argument("--extension", dest="extensions", action="append", default=[])
    server = SmtpServer(**vars(parser.parse_args()))
    print(server.address[1], flush=True)
    select.select([], [], [])


if __name__ == "__main__":
    main()

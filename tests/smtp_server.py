"""A small SMTP server that keeps a durable log and fails by a script.

In a test:

    faults = [{"at": "rcpt", "do": "reply", "with": "450 4.2.1 busy", "times": 3}]
    with smtp_server(tmp_path / "log", faults) as server:
        ...                 # server.url is a MAIL_URL, server.address a (host, port)
        server.logged()     # the Message-IDs it has accepted, in order; those of earlier runs with this file too
        server.messages     # the accepted messages, dots unstuffed, and server.recipients (not with keep=False)
        server.commands     # every command line of all sessions (not with keep=False)
        server.sessions     # how many connections there were; connected is how many there are
        server.then(...)    # from now on these faults
        server.tokens       # the access tokens with which `login`, then a user alone, may log in by XOAUTH2
        server.responses    # what was answered to the challenges of XOAUTH2
        server.hang_up()    # on all who are connected; with a RST in place of a FIN if reset=True

Or as a process of its own, which prints its port, then serves until it is killed; in a test `smtp_server_apart(...)`:

    python -m tests.smtp_server --log FILE [--port 0] [--faults JSON] [--size BYTES] [--pipelining]
        [--certificate PEM --starttls | --certificate PEM --implicit-tls] [--login USER:PASSWORD] [--extension LINE]...

It says 250 to the dot only when the Message-ID is written and synced. A message ends with CRLF.CRLF exactly.

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
    stall    say nothing any more, until the server stops
    gone     wait until the client has hung up, then go on as usual, for nobody

How often: always; or the first `times` times; not before it has been passed over `after` times; or with a `chance`
(0 to 1) and a `seed`. A time is a session's coming to the phase, counted over all sessions together; with `used`, only
of sessions that have carried a message.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import select
import socket
import ssl
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
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
        assert not (self.at in UNANSWERED and self.do in TO_ANSWERS), "this phase has no answer"
        self._dice = random.Random(self.seed)  # noqa: S311 - it decides about a test

    @classmethod
    def parse(cls, described: Mapping[str, Any]) -> Fault:
        return cls(**{"text" if name == "with" else name: value for name, value in described.items()})

    def strikes(self) -> bool:
        """Whether it takes effect this time."""
        if self.after:
            self.after -= 1
            return False
        if self.times == 0 or self._dice.random() >= self.chance:
            return False
        if self.times is not None:
            self.times -= 1
        return True


@attrs.frozen(kw_only=True)
class Capabilities:
    """What the server supports and requires."""

    size: int | None = None
    pipelining: bool = False
    certificate: Path | None = None
    starttls: bool = False
    implicit_tls: bool = False
    login: str | None = None  # user:password; then it is asked for before MAIL
    mechanisms: str = "PLAIN LOGIN"
    asks_always: bool = False  # for the response, even if it came with the command
    explains: bool = False  # a refused token in a challenge, before the refusal
    extensions: Sequence[str] = ()


class SessionEnded(Exception):
    """The session is over."""


class SmtpTestServer:
    """Serves from its construction until `stop`."""

    def __init__(
        self, log: Path, faults: Script = (), *, capabilities: Capabilities, keep: bool = True, port: int = 0
    ) -> None:
        self.capabilities, self.keep, self.log = capabilities, keep, log
        self.messages: list[bytes] = []
        self.recipients: list[str] = []
        self.commands: list[str] = []
        self.tokens: set[str] = set()
        self.responses: list[str] = []
        self.sessions = 0
        self.stopping = threading.Event()
        self._faults = [Fault.parse(fault) for fault in faults]
        self._lock = threading.Lock()
        self._log = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        self._open: set[_Session] = set()
        self._threads: list[threading.Thread] = []
        self.tls: ssl.SSLContext | None = None
        if capabilities.certificate:
            self.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self.tls.load_cert_chain(capabilities.certificate)
        self._listening = socket.create_server(("127.0.0.1", port), backlog=128)
        self.address: tuple[str, int] = self._listening.getsockname()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def url(self) -> str:
        scheme = "smtps" if self.capabilities.implicit_tls else "smtp"
        login = f"{self.capabilities.login}@" if self.capabilities.login else ""
        option = "?starttls=required" if self.capabilities.starttls else ""
        return f"{scheme}://{login}{self.address[0]}:{self.address[1]}{option}"

    def logged(self) -> list[str]:
        return logged(self.log)

    @property
    def connected(self) -> int:
        """How many sessions there are now."""
        with self._lock:
            return len(self._open)

    def fault(self, phase: str, *, used: bool = False) -> Fault | None:
        """The fault that strikes now, if any, in a session that has carried a message or has not."""
        with self._lock:
            here = (fault for fault in self._faults if fault.at == phase and (used or not fault.used))
            return next((fault for fault in here if fault.strikes()), None)

    def then(self, *faults: Mapping[str, object]) -> None:
        """From now on this script."""
        with self._lock:
            self._faults = [Fault.parse(fault) for fault in faults]

    def accept(self, recipient: str, content: bytes) -> None:
        """Write down that the message is ours, so that it outlives us."""
        os.write(self._log, _message_id(content) + b"\n")
        os.fsync(self._log)
        if self.keep:
            with self._lock:
                self.messages.append(content)
                self.recipients.append(recipient)

    def hang_up(self, *, reset: bool = False) -> None:
        """On everybody who is connected; new sessions are welcome."""
        with self._lock:
            sessions = list(self._open)
        for session in sessions:
            session.shut(reset=reset)

    def stop(self) -> None:
        """Idempotent; all threads have ended when it returns."""
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
                session = _Session(self, client)
                with self._lock:
                    self._open.add(session)
                thread = threading.Thread(target=self._serve, args=(session,), daemon=True)
                self._threads = [each for each in self._threads if each.is_alive()] + [thread]
                thread.start()

    def _serve(self, session: _Session) -> None:
        try:
            with suppress(SessionEnded, OSError):
                session.serve()
        finally:
            session.shut()
            session.close()
            with self._lock:
                self._open.discard(session)


class _Session:
    def __init__(self, server: SmtpTestServer, client: socket.socket) -> None:
        self._server, self._client, self._received = server, client, bytearray()
        self._client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._secure, self._known = False, server.capabilities.login is None
        self._is_reset = self._used = False
        self._sender: str | None = None
        self._recipient: str | None = None

    def serve(self) -> None:
        self._pass("connect")
        if self._server.capabilities.implicit_tls:
            self._encrypt()
        if not self._answer("greeting", "220 mail.example.com ESMTP"):
            raise SessionEnded
        verbs: dict[str, Callable[[str], object]] = {
            "EHLO": self._ehlo,
            "HELO": lambda _: self._answer("helo", "250 mail.example.com"),
            "STARTTLS": self._starttls,
            "AUTH": self._auth,
            "MAIL": self._mail,
            "RCPT": self._rcpt,
            "DATA": self._data,
            "RSET": self._rset,
        }

        def unknown(_: str) -> None:
            self._send("502 5.5.2 unknown")

        while True:
            line = self._line()
            verb = line[:8].partition(" ")[0].upper()
            if self._server.keep:
                self._server.commands.append(line)
            if verb == "QUIT":
                self._answer("quit", "221 2.0.0 bye")
                raise SessionEnded
            verbs.get(verb, unknown)(line)

    def _ehlo(self, _: str) -> None:
        capabilities, lines = self._server.capabilities, ["mail.example.com"]
        if capabilities.size is not None:
            lines.append(f"SIZE {capabilities.size}")
        if capabilities.pipelining:
            lines.append("PIPELINING")
        if capabilities.starttls and not self._secure:
            lines.append("STARTTLS")
        if capabilities.login and (self._secure or self._server.tls is None):
            lines.append(f"AUTH {capabilities.mechanisms}")
        lines.extend(capabilities.extensions)
        self._answer("ehlo", "".join(f"250-{line}\r\n" for line in lines[:-1]) + f"250 {lines[-1]}")

    def _starttls(self, _: str) -> None:
        if not self._server.capabilities.starttls:
            self._send("502 5.5.1 not offered")
        elif self._answer("starttls", "220 2.0.0 go ahead"):
            self._received.clear()
            self._encrypt()

    def _encrypt(self) -> None:
        assert self._server.tls is not None
        self._client = self._server.tls.wrap_socket(self._client, server_side=True, do_handshake_on_connect=False)
        self._client.do_handshake()
        self._secure = True

    def _auth(self, line: str) -> None:
        _, mechanism, *initial = line.split(" ")
        if mechanism.upper() == "XOAUTH2":
            good = self._has_token(initial)
            self._known = self._answer("auth", "235 2.7.0 welcome" if good else "535 5.7.8 no") and good
            return
        if mechanism.upper() == "PLAIN":
            given = base64.b64decode(initial[0]).split(b"\0")[1:]
        else:
            given = []
            for question in ("334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6"):
                self._send(question)
                given.append(base64.b64decode(self._line()))
        good = b":".join(given).decode() == self._server.capabilities.login
        self._known = self._answer("auth", "235 2.7.0 welcome" if good else "535 5.7.8 no") and good

    def _has_token(self, initial: Sequence[str]) -> bool:
        capabilities = self._server.capabilities
        response = self._response("") if capabilities.asks_always or not initial else initial[0]
        given = base64.b64decode(response).decode()
        good = any(f"user={capabilities.login}\1auth=Bearer {token}\1\1" == given for token in self._server.tokens)
        if capabilities.explains and not good:
            self._response(base64.b64encode(b'{"status":"401"}').decode())
        return good

    def _response(self, challenge: str) -> str:
        self._send(f"334 {challenge}")
        self._server.responses.append(self._line())
        return self._server.responses[-1]

    def _mail(self, line: str) -> None:
        size = line.upper().partition(" SIZE=")[2].partition(" ")[0]
        if not self._known:
            self._send("530 5.7.0 who are you?")
        elif self._sender is not None:
            self._send("503 5.5.1 a transaction is open")
        elif self._server.capabilities.size and size and int(size) > self._server.capabilities.size:
            self._send("552 5.3.4 too large")
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
        if self._refused(self._server.fault("dot", used=self._used)):
            return
        self._server.accept(recipient, content)
        self._used = True
        self._answer("logged", "250 2.0.0 taken")

    def _rset(self, _: str) -> None:
        if self._answer("rset", "250 2.0.0 OK"):
            self._sender = self._recipient = None

    def _content(self) -> bytes:
        """All up to CRLF.CRLF, without the dots that were added on the way."""
        self._more()
        self._pass("body")
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
        """Answer as usual, or as the script has it; whether it was the usual."""
        fault = self._server.fault(phase, used=self._used)
        if self._refused(fault):
            return False
        if fault and fault.do == "add":
            usual = f"{usual}\r\n{fault.text}"
        self._send(usual, drip=fault.seconds if fault and fault.do == "drip" else 0.0)
        return True

    def _pass(self, phase: str) -> None:
        """Go through a phase that has no answer."""
        self._refused(self._server.fault(phase, used=self._used))

    def _refused(self, fault: Fault | None) -> bool:
        """Do what the fault says, if any; return whether the phase is over with it."""
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
                self._server.stopping.wait()
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


def _message_id(content: bytes) -> bytes:
    for line in content.partition(b"\r\n\r\n")[0].split(b"\r\n"):
        if line[:11].lower() == b"message-id:":
            return line[11:].strip()
    return b"<none>"


def logged(log: Path) -> list[str]:
    """The Message-IDs in a server's log, in the order of their acceptance."""
    return log.read_text().split() if log.exists() else []


@contextmanager
def smtp_server(
    log: Path, faults: Script = (), *, keep: bool = True, port: int = 0, **capabilities: Any
) -> Iterator[SmtpTestServer]:
    """A server in threads of this process; `capabilities` are the fields of `Capabilities`."""
    server = SmtpTestServer(log, faults, capabilities=Capabilities(**capabilities), keep=keep, port=port)
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def smtp_server_apart(log: Path, faults: Script = (), *options: str) -> Iterator[str]:
    """A server as a process of its own; its MAIL_URL. `options` are those of the command line."""
    command = [sys.executable, "-m", "tests.smtp_server", "--log", str(log), "--faults", json.dumps(faults), *options]
    root = Path(__file__).parent.parent
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            assert process.stdout is not None
            yield f"smtp://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.smtp_server")
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--faults", type=json.loads, default=[])
    parser.add_argument("--size", type=int)
    parser.add_argument("--pipelining", action="store_true")
    parser.add_argument("--certificate", type=Path)
    parser.add_argument("--starttls", action="store_true")
    parser.add_argument("--implicit-tls", action="store_true")
    parser.add_argument("--login")
    parser.add_argument("--extension", dest="extensions", action="append", default=[])
    given = vars(parser.parse_args(arguments))
    log, faults, port = given.pop("log"), given.pop("faults"), given.pop("port")
    with smtp_server(log, faults, keep=False, port=port, **given) as server:
        print(server.address[1], flush=True)
        select.select([], [], [])


if __name__ == "__main__":
    main()

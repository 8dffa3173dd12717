"""The mail server of `reviewinvite_core.testing`, with TLS, logins and limits, which keeps what was said.

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

Faults may also come at `starttls` and `auth`. As a process of its own, without TLS: `smtp_server_apart(...)`.
"""

from __future__ import annotations

import base64
import json
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from reviewinvite_core.testing.smtp_server import Script, SmtpServer, SmtpSession


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


class _Session(SmtpSession):
    _server: SmtpTestServer

    def __init__(self, server: SmtpTestServer, client: socket.socket) -> None:
        super().__init__(server, client)
        self._secure, self._known = False, server.capabilities.login is None

    def greet(self) -> None:
        if self._server.capabilities.implicit_tls:
            self._encrypt()
        super().greet()

    def verbs(self) -> dict[str, Callable[[str], object]]:
        return {**super().verbs(), "STARTTLS": self._starttls, "AUTH": self._auth}

    def extensions(self) -> Sequence[str]:
        capabilities, lines = self._server.capabilities, []
        if capabilities.size is not None:
            lines.append(f"SIZE {capabilities.size}")
        if capabilities.pipelining:
            lines.append("PIPELINING")
        if capabilities.starttls and not self._secure:
            lines.append("STARTTLS")
        if capabilities.login and (self._secure or self._server.tls is None):
            lines.append(f"AUTH {capabilities.mechanisms}")
        return [*lines, *capabilities.extensions]

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
        size, most = line.upper().partition(" SIZE=")[2].partition(" ")[0], self._server.capabilities.size
        if not self._known:
            self._send("530 5.7.0 who are you?")
        elif self._sender is None and most and size and int(size) > most:
            self._send("552 5.3.4 too large")
        else:
            super()._mail(line)

    def obey(self, line: str) -> None:
        if self._server.keep:
            self._server.commands.append(line)
        super().obey(line)


class SmtpTestServer(SmtpServer):
    """The server, with what it has heard."""

    session = _Session

    def __init__(
        self, log: Path, faults: Script = (), *, capabilities: Capabilities, keep: bool = True, port: int = 0
    ) -> None:
        self.capabilities, self.keep = capabilities, keep
        self.messages: list[bytes] = []
        self.recipients: list[str] = []
        self.commands: list[str] = []
        self.tokens: set[str] = set()
        self.responses: list[str] = []
        self.tls: ssl.SSLContext | None = None
        if capabilities.certificate:
            self.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self.tls.load_cert_chain(capabilities.certificate)
        super().__init__(log, faults, port=port)

    @property
    def url(self) -> str:
        scheme = "smtps" if self.capabilities.implicit_tls else "smtp"
        login = f"{self.capabilities.login}@" if self.capabilities.login else ""
        option = "?starttls=required" if self.capabilities.starttls else ""
        return f"{scheme}://{login}{self.address[0]}:{self.address[1]}{option}"

    def accept(self, recipient: str, content: bytes) -> None:
        super().accept(recipient, content)
        if self.keep:
            with self._lock:
                self.messages.append(content)
                self.recipients.append(recipient)


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
    command = [
        sys.executable,
        "-m",
        "reviewinvite_core.testing.smtp_server",
        "--log",
        str(log),
        "--faults",
        json.dumps(faults),
        *options,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"smtp://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()

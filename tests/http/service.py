"""A client that sends exactly the given bytes, and servers in this process and in others."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import attrs
from tests import postgres
from tests.cli.command import Installation
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import OPERATOR, Application, InvitationQuery, Settings, accepted, build
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.limits import MINUTE
from reviewinvite_core.testing.builders import ManualClock, a_shop
from reviewinvite_core.values import Domain, InvitationRecord, NewKey

T = TypeVar("T")

SITE = "bakkerij-1"
OWN_HOST = "shop.nl"
OWN_PAGE = f"https://{OWN_HOST}"
SECRET = "a secret that all machines share"


class Answer(NamedTuple):
    """What came back, whole."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        decoded: dict[str, Any] = json.loads(self.body)
        return decoded

    @property
    def code(self) -> str:
        return str(self.json["code"])


def an_order(email: str = "anna@example.com", **fields: object) -> bytes:
    """A report as a shop would send it."""
    return json.dumps({"email": email, **fields}).encode()


def connect(address: str, seconds: float = TIMEOUT_SECONDS) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(address).netloc, timeout=seconds)


def send_request(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes | Iterator[bytes] | None = None,
    /,
    **headers: str,
) -> Answer:
    """Send one request over this connection; `content_type="text/plain"` is a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, named, encode_chunked=body is not None and not isinstance(body, bytes))
    response = connection.getresponse()
    return Answer(response.status, response.headers, response.read())


def http_request(
    address: str, method: str, path: str, body: bytes | Iterator[bytes] | None = None, /, **headers: str
) -> Answer:
    """Send one request over a connection of its own."""
    connection = connect(address)
    try:
        return send_request(connection, method, path, body, **headers)
    finally:
        connection.close()


def report(
    to: str | http.client.HTTPConnection, key: str, body: bytes | Iterator[bytes] | None = None, /, **headers: str
) -> Answer:
    """`POST /v1/orders` with a key."""
    headers = {"Authorization": f"Bearer {key}", "Content_Type": "application/json", **headers}
    body = an_order() if body is None else body
    if isinstance(to, str):
        return http_request(to, "POST", "/v1/orders", body, **headers)
    return send_request(to, "POST", "/v1/orders", body, **headers)


def report_to_one_of(addresses: Sequence[str], key: str, body: bytes, number: int) -> Answer:
    """Report an order to one of several servers: caller `number` takes the next in turn."""
    return report(addresses[number % len(addresses)], key, body)


def a_snippet(email: str = "anna@example.com", *, site: str = SITE, **fields: object) -> bytes:
    """A report as a customer's browser would send it."""
    return json.dumps({"siteId": site, "email": email, **fields}).encode()


def report_from_snippet(
    to: str | http.client.HTTPConnection, body: bytes | None = None, **headers: str | None
) -> Answer:
    """`POST /v1/orders/snippet` as a page of the shop's own host does it; headers with value None are left out."""
    given = {"Origin": OWN_PAGE, "Content_Type": "application/json", **headers}
    present = {name: value for name, value in given.items() if value is not None}
    body = a_snippet() if body is None else body
    if isinstance(to, str):
        return http_request(to, "POST", "/v1/orders/snippet", body, **present)
    return send_request(to, "POST", "/v1/orders/snippet", body, **present)


def verify_host(app: Application, host: str, site: str = SITE) -> None:
    """Add a host to the shop as verified by an operator."""
    assert isinstance(app.domains.add(site, host, assume_verified=True), Domain)


def request_bytes(key: str, body: bytes, *lines: str, length: int | None = None) -> bytes:
    """A `POST /v1/orders` byte for byte, with more header lines."""
    fields = [
        "POST /v1/orders HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {key}",
        "Content-Type: application/json",
        f"Content-Length: {len(body) if length is None else length}",
        *lines,
    ]
    return "\r\n".join([*fields, "", ""]).encode() + body


@contextmanager
def open_socket(address: str, seconds: float = TIMEOUT_SECONDS) -> Iterator[socket.socket]:
    """Open a bare TCP connection to the server."""
    url = urlsplit(address)
    with socket.create_connection((url.hostname, url.port), timeout=seconds) as connection:
        yield connection


def read_until_closed(connection: socket.socket) -> bytes:
    """Return everything received until the other side closes the connection."""
    received = b""
    while piece := connection.recv(65536):
        received += piece
    return received


def read_response(connection: socket.socket) -> Answer:
    """Return one answer from a bare connection that stays open."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    return Answer(response.status, response.headers, response.read())


def wait_until_read(address: str) -> None:
    """Wait until the server has read everything sent to it before."""
    for _ in range(2):  # its event loop has then gone round
        assert http_request(address, "GET", "/healthz").status == 200


def busiest_minute(instants: Iterable[datetime]) -> int:
    """Return the largest number of these instants within any span of 60 seconds."""
    ordered = sorted(instants)
    return max(bisect_left(ordered, first + MINUTE) - place for place, first in enumerate(ordered))


@attrs.frozen(kw_only=True)
class Service:
    """A server in this process, and the application behind it."""

    address: str
    app: Application
    clock: ManualClock

    def a_key(self, site: str = SITE) -> str:
        """A new key, with a limit of its own."""
        return self.new_key(site).secret.text

    def new_key(self, site: str = SITE) -> NewKey:
        return accepted(self.app.api_keys.create(site, "tests"))


def state_of(service: Service, invite_id: str) -> State:
    """Return the state of an invitation."""
    return accepted(service.app.invitations.show(OPERATOR, invite_id)).invitation.state


def counted(app: Application, site: str) -> int:
    """Return how many views of the shop's badge and trust mark are counted today."""
    return accepted(app.badges.show_views(site)).counted


class Deployment:
    """A database with one shop and a key, and real `serve` processes on it; `stop` ends them all.

    The database is a file in the folder, unless `database_url` names another.
    """

    def __init__(self, folder: Path, database_url: str | None = None, **settings: object) -> None:
        self.folder = folder
        self.database = folder / "reviewinvite.db"
        self.outbox = folder / "outbox"
        self.settings = Settings(
            database_url=database_url or f"sqlite:///{self.database}",
            mail_url=f"outbox:{self.outbox}",
            secret=SECRET if database_url else None,
        )
        if database_url:
            settings = {"database_url": database_url, "secret": SECRET, **settings}
        with self.library() as app:
            app.shops.add(a_shop(SITE))
            self.key = accepted(app.api_keys.create(SITE, "tests")).secret.text
        self.command = Installation(folder, **{f"REVIEWINVITE_{name.upper()}": str(v) for name, v in settings.items()})
        self.processes: list[Process] = []

    @contextmanager
    def library(self) -> Iterator[Application]:
        """The same database, as embedding code sees it."""
        app = build(self.settings)
        try:
            yield app
        finally:
            app.close()

    def serve(self, *options: str, program: Sequence[str] = ("-m", "reviewinvite_cli")) -> Process:
        """One more process, listening on a port of its own."""
        process = self.run(*program, "serve", "--port", "0", *options)
        process.wait_for_address()
        return process

    def run(self, *arguments: str) -> Process:
        """Start Python with these arguments, and return at once; standard output and standard error are its log."""
        log = self.folder / f"process-{len(self.processes)}.log"
        with log.open("wb") as file:
            started = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.folder,
                env=self.command.environment(),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )
        process = Process(started, log)
        self.processes.append(process)
        return process

    def take_database_away(self) -> None:
        """Make the database unreachable from now on."""
        if self.settings.secret:
            postgres.refuse_connections(self.settings.database_url)
        else:
            self.database.rename(self.folder / "away.db")

    def stop(self) -> None:
        for process in self.processes:
            process.kill()

    def problems(self) -> str:
        """Return what `reviewinvite db check` finds wrong, or an empty string."""
        ended = self.command.run("db", "check")
        return "" if ended.code == 0 else ended.out + ended.err

    def records(self) -> Sequence[InvitationRecord]:
        """Return all invitations."""
        with self.library() as app:
            return accepted(app.invitations.list(OPERATOR, InvitationQuery(limit=1_000_000))).invitations


class Process:
    """One running `serve`, or another command."""

    def __init__(self, popen: subprocess.Popen[bytes], log: Path) -> None:
        self.popen = popen
        self._log = log
        self.address = ""

    @property
    def log(self) -> str:
        """All that it has written so far, on standard output and standard error."""
        return self._log.read_text()

    def wait_for_address(self) -> None:
        def found() -> bool:
            assert self.popen.poll() is None, self.log
            listening = re.search(r'"address": ?"(http://[^/"]+)"', self.log)
            self.address = listening[1] if listening else ""
            return bool(listening)

        wait_until(found)

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait(TIMEOUT_SECONDS)

    def terminate(self, seconds: float = TIMEOUT_SECONDS) -> int:
        """Send SIGTERM, as a supervisor does, and return the exit code."""
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(seconds)


def is_root() -> bool:
    return os.geteuid() == 0


def pause_briefly() -> None:
    """Long enough for the other side to read what was sent as a piece of its own."""
    time.sleep(0.05)

"""The programs of the how-to guides for shops do what the pages say: each is run as it is printed there."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.tools import require, unavailable

from reviewinvite_core import OPERATOR, Application, InvitationQuery, Settings, accepted, build
from reviewinvite_core.domain.embedding import SnippetEmbed
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import InvitationRecord
from reviewinvite_http import server

GUIDES = Path(__file__).parents[2] / "docs" / "how-to"
FROM_A_SERVER = (GUIDES / "report-orders-from-a-server.md").read_text(encoding="utf-8")
FROM_A_PAGE = (GUIDES / "report-orders-from-a-page.md").read_text(encoding="utf-8")
SITE = "bakkerij-1"
SECONDS = 120
EMAIL, NUMBER = "anna@example.com", "1001"
NO_RESPONSE, TRUNCATED_RESPONSE = -1, -2  # faults that are no status


class Program:
    """A program of a page: the tool that runs it, its heading, and its file."""

    def __init__(self, tool: str, heading: str, language: str, suffix: str, page: str = FROM_A_SERVER) -> None:
        self.tool = tool
        self.suffix = suffix
        part = re.split(rf"^##+ {re.escape(heading)}$", page, flags=re.MULTILINE)[1].partition("\n##")[0]
        (self.text,) = re.findall(rf"^```{language}\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)

    def command(self, folder: Path, interpreter: str) -> list[str]:
        """Write it to a file, and return the command that runs it for the example's order."""
        found = interpreter if self.tool == "python" else require(self.tool, "its example needs it")
        if self.tool == "php" and b"curl" not in subprocess.check_output([found, "-m"]):
            unavailable("php", "it has no curl: `apt-get install php-curl`")
        file = folder / f"report{self.suffix}"
        file.write_text(self.text, encoding="utf-8")
        return ["sh", str(file)] if self.tool == "curl" else [found, str(file), EMAIL, NUMBER]


PROGRAMS = {
    "curl": Program("curl", "curl", "sh", ".sh"),
    "Python": Program("python", "Python", "python", ".py"),
    "PHP": Program("php", "PHP", "php", ".php"),
    "Node.js": Program("node", "Node.js", "js", ".js"),
}


RunProgram = Callable[[Program, str], subprocess.CompletedProcess[str]]


class FaultyProxy(ThreadingHTTPServer):
    """A proxy that answers the first requests with `faults` and forwards the rest; it counts all of them."""

    daemon_threads = True

    def __init__(self, service: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.service = urlsplit(service).netloc
        self.faults: list[int] = []
        self.requests = 0

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore it: some connections are broken on purpose."""


class Handler(BaseHTTPRequestHandler):
    server: FaultyProxy

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests += 1
        fault = self.server.faults.pop(0) if self.server.faults else 0
        if fault == NO_RESPONSE:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if fault == TRUNCATED_RESPONSE:
            self.wfile.write(b'HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{"inviteId": "')
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if fault:
            self._reply(fault, b"{}", {"Retry-After": "1"})
            return
        connection = http.client.HTTPConnection(self.server.service, timeout=SECONDS)
        try:
            connection.request("POST", self.path, body, dict(self.headers.items()))
            answer = connection.getresponse()
            self._reply(answer.status, answer.read(), {})
        finally:
            connection.close()

    def _reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Log nothing."""


@pytest.fixture
def app() -> Iterator[Application]:
    application = build(Settings(database_url="memory:", mail_url="recording:"))
    application.shops.add(a_shop(SITE))
    yield application
    application.close()


@pytest.fixture
def proxy(app: Application) -> Iterator[FaultyProxy]:
    with server.running(app, worker=False) as address, FaultyProxy(address) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield proxy
        proxy.shutdown()
        thread.join()


@pytest.fixture
def run_program(proxy: FaultyProxy, tmp_path: Path, interpreter: str) -> RunProgram:
    """Return a function that runs a program with an API key, against the proxy."""

    def run(program: Program, key: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "REVIEWS_URL": f"http://127.0.0.1:{proxy.server_address[1]}", "REVIEWS_KEY": key}
        environment.pop("PYTHONWARNINGS", None)
        command = program.command(tmp_path, interpreter)
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)

    return run


def a_key(app: Application) -> str:
    return accepted(app.api_keys.create(SITE, "tests")).secret.text


def invitations(app: Application) -> Sequence[InvitationRecord]:
    return accepted(app.invitations.list(OPERATOR, InvitationQuery())).invitations


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_reports_its_order_through_trouble(
    app: Application, proxy: FaultyProxy, run_program: RunProgram, program: str
) -> None:
    key = a_key(app)
    proxy.faults = [NO_RESPONSE, TRUNCATED_RESPONSE, 503, 429]
    first = run_program(PROGRAMS[program], key)
    assert first.returncode == 0, first.stderr
    (made,) = invitations(app)
    assert made.invitation.invite_id in first.stdout
    assert made.invitation.order_number == NUMBER
    assert proxy.requests == 5
    again = run_program(PROGRAMS[program], key)
    assert made.invitation.invite_id in again.stdout
    assert proxy.requests == 6
    assert len(invitations(app)) == 1


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_does_not_repeat_what_is_refused(
    app: Application, proxy: FaultyProxy, run_program: RunProgram, program: str
) -> None:
    ended = run_program(PROGRAMS[program], "rvi_wrong")
    assert "401" in ended.stderr or "key_invalid" in ended.stdout
    assert proxy.requests == 1
    assert not invitations(app)


def test_the_page_shows_the_tag_that_the_command_prints() -> None:
    tag = SnippetEmbed(SiteId("example-shop"), "https://reviews.example.nl")
    assert f"\n{tag.tag.splitlines()[-1]}\n" in FROM_A_PAGE
    assert f"\n{tag.tag_policy}\n" in FROM_A_PAGE


def test_what_a_browser_does_can_be_done_with_curl(app: Application, run_program: RunProgram) -> None:
    app.shops.add(a_shop("example-shop"))
    app.domains.add("example-shop", "shop.example.nl", assume_verified=True)
    ended = run_program(Program("curl", "Try it", "sh", ".sh", FROM_A_PAGE), "")
    assert ended.stdout.startswith("HTTP/1.0 202")
    assert json.loads(ended.stdout.splitlines()[-1]) == {"ok": True}

"""The token command in docs/how-to/send-e-mail.md, against an issuer of tokens."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from reviewinvite_core.adapters.mail.token_sources import TokenCommand, TokenCommandFailed
from reviewinvite_core.adapters.mail.tokens import Token

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "send-e-mail.md"


class Issuer(HTTPServer):
    """Issues a token for the right secret."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, list[str]]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Issuer

    def do_POST(self) -> None:
        given = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.server.requests.append(given)
        good = given["client_secret"] == ["SECRET"]
        answer = {"access_token": "eyJ.a-token", "expires_in": 3599} if good else {"error": "invalid_client"}
        self.send_response(200 if good else 401)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with Issuer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def command(tmp_path: Path, interpreter: str) -> list[str]:
    (program,) = blocks("python")
    (tmp_path / "mail-token.py").write_text(program)
    return [interpreter, str(tmp_path / "mail-token.py"), str(tmp_path / "mail-token.json")]


@pytest.mark.parametrize("number", [0, 1], ids=["Microsoft 365", "Google"])
def test_the_command_on_the_page_prints_a_token(
    issuer: Issuer, command: list[str], tmp_path: Path, number: int
) -> None:
    config = json.loads(blocks("json")[number])
    config["token_url"] = f"http://127.0.0.1:{issuer.server_port}/token"
    (tmp_path / "mail-token.json").write_text(json.dumps(config))
    assert TokenCommand(command, {}).read() == Token("eyJ.a-token")
    assert issuer.requests == [{name: [value] for name, value in config["parameters"].items()}]


def test_the_command_on_the_page_says_why_it_was_refused(issuer: Issuer, command: list[str], tmp_path: Path) -> None:
    config = {"token_url": f"http://127.0.0.1:{issuer.server_port}/token", "parameters": {"client_secret": "old"}}
    (tmp_path / "mail-token.json").write_text(json.dumps(config))
    with pytest.raises(TokenCommandFailed, match=r"^exit code 1: 401: invalid_client$"):
        TokenCommand(command, {}).read()
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.stdout == ""

"""Servers that are not ours run the application, and another application mounts it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.budgets import others_in_full
from tests.http.service import SITE, Deployment, an_order, http_request
from tests.ports import free_port
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
SERVERS = {
    "uvicorn": ("-m", "uvicorn", "--port", "{port}", "tests.http.embedded:{name}"),
    "granian": ("-m", "granian", "--interface", "asgi", "--port", "{port}", "tests.http.embedded:{name}"),
}
MOUNTED_AT = {"app": "", "mounted": "/reviews"}


@pytest.fixture(params=others_in_full(MOUNTED_AT, "mounted"))
def name(request: pytest.FixtureRequest) -> str:
    """Which application of `embedded.py` is served."""
    return str(request.param)


@pytest.fixture(params=others_in_full(SERVERS, "granian"))
def address(request: pytest.FixtureRequest, deployment: Deployment, name: str) -> Iterator[str]:
    """The address of the API under another server."""
    port = free_port()
    program = [part.format(port=port, name=name) for part in SERVERS[request.param]]
    environment = {**deployment.command.environment(), "PYTHONPATH": str(ROOT)}
    log = deployment.folder / "other.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *program], cwd=deployment.folder, env=environment, stdout=file, stderr=file
        )
    address = f"http://127.0.0.1:{port}{MOUNTED_AT[name]}"

    def is_up() -> bool:
        assert process.poll() is None, log.read_text()
        try:
            return http_request(address, "GET", f"{MOUNTED_AT[name]}/healthz").status == 200
        except ConnectionError:
            return False

    try:
        wait_until(is_up)
        yield address
    finally:
        process.terminate()
        process.wait()
    assert "Traceback" not in log.read_text()


def test_it_answers_as_under_our_own_server(address: str, deployment: Deployment, name: str) -> None:
    below = MOUNTED_AT[name]
    headers = {"Authorization": f"Bearer {deployment.key}", "Content_Type": "application/json"}
    new, again = (http_request(address, "POST", f"{below}/v1/orders", an_order(), **headers) for _ in range(2))
    assert (new.status, again.status) == (201, 200)
    assert new.json["inviteId"] == again.json["inviteId"]
    assert len(deployment.records()) == 1
    bad = http_request(address, "POST", f"{below}/v1/orders", b'{"email": "nobody", "name": "x"}', **headers)
    assert [each["code"] for each in bad.json["errors"]] == ["unknown_field", "invalid_address"]
    head = http_request(address, "HEAD", f"{below}/v1/verify/{SITE}")
    assert (head.status, head.body, head.headers["Access-Control-Allow-Origin"]) == (200, b"", "*")
    page = http_request(address, "GET", f"{below}/r/unknown")
    assert (page.status, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert http_request(address, "GET", f"{below}/w/unknown.js").body == b""
    assert http_request(address, "GET", f"{below}/v1/nothing").code == "not_found"
    assert http_request(address, "GET", f"{below}/readyz").json["delivery"] == "off"

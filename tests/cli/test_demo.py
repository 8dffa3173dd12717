"""`demo`: the promise of the README."""

from __future__ import annotations

import json
import re
import shlex
import signal
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.budgets import in_full
from tests.cli.command import AsProcess
from tests.cli.harness import Ended, Installation
from tests.http.service import http_request
from tests.reporting import report_order
from tests.waiting import TIMEOUT_SECONDS, wait_until


@pytest.fixture(scope="module")
def told(as_process: AsProcess, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """What `demo --once` tells."""
    folder = tmp_path_factory.mktemp("demo")
    ended = as_process(Installation(folder, TMPDIR=str(folder))).run("demo", "--once")
    assert list(folder.iterdir()) == []  # neither its own folder nor anything in the current one stays
    return ended


def test_once_tells_the_story_and_ends_with_0(told: Ended) -> None:
    assert told.code == 0
    assert told.err == ""
    ids = re.findall(r"POST /v1/orders -> (\d+)  ([0-9a-f-]{36})", told.out)
    assert [status for status, _ in ids] == ["201", "200"]
    assert ids[0][1] == ids[1][1]
    for line in ("From: Bakkerij De Molen <invitations@localhost>", "To: customer@example.com", "Subject: How was"):
        assert f"| {line}" in told.out
    assert "order number 2026-0193" in told.out
    assert "Two reports, one order, 1 e-mail." in told.out
    assert "The first link opens the page for writing the review." in told.out
    assert "Next, run the demo again and keep it running:" in told.out


def test_the_story_fits_a_terminal(told: Ended) -> None:
    lines = told.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 38
    assert "\x1b" not in told.out


@pytest.mark.parametrize("wish", [in_full(signal.SIGINT), signal.SIGTERM, in_full(signal.SIGHUP)])
def test_it_stays_up_to_be_played_with_until_it_is_told_to_end(
    empty: Installation, as_process: AsProcess, tmp_path: Path, wish: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = as_process(empty).start("demo", TMPDIR=str(temporary))
    try:
        assert process.stdout is not None
        shown = ""
        for line in process.stdout:
            shown += line
            if "shop show" in line:
                break
        assert max(len(line) for line in shown.splitlines() if str(temporary) not in line) <= 80
        (start,) = re.findall(r"^   (http\S+)$", shown.partition("Open its start page")[2], re.MULTILINE)
        (invitation,) = re.findall(r"\| (http\S+/r/\S+)$", shown, re.MULTILINE)
        assert invitation in read(start)
        assert re.findall(r"\| To: (.+)$", shown, re.MULTILINE) == ["customer@example.com"]
        assert "Two reports, one order, 1 e-mail.\n" in shown
        commands = shell_commands(shown)
        for command in commands:
            if command[0] == "curl":
                address, key, body = curl(command)
                order = {"order_number": body["orderNumber"], "delay_days": body["delayDays"]}
                assert not report_order(address, key, body["email"], **order).duplicate
            elif command[0] == "ls":
                wait_until(partial(has_invited, Path(command[1]), "A2"))
            else:
                assert command[0] == "reviewinvite"
                assert empty.ok(*command[1:])
        assert [command[0] for command in commands] == ["curl", "ls", "reviewinvite", "reviewinvite"]
        process.send_signal(wish)
        _, err = process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in err
    assert err.splitlines()[-1] == "The demo has ended and its folder was removed."
    assert list(temporary.iterdir()) == []


def has_invited(folder: Path, order_number: str) -> bool:
    return any(f"(order number {order_number})" in file.read_text() for file in folder.iterdir())


def read(address: str) -> str:
    """A page of the demo's."""
    answer = http_request(address, "GET", urlsplit(address).path)
    assert answer.status == 200
    return answer.body.decode()


def shell_commands(shown: str) -> list[list[str]]:
    """The commands that the demo proposes, split as a shell would."""
    proposed = shown.partition("another terminal, try:")[2].replace("\\\n", " ")
    return [shlex.split(line) for line in proposed.splitlines() if line.strip()]


def curl(command: list[str]) -> tuple[str, str, dict[str, Any]]:
    """Return the address, the key and the order that the curl command stands for."""
    url = command[1].removesuffix("/v1/orders")
    (key,) = [part.removeprefix("Authorization: Bearer ") for part in command if part.startswith("Authorization")]
    body: dict[str, Any] = json.loads(command[-1])
    return url, key, body


def test_it_leaves_the_installation_in_the_folder_alone(molen: Installation, as_process: AsProcess) -> None:
    before = molen.json("shop", "list")
    as_process(molen).ok("demo", "--once", REVIEWINVITE_DATABASE_URL="sqlite:///reviewinvite.db")
    assert molen.json("shop", "list") == before


def test_a_database_of_ones_own_is_not_for_the_demo(empty: Installation) -> None:
    assert "its own database" in empty.refused(2, "--database-url", "sqlite:///mine.db", "demo", "--once")

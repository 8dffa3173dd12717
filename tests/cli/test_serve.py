"""`serve`: that the command hands on what it was given; what the server does is tested where the server is."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import time
import urllib.request
from typing import Any

import pytest
from tests.cli.command import COMMAND, AsProcess
from tests.cli.harness import Installation
from tests.reporting import report_order
from tests.waiting import TIMEOUT_SECONDS, wait_until


def test_serve_answers_delivers_and_ends_with_0_on_sigterm(molen: Installation, as_process: AsProcess) -> None:
    key = molen.json("key", "create", "molen")["key"]
    with as_process(molen).serving() as (process, address):
        answer = report_order(address, key, "customer@example.com", delay_days=0)
        assert not answer.duplicate
        wait_until(lambda: molen.json("invitation", "show", answer.invite_id)["state"] == "sent")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in err
    assert key not in err
    assert "customer" not in err
    assert all(json.loads(line) for line in err.splitlines())


def test_a_log_whose_reader_has_gone_stops_no_deliveries_and_is_no_failure(
    molen: Installation, as_process: AsProcess
) -> None:
    key = molen.json("key", "create", "molen")["key"]
    with as_process(molen).serving() as (process, address):
        assert process.stderr is not None
        process.stderr.close()
        for number in ("1", "2", "3"):
            answer = report_order(address, key, "customer@example.com", order_number=number, delay_days=0)
            wait_until(lambda: molen.json("invitation", "show", answer.invite_id)["state"] == "sent")  # noqa: B023
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT_SECONDS) == 0


def test_without_the_worker_nothing_is_delivered(molen: Installation, as_process: AsProcess) -> None:
    key = molen.json("key", "create", "molen")["key"]
    with as_process(molen).serving("--no-worker") as (process, address):
        answer = report_order(address, key, "customer@example.com", delay_days=0)
        with urllib.request.urlopen(f"{address}/healthz", timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 - our own server
            assert response.status == 200
        time.sleep(1.5)  # a worker would look three times
        (line,) = molen.ok("worker", "--once").splitlines()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT_SECONDS)
    assert json.loads(line)["inviteId"] == answer.invite_id
    assert process.returncode == 0


def test_a_port_that_is_taken_is_a_configuration_error(molen: Installation, as_process: AsProcess) -> None:
    with as_process(molen).serving() as (_, address):
        said = molen.run("serve", "--port", address.rpartition(":")[2])
    assert said.code == 3
    assert said.err.splitlines()[-1].endswith("address already in use.")
    assert "Errno" not in said.err


@pytest.mark.parametrize("host", ["no-such-host.invalid", "203.0.113.7"])
def test_a_host_that_cannot_be_listened_on_is_told_in_plain_words(empty: Installation, host: str) -> None:
    said = empty.refused(3, "serve", "--host", host, "--port", "0")
    assert f"Cannot listen on {host} port 0: " in said
    assert "Errno" not in said


def test_a_port_that_cannot_be_is_wrong_usage(molen: Installation) -> None:
    assert "--port" in molen.refused(2, "serve", "--port", "65536")


def said_at_start(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """Return the log lines of `serve` up to the one that says where it listens; end the process."""
    assert process.stderr is not None
    told = []
    try:
        for line in process.stderr:
            told.append(json.loads(line))
            if told[-1]["event"] == "listening":
                break
    finally:
        process.kill()
        process.communicate()
    return told


def test_serve_tells_what_looks_unintended_in_log_lines(molen: Installation, as_process: AsProcess) -> None:
    odd = {"REVIEWINVITE_MAIL_URL": "smtp://127.0.0.1:9", "REVIEWINVITE_MAIL_FORM": "a@example.com"}
    told = said_at_start(as_process(molen).start("serve", "--port", "0", **odd))
    assert told.pop()["worker"] is True
    assert {each["level"] for each in told} == {"warning"}
    assert [each["event"].partition(" ")[0] for each in told] == ["REVIEWINVITE_MAIL_FORM", "mail_from", "base_url"]


def test_links_fit_what_is_served(molen: Installation, as_process: AsProcess) -> None:
    key = molen.json("key", "create", "molen")["key"]
    with as_process(molen).serving() as (_, address):
        answer = report_order(address, key, "customer@example.com", delay_days=0)
        wait_until(lambda: molen.json("invitation", "show", answer.invite_id)["state"] == "sent")
    (message,) = (molen.folder / "outbox" / "new").iterdir()
    assert f"\n{address}/r/" in message.read_bytes().decode().replace("=\n", "")


@pytest.mark.parametrize(("options", "words"), [((), "worker=yes"), (("--no-worker",), "worker=no")])
def test_on_a_terminal_serve_says_in_words_whether_the_worker_is_inside(
    molen: Installation, as_process: AsProcess, options: tuple[str, ...], words: str
) -> None:
    master, slave = pty.openpty()
    command = [*COMMAND, "serve", "--port", "0", *options]
    process = subprocess.Popen(command, cwd=molen.folder, env=molen.environment(), stderr=slave)
    os.close(slave)
    try:
        with os.fdopen(master, encoding="utf-8") as terminal:
            line = next(line for line in terminal if "event=listening" in line)
    finally:
        process.kill()
        process.wait(TIMEOUT_SECONDS)
    assert words in line.split()

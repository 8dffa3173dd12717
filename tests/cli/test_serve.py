"""`serve`: that the command hands on what it was given; what the server does is tested where the server is."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.cli.command import Installation
from tests.cli.test_worker import wait_until

from reviewinvite_http.client import OrdersClient


@contextmanager
def serving(installation: Installation, *options: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A `serve` on a free port, and its address, which it logs to standard error."""
    process = installation.start("serve", "--port", "0", *options, **variables)
    assert process.stderr is not None
    try:
        address = ""
        for line in process.stderr:
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            if found and line.startswith("{"):
                address = found[0]
                break
        assert address
        yield process, address
    finally:
        process.kill()
        process.communicate()


def test_serve_answers_delivers_and_ends_with_0_on_sigterm(molen: Installation) -> None:
    key = molen.json("key", "create", "molen")["key"]
    with serving(molen) as (process, address):
        answer = OrdersClient(address, key).report(email="customer@example.com", delay_days=0)
        assert answer.status == 201
        wait_until(lambda: molen.json("invitation", "show", str(answer.invite_id))["state"] == "sent")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in err
    assert key not in err
    assert "customer" not in err
    assert all(json.loads(line) for line in err.splitlines())


def test_without_the_worker_nothing_is_delivered(molen: Installation) -> None:
    key = molen.json("key", "create", "molen")["key"]
    with serving(molen, "--no-worker") as (process, address):
        answer = OrdersClient(address, key).report(email="customer@example.com", delay_days=0)
        with urllib.request.urlopen(f"{address}/healthz", timeout=10) as response:  # noqa: S310 - our own server
            assert response.status == 200
        time.sleep(1.5)  # a worker would look three times
        (line,) = molen.ok("worker", "--once").splitlines()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert json.loads(line)["inviteId"] == answer.invite_id
    assert process.returncode == 0


def test_a_port_that_is_taken_is_a_configuration_error(molen: Installation) -> None:
    with serving(molen) as (_, address):
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


def test_serve_tells_what_looks_unintended(molen: Installation) -> None:
    process = molen.start("serve", "--port", "0", REVIEWINVITE_MAIL_URL="smtp://127.0.0.1:9")
    assert process.stderr is not None
    try:
        assert "mail_from is invitations@localhost" in process.stderr.readline()
    finally:
        process.kill()
        process.communicate()

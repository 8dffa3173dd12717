"""The server as a part: where it listens, how it begins, and how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence

import pytest
from tests.budgets import in_full
from tests.http.service import (
    SITE,
    Deployment,
    an_order,
    http_request,
    open_socket,
    read_response,
    read_until_closed,
    report,
    request_bytes,
    wait_until_read,
)
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import OPERATOR, Application, ConfigurationError, Settings, accepted, build
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.ports import Executor, Outcome, Storage, UnitOfWork
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http import server

IN_MEMORY = Settings(database_url="memory:", mail_url="recording:")


class SlowStorage(MemoryStorage):
    """Storage in memory whose batches begin only when `gate` is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.waiting = threading.Event()

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        self.waiting.set()
        assert self.gate.wait(TIMEOUT_SECONDS)
        return super().run_all(units, executor=executor)


def an_app(storage: Storage | None = None) -> tuple[Application, str]:
    app = build(IN_MEMORY, storage=storage)
    app.shops.add(a_shop(SITE))
    return app, accepted(app.api_keys.create(SITE, "tests")).secret.text


def test_a_port_in_use_is_a_matter_of_configuration() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"cannot listen on 127.0.0.1 port {port}"):
            server.serve(IN_MEMORY, host="127.0.0.1", port=port, worker=False)


@pytest.mark.parametrize(("host", "port"), [("no-such-host.invalid", 0), ("127.0.0.1", 70_000), ("192.0.2.1", 0)])
def test_an_address_that_is_not_ours_is_a_matter_of_configuration(host: str, port: int) -> None:
    with pytest.raises(ConfigurationError, match=host), server.listening(host, port):
        pass


def test_a_port_is_free_again_at_once() -> None:
    app, key = an_app()
    with server.running(app, worker=False) as address:
        assert report(address, key).status == 201
        port = int(address.rpartition(":")[2])
    with server.running(app, port=port, worker=False) as address:
        assert report(address, key).status == 200
    app.close()


def test_it_listens_on_ipv6_too() -> None:
    app, key = an_app()
    with server.running(app, host="::1", worker=False) as address:
        assert address.startswith("http://[::1]:")
        assert report(address, key).status == 201
    app.close()


def test_a_request_in_flight_is_finished_before_the_server_ends() -> None:
    storage = SlowStorage()
    storage.gate.set()
    app, key = an_app(storage)
    storage.gate.clear()
    serving = server.running(app, worker=False, shutdown_seconds=int(TIMEOUT_SECONDS))
    address = serving.__enter__()
    with open_socket(address) as idle, open_socket(address) as connection:
        connection.sendall(request_bytes(key, an_order()))
        assert storage.waiting.wait(TIMEOUT_SECONDS)
        ending = threading.Thread(target=serving.__exit__, args=(None, None, None))
        ending.start()
        assert read_until_closed(idle) == b""  # the server is on its way out
        assert ending.is_alive()
        storage.gate.set()
        answer = read_response(connection)
        assert answer.status == 201
        assert read_until_closed(connection) == b""
    ending.join(TIMEOUT_SECONDS)
    assert not ending.is_alive()
    assert accepted(app.invitations.show(OPERATOR, answer.json["inviteId"])).invitation.order_number is None
    app.close()


def test_nobody_new_is_served_while_the_server_ends() -> None:
    app, _ = an_app()
    with server.running(app, worker=False) as address:
        pass
    with pytest.raises(ConnectionRefusedError):
        http_request(address, "GET", "/healthz")
    app.close()


def test_the_worker_inside_delivers(deployment: Deployment) -> None:
    process = deployment.serve()
    answer = report(process.address, deployment.key, an_order(delayDays=0))
    assert answer.status == 201
    new = deployment.outbox / "new"
    wait_until(lambda: new.exists() and list(new.iterdir()))
    assert answer.json["inviteId"] in next(new.iterdir()).name
    assert process.terminate() == 0


def test_without_the_worker_nothing_is_delivered_and_readiness_does_not_mind(deployment: Deployment) -> None:
    process = deployment.serve("--no-worker")
    assert report(process.address, deployment.key, an_order(delayDays=0)).status == 201
    assert http_request(process.address, "GET", "/readyz").status == 200
    assert process.terminate() == 0
    assert not deployment.outbox.exists()
    assert [record.invitation.state.value for record in deployment.records()] == ["scheduled"]


@pytest.mark.parametrize("which", [signal.SIGTERM, in_full(signal.SIGINT)])
def test_an_idle_server_ends_at_once_with_0(deployment: Deployment, which: signal.Signals) -> None:
    deployment.command.variables["REVIEWINVITE_SHUTDOWN_SECONDS"] = str(5 * int(TIMEOUT_SECONDS))
    process = deployment.serve()
    with open_socket(process.address) as idle:
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert read_response(idle).status == 200
        process.popen.send_signal(which)
        assert process.popen.wait(TIMEOUT_SECONDS) == 0
        assert read_until_closed(idle) == b""
    assert '"event": "stopped"' in process.log


ENDED_AT_ONCE = """
import logging, os, signal, sys
from reviewinvite_core import Settings
from reviewinvite_http.server import serve

class EndWhenItListens(logging.StreamHandler):
    def emit(self, record):
        if record.getMessage().startswith("listening"):
            os.kill(os.getpid(), signal.SIGTERM)
        super().emit(record)

logging.basicConfig(level=logging.INFO, handlers=[EndWhenItListens(sys.stdout)])
serve(Settings(database_url="memory:", mail_url="recording:"), host="127.0.0.1", port=0, worker=True)
"""


def test_a_server_that_has_just_said_that_it_listens_ends_in_good_order(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    ended = run_python(ENDED_AT_ONCE)
    assert ended.returncode == 0, ended.stderr
    assert "stopped" in ended.stdout


def test_a_client_that_never_ends_does_not_keep_the_server_from_ending(deployment: Deployment) -> None:
    deployment.command.variables["REVIEWINVITE_SHUTDOWN_SECONDS"] = "1"
    process = deployment.serve()
    with open_socket(process.address) as connection:
        connection.sendall(request_bytes(deployment.key, b"", length=100))
        wait_until_read(process.address)
        assert process.terminate() == 0
        assert read_response(connection).status == 503  # not 408, with which it is ended after ten seconds anyway
    assert deployment.records() == []

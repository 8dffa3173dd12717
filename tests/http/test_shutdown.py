"""The end of a server: beside a silent mail server, and with a request that never arrives whole."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path

import attrs
import pytest
from tests.http.page_parser import FORM
from tests.http.service import SITE, Deployment, http_request, open_socket, read_until_closed, wait_until_read
from tests.http.unresponsive_storage import UnresponsiveStorage
from tests.links import token_of
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import OPERATOR, AsyncApplication, NewShop, OrderReport, Settings, accepted, build
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.ports import Accepted, Message
from reviewinvite_core.testing.builders import an_order_report
from reviewinvite_core.usecases.delivery.worker import POLL_SECONDS
from reviewinvite_core.values import Domain, VerificationResult
from reviewinvite_http import server
from reviewinvite_http.api.health import READY_SECONDS, ReadinessProbe
from reviewinvite_http.app import create_app
from reviewinvite_http.context import ServerContext

A_FEW_SECONDS = 20.0  # on a busy machine; far less than what is silent would be waited for


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    """A SQLite file on which real processes serve, with little time to end."""
    made = Deployment(tmp_path, shutdown_seconds=1)
    yield made
    made.stop()


@pytest.fixture
def patient_deployment(tmp_path: Path) -> Iterator[Deployment]:
    """The same, with more time to end than a request has to arrive."""
    made = Deployment(tmp_path, shutdown_seconds=60)
    yield made
    made.stop()


class UnresponsiveMailer:
    """A mail server that takes a message and does not answer until it is allowed to."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.answer = threading.Event()

    async def stage(self, _: Message) -> UnresponsiveMailer:
        return self

    async def commit(self) -> Accepted:
        self.asked.set()
        await asyncio.to_thread(self.answer.wait, TIMEOUT_SECONDS)
        return Accepted()

    def abandon(self) -> None:
        pass

    async def close(self) -> None:
        pass


def test_a_mail_server_that_does_not_answer_holds_up_the_end_only_so_long() -> None:
    mailer = UnresponsiveMailer()
    app = build(Settings(database_url="memory:"), mailer=mailer)
    app.shops.add(NewShop(site_id="example-shop", name="Example Shop"))
    caller = accepted(app.shops.act_for("example-shop"))
    reported = accepted(app.orders.report(caller, OrderReport(email="anna@example.com", delay_days=0)))
    with server.running(app, worker=True, shutdown_seconds=1):
        assert mailer.asked.wait(TIMEOUT_SECONDS)
        ending = time.monotonic()
    assert 0.5 < time.monotonic() - ending < A_FEW_SECONDS
    assert accepted(app.invitations.show(OPERATOR, reported.invite_id)).invitation.state == "uncertain"
    mailer.answer.set()
    app.close()


def test_a_request_that_never_arrives_whole_is_told_to_come_again(capfd: pytest.CaptureFixture[str]) -> None:
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    with ExitStack() as stack:
        with server.running(app, worker=False, shutdown_seconds=1) as address:
            client = stack.enter_context(open_socket(address))
            client.sendall(b"POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
            wait_until_read(address)
        answer = read_until_closed(client)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 5" in answer
    assert b"storage_unavailable" in answer
    assert "Traceback" not in capfd.readouterr().err
    app.close()


def test_a_page_that_waits_for_its_badge_when_the_end_comes_sees_no_error() -> None:
    storage = UnresponsiveStorage()
    app = build(Settings(database_url="memory:", mail_url="recording:"), storage=storage)
    app.shops.add(NewShop(site_id="example-shop", name="Example Shop"))
    with ExitStack() as stack:
        with server.running(app, worker=False, shutdown_seconds=1) as address:
            client = stack.enter_context(open_socket(address))
            storage.silent.set()
            client.sendall(b"GET /w/example-shop.js HTTP/1.1\r\nHost: x\r\n\r\n")
            assert storage.asked.wait(TIMEOUT_SECONDS)
        answer = read_until_closed(client)
    storage.answer.set()
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"cache-control: no-store\r\n" in answer
    assert answer.endswith(b"\r\n\r\n")
    app.close()


@pytest.mark.usefixtures("real_timeouts")
def test_a_page_does_not_wait_for_long_for_a_badge_that_a_silent_database_has() -> None:
    storage = UnresponsiveStorage()
    app = build(Settings(database_url="memory:", mail_url="recording:"), storage=storage)
    app.shops.add(NewShop(site_id="example-shop", name="Example Shop"))
    with server.running(app, worker=False) as address:
        storage.silent.set()
        begun = time.monotonic()
        answer = http_request(address, "GET", "/w/example-shop.js")
        assert time.monotonic() - begun < A_FEW_SECONDS
        assert (answer.status, answer.body, answer.headers["Cache-Control"]) == (200, b"", "no-store")
        storage.answer.set()
        storage.silent.clear()
        assert http_request(address, "GET", "/w/example-shop.js").body
    app.close()


def test_no_delivery_begins_once_an_end_is_wished() -> None:
    ending = server.ShutdownDeadline(seconds=5)
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    app.shops.add(NewShop(site_id="example-shop", name="Example Shop"))
    caller = accepted(app.shops.act_for("example-shop"))
    with server.running_services(app, ending, worker=True):
        ending.begin()
        time.sleep(2 * POLL_SECONDS)  # a worker that still polled would go on
        reported = accepted(app.orders.report(caller, OrderReport(email="anna@example.com", delay_days=0)))
        time.sleep(2 * POLL_SECONDS)
    assert accepted(app.invitations.show(OPERATOR, reported.invite_id)).invitation.state == "scheduled"
    app.close()


class SlowHosts:
    """Hosts of shops that take their time."""

    def __init__(self) -> None:
        self.asked, self.answer = threading.Event(), threading.Event()

    def verify(self, _: Domain) -> VerificationResult:
        self.asked.set()
        self.answer.wait(TIMEOUT_SECONDS)
        return VerificationResult(found=None)


def test_proofs_of_domains_are_looked_for_beside_and_hold_up_no_end() -> None:
    hosts = SlowHosts()
    storage = MemoryStorage()
    app = build(Settings(database_url="memory:", mail_url="recording:"), storage=storage, domain_verifier=hosts)
    app.shops.add(NewShop(site_id="example-shop", name="Example Shop"))
    added = accepted(app.domains.add("example-shop", "shop.example.nl"))
    long_ago = attrs.evolve(added, verified_at=added.added_at, checked_at=added.added_at - timedelta(days=9))
    storage.run(lambda store: store.domains.change(long_ago))
    with server.running(app, worker=False):
        assert not hosts.asked.wait(0.2), "without a worker nothing is looked for"
    with server.running(app, worker=True):
        assert hosts.asked.wait(TIMEOUT_SECONDS)
        ending = time.monotonic()
    assert time.monotonic() - ending < A_FEW_SECONDS
    [domain] = accepted(app.domains.list("example-shop"))
    assert domain.missing_since is None
    app.close()
    hosts.answer.set()


@pytest.mark.usefixtures("real_timeouts")
def test_a_silent_database_is_not_ready() -> None:
    storage = UnresponsiveStorage()
    app = build(Settings(database_url="memory:", mail_url="recording:"), storage=storage)
    with server.running(app, worker=False) as address:
        storage.silent.set()
        begun = time.monotonic()
        assert http_request(address, "GET", "/readyz").status == 503
        assert time.monotonic() - begun < READY_SECONDS + A_FEW_SECONDS
        storage.answer.set()
    app.close()


def test_all_who_ask_while_one_looks_share_its_look_and_the_next_looks_again() -> None:
    storage = UnresponsiveStorage()
    app = build(Settings(database_url="memory:", mail_url="recording:"), storage=storage)

    async def scenario(looks: ReadinessProbe) -> None:
        storage.silent.set()
        asking = [asyncio.create_task(looks.readiness()) for _ in range(20)]
        while not storage.reads:
            await asyncio.sleep(0.01)
        storage.answer.set()
        assert {each.storage.engine for each in await asyncio.gather(*asking)} == {"memory"}
        assert storage.reads == 1
        await looks.readiness()
        assert storage.reads == 2

    edge = ServerContext(AsyncApplication(app))
    asyncio.run(scenario(ReadinessProbe(edge)))
    edge.app.close()
    app.close()


def test_a_signal_is_a_wish_to_end() -> None:
    ending = server.ShutdownDeadline(seconds=5)
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    with server.running_services(app, ending, worker=False) as edge:
        serving = server.GracefulServer(server.server_config(create_app(app, server=edge), 5), ending)
        serving.handle_exit(15, None)
        assert ending.requested.is_set()
        assert serving.should_exit
    app.close()


def test_a_review_that_waits_at_the_end_is_given_back_to_its_writer(deployment: Deployment) -> None:
    """A real process gets SIGTERM while the form waits for a database that another program has locked."""
    path = review_path(deployment)
    process = deployment.serve("--no-worker")
    form = b"rating=4&text=Warm+brood%0a%3cb%3e&author=Anna"
    with closing(sqlite3.connect(deployment.database, isolation_level=None)) as other, ExitStack() as stack:
        other.execute("BEGIN IMMEDIATE")
        client = stack.enter_context(open_socket(process.address))
        client.sendall(post_of(f"{path}?language=en", len(form)) + form)
        wait_until_read(process.address)
        assert process.terminate() == 0
        answer = read_until_closed(client)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 5\r\n" in answer
    assert b"What you wrote has not been saved yet." in answer
    assert b"\nWarm brood\n&lt;b&gt;</textarea>" in answer
    assert b'name="rating" value="4"' in answer
    assert b'name="author" value="Anna"' in answer
    assert "Warm brood" not in process.log
    again = http_request(deployment.serve("--no-worker").address, "POST", path, form, Content_Type=FORM)
    assert again.status == 303


def test_a_review_that_is_on_its_way_at_the_end_is_stored(patient_deployment: Deployment) -> None:
    """SIGTERM comes when half of the form has arrived."""
    path = review_path(patient_deployment)
    process = patient_deployment.serve("--no-worker")
    form = b"rating=5&text=Prima"
    with ExitStack() as stack:
        client = stack.enter_context(open_socket(process.address))
        client.sendall(post_of(path, len(form)) + form[:10])
        wait_until_read(process.address)
        process.popen.send_signal(signal.SIGTERM)
        wait_until(lambda: not accepts_connections(process.address))
        client.sendall(form[10:])
        answer = read_until_closed(client)
    assert answer.startswith(b"HTTP/1.1 303 ")
    assert process.popen.wait(TIMEOUT_SECONDS) == 0
    with patient_deployment.library() as app:
        link = app.reviews.show_link(path.removeprefix("/r/"))
        assert link
        assert link.review
        assert (link.review.rating, link.review.text) == (5, "Prima")


def review_path(deployment: Deployment) -> str:
    """Return the path of the review page of a new invitation."""
    with deployment.library() as app:
        reported = accepted(app.orders.report(accepted(app.shops.act_for(SITE)), an_order_report(delay_days=0)))
        return f"/r/{token_of(app, reported.invite_id, Purpose.REVIEW)}"


def post_of(path: str, length: int) -> bytes:
    """Return the head of a form's request."""
    return (f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM}\r\nContent-Length: {length}\r\n\r\n").encode()


def accepts_connections(address: str) -> bool:
    try:
        with open_socket(address):
            return True
    except OSError:
        return False

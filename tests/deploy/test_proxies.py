"""Caddy and nginx with the shipped configurations: only host, ports, certificate and folders are the test's own."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import attrs
import pytest
from tests.browser.fake_web import create_certificate
from tests.chaos.programs import Program, let_others_pass
from tests.deploy.shipped import adapted
from tests.http.service import (
    OWN_HOST,
    OWN_PAGE,
    SITE,
    Answer,
    Service,
    a_snippet,
    an_order,
    http_request,
    read_until_closed,
    report_from_snippet,
    request_bytes,
    send_request,
    verify_host,
)
from tests.http.serving import serving
from tests.ports import free_port
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core.testing.builders import a_shop

pytestmark = pytest.mark.full

CUSTOMER, ANOTHER_CUSTOMER = "127.0.0.2", "127.0.0.3"
SNIPPETS_PER_MINUTE = 30
HSTS = "Strict-Transport-Security"
LINK = "/r/AAAAAQGiA6Z9CnEQoAnAgzQJruPyoulCdJ_1LBJ_cIQTYK0K"


@attrs.frozen
class Front:
    """A proxy that terminates TLS for `localhost` at this port."""

    port: int
    http_port: int
    certificate: Path
    log: Callable[[], str]

    @property
    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))

    def connection(self, customer: str = CUSTOMER) -> http.client.HTTPSConnection:
        """Connect to the proxy from this customer's address."""
        return http.client.HTTPSConnection(
            "localhost", self.port, timeout=TIMEOUT_SECONDS, context=self.context, source_address=(customer, 0)
        )

    def request(self, method: str, path: str, body: bytes | None = None, /, **headers: str) -> Answer:
        """Send one request over a connection of its own."""
        with closing(self.connection()) as connection:
            return send_request(connection, method, path, body, **headers)

    def open_socket(self) -> ssl.SSLSocket:
        """Open a bare TLS connection."""
        bare = socket.create_connection(("127.0.0.1", self.port), TIMEOUT_SECONDS)
        return self.context.wrap_socket(bare, server_hostname="localhost")

    def curl(self, path: str, *options: str) -> str:
        """Run curl with HTTP/2, and return what it prints."""
        command = [require("curl", "`apt-get install curl`"), "--silent", "--http2", "--cacert", str(self.certificate)]
        address = f"https://localhost:{self.port}{path}"
        done = subprocess.run(
            [*command, *options, address], capture_output=True, check=True, text=True, timeout=TIMEOUT_SECONDS
        )
        return done.stdout


def caddy(folder: Path, upstream: str, certificate: Path) -> tuple[Program, Front]:
    port, http_port = free_port(), free_port()
    own = f"{{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port {http_port}\n"  # nothing that others use
    configuration = adapted("caddy/Caddyfile", folder / "Caddyfile", {"\n{\n": f"\n{own}"})
    environment = {
        "REVIEWS_HOST": f"https://localhost:{port}",
        "REVIEWS_UPSTREAM": upstream,
        "REVIEWS_TLS": f"tls {certificate} {certificate}",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
    }
    program = require("caddy", "`apt-get install caddy`")
    command: list[str | Path] = [program, "run", "--config", configuration, "--adapter", "caddyfile"]
    running = Program(command, folder / "output", env=environment)
    return running, Front(port, http_port, certificate, (folder / "output").read_text)


NGINX = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/main.log;
events {{ worker_connections 1024; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    access_log {folder}/access.log;
    include {folder}/reviewinvite.conf;
}}
"""


def nginx(folder: Path, upstream: str, certificate: Path) -> tuple[Program, Front]:
    port, http_port = free_port(), free_port()
    adapted(
        "nginx/reviewinvite.conf",
        folder / "reviewinvite.conf",
        {
            "listen 80;": f"listen 127.0.0.1:{http_port};",
            "listen 443 ": f"listen 127.0.0.1:{port} ",
            "listen [::]:80;": "",  # not every machine has IPv6
            "listen [::]:443 ssl http2;": "",
            "server 127.0.0.1:8000;": f"server {upstream};",
            "/etc/letsencrypt/live/reviews.example.com/fullchain.pem": str(certificate),
            "/etc/letsencrypt/live/reviews.example.com/privkey.pem": str(certificate),
            "/var/log/nginx/reviewinvite.error.log": str(folder / "error.log"),
            "reviews.example.com": "localhost",
        },
    )
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder))
    let_others_pass(folder)  # root's workers are another user's
    program = Program(
        [require("nginx", "`apt-get install nginx`"), "-e", "stderr", "-c", folder / "nginx.conf"], folder / "output"
    )
    logs = [folder / name for name in ("output", "main.log", "error.log", "access.log")]
    return program, Front(
        port, http_port, certificate, lambda: "".join(log.read_text() for log in logs if log.exists())
    )


@pytest.fixture
def service() -> Iterator[Service]:
    """A service with a verified shop that trusts the proxy."""
    with serving(trusted_proxies="127.0.0.1", orders_per_minute=0, base_url="https://localhost") as started:
        started.app.shops.add(a_shop(SITE))
        verify_host(started.app, OWN_HOST)
        yield started


@pytest.fixture(params=[caddy, nginx], ids=["caddy", "nginx"])
def start_front(request: pytest.FixtureRequest, short_folder: Path) -> Iterator[Callable[[str], Front]]:
    """Starts one of the proxies in front of the service at this host and port."""
    with ExitStack() as stack:

        def start(upstream: str) -> Front:
            certificate = create_certificate(short_folder, "localhost").pem
            front: Front
            program, front = request.param(short_folder, upstream, certificate)
            stack.callback(program.kill)
            program.wait_for_port(front.port)
            return front

        yield start


@pytest.fixture
def front(start_front: Callable[[str], Front], service: Service) -> Front:
    """A proxy in front of the service."""
    return start_front(urlsplit(service.address).netloc)


# --- TLS ------------------------------------------------------------------------------------------------------------


def test_http_2_is_offered_and_carries_orders(front: Front, service: Service) -> None:
    key = service.a_key()
    options = ("--header", f"Authorization: Bearer {key}", "--json", an_order().decode())
    assert (
        front.curl("/v1/orders", *options, "--output", "/dev/null", "--write-out", "%{http_version} %{http_code}")
        == "2 201"
    )


def test_plain_http_leads_to_https(front: Front) -> None:
    answer = http_request(f"http://localhost:{front.http_port}", "GET", "/shops/x?page=2")
    assert answer.status in {301, 308}
    assert re.fullmatch(r"https://localhost(:\d+)?/shops/x\?page=2", str(answer.headers["Location"]))


@pytest.mark.parametrize("path", ["/healthz", "/dashboard/sign-in", "/no-such-page"])
def test_every_answer_has_hsts_once(front: Front, path: str) -> None:
    assert front.request("GET", path).headers.get_all(HSTS) == ["max-age=31536000"]


# --- the client's address -------------------------------------------------------------------------------------------

PRETENCES = ("X_Forwarded_For", "X_Real_IP", "Forwarded", "CF_Connecting_IP", "True_Client_IP")


def report_as_somebody_else(connection: http.client.HTTPConnection, number: int) -> int:
    """Report an order of a browser, with another address in each field that names one; return the status."""
    pretended = dict.fromkeys(PRETENCES, f"198.51.100.{number}")
    return report_from_snippet(connection, a_snippet(f"c{number}@example.com"), **pretended).status


def report_with_a_trailer(connection: http.client.HTTPConnection, number: int) -> int:
    """Report an order of a browser whose body is followed by a trailer with another address; return the status."""
    body = a_snippet(f"t{number}@example.com")
    connection.putrequest("POST", "/v1/orders/snippet")
    fields = {"Origin": OWN_PAGE, "Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    for name, value in {**fields, "Trailer": "X-Forwarded-For"}.items():
        connection.putheader(name, value)
    connection.endheaders(b"%x\r\n%s\r\n0\r\nX-Forwarded-For: 198.51.100.%d\r\n\r\n" % (len(body), body, number))
    response = connection.getresponse()
    response.read()
    return response.status


def test_each_client_has_its_own_limit_and_cannot_escape_it(front: Front) -> None:
    with closing(front.connection()) as connection:
        accepted = Counter(report_as_somebody_else(connection, n) for n in range(SNIPPETS_PER_MINUTE))
        assert accepted == {202: SNIPPETS_PER_MINUTE}
        assert Counter(report_as_somebody_else(connection, n) for n in range(20)) == {429: 20}
        assert Counter(report_with_a_trailer(connection, n) for n in range(20)) == {429: 20}
    with closing(front.connection(ANOTHER_CUSTOMER)) as another:
        assert report_as_somebody_else(another, 1) == 202


def test_over_http_2_the_limit_is_the_same_clients(front: Front) -> None:
    with closing(front.connection()) as connection:
        for number in range(SNIPPETS_PER_MINUTE):
            assert report_as_somebody_else(connection, number) == 202
    options = (
        "--header",
        f"Origin: {OWN_PAGE}",
        "--header",
        "X-Forwarded-For: 198.51.100.7",
        "--json",
        a_snippet().decode(),
    )
    status = ("--output", "/dev/null", "--write-out", "%{http_version} %{http_code}")
    assert front.curl("/v1/orders/snippet", *options, *status, "--interface", CUSTOMER) == "2 429"
    assert front.curl("/v1/orders/snippet", *options, *status, "--interface", ANOTHER_CUSTOMER) == "2 202"


# --- bounds ---------------------------------------------------------------------------------------------------------


def test_slow_clients_keep_nobody_waiting(front: Front, service: Service) -> None:
    key = service.a_key()
    slow = request_bytes(key, an_order(orderNumber="slow"))
    with ExitStack() as held:
        for number in range(60):
            connection = held.enter_context(front.open_socket())
            connection.sendall(slow[: -1 if number % 2 else 30])  # all but the last byte, or a part of the head
        answer = front.request(
            "POST", "/v1/orders", an_order(), Authorization=f"Bearer {key}", Content_Type="application/json"
        )
        assert answer.status == 201


@pytest.mark.usefixtures("long_wait")
@pytest.mark.parametrize("sent", [30, -1], ids=["head", "body"])
def test_a_request_that_never_ends_is_ended(front: Front, sent: int) -> None:
    with front.open_socket() as connection:
        connection.sendall(request_bytes("key", an_order())[:sent])
        assert b" 201 " not in read_until_closed(connection)  # waits for as long as it is open


@pytest.mark.parametrize(("size", "statuses"), [(30_000, {200}), (200_000, {400, 431, 494})])
def test_a_large_head_is_refused(front: Front, size: int, statuses: set[int]) -> None:
    with closing(front.connection()) as connection:
        connection.putrequest("GET", "/healthz")
        for number in range(size // 5000):
            connection.putheader(f"X-Padding-{number}", "x" * 5000)
        connection.endheaders()
        assert connection.getresponse().status in statuses
    assert front.request("GET", "/healthz").status == 200


def test_a_large_body_is_refused_by_the_service_and_a_larger_one_by_the_proxy(front: Front, service: Service) -> None:
    json = {"Content_Type": "application/json", "Authorization": f"Bearer {service.a_key()}"}
    answer = front.request("POST", "/v1/orders", an_order(orderNumber="x" * 40_000), **json)
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert front.request("POST", "/v1/orders", b" " * 1_000_000, **json).status == 413


# --- logs -----------------------------------------------------------------------------------------------------------


def test_no_log_has_a_personal_link_or_an_address(front: Front) -> None:
    assert front.request("GET", LINK).status == 404
    assert_nothing_personal(front.log())


def test_nor_has_the_log_of_a_proxy_whose_service_is_down(start_front: Callable[[str], Front]) -> None:
    front = start_front(f"127.0.0.1:{free_port()}")
    assert front.request("GET", LINK).status in {502, 503}
    assert_nothing_personal(front.log())


def assert_nothing_personal(log: str) -> None:
    for personal in (LINK, LINK.rpartition("/")[2], CUSTOMER):
        assert personal not in log

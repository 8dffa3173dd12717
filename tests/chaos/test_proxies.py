"""Real proxies in front of the service: limits hold for their clients, and rude ones harm nobody else."""

from __future__ import annotations

import http.client
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from tests.budgets import in_full, in_soak
from tests.chaos.programs import Program, fill_in, let_others_pass
from tests.http.service import (
    OWN_HOST,
    OWN_PAGE,
    SITE,
    Answer,
    Service,
    a_snippet,
    an_order,
    http_request,
    open_socket,
    read_until_closed,
    report,
    report_from_snippet,
    request_bytes,
    verify_host,
)
from tests.http.serving import serving
from tests.ports import free_port
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import OPERATOR, InvitationQuery, accepted
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http.connection import LARGEST_HEAD

TEMPLATES = Path(__file__).parent
CUSTOMER, ANOTHER_CUSTOMER = "127.0.0.2", "127.0.0.3"
SNIPPETS_PER_MINUTE = 30


class Fronted(NamedTuple):
    """A service, and the address of the proxy in front of it."""

    service: Service
    address: str

    def connection(self, customer: str = CUSTOMER) -> http.client.HTTPConnection:
        """Connect to the proxy from this customer's address."""
        place = urlsplit(self.address)
        return http.client.HTTPConnection(str(place.hostname), place.port, TIMEOUT_SECONDS, (customer, 0))


@contextmanager
def haproxy(folder: Path, service: int) -> Iterator[int]:
    """Run HAProxy in front of the service at this port; gives its own."""
    port = free_port()
    configuration = fill_in(TEMPLATES / "haproxy" / "haproxy.cfg", folder / "haproxy.cfg", port=port, service=service)
    yield from _running([require("haproxy", "`apt-get install haproxy`"), "-f", str(configuration)], folder, port)


@contextmanager
def nginx(folder: Path, service: int) -> Iterator[int]:
    """Run nginx in front of the service at this port; gives its own."""
    port = free_port()
    target = folder / "nginx.conf"
    configuration = fill_in(TEMPLATES / "nginx" / "nginx.conf", target, folder=folder, port=port, service=service)
    let_others_pass(folder)  # root's workers are another user's
    command = [require("nginx", "`apt-get install nginx`"), "-e", "stderr", "-c", str(configuration)]
    yield from _running(command, folder, port)


def _running(command: list[str], folder: Path, port: int) -> Iterator[int]:
    program = Program(command, folder / "output")
    try:
        program.wait_for_port(port)
        yield port
    finally:
        program.kill()


@pytest.fixture(params=[haproxy, nginx], ids=["haproxy", "nginx"])
def start_proxied(request: pytest.FixtureRequest, short_folder: Path) -> Iterator[Callable[..., Fronted]]:
    """Starts a service with these settings, and a real proxy in front of it."""
    with ExitStack() as stack:

        def start(**settings: Any) -> Fronted:
            service = stack.enter_context(serving(**settings))
            service.app.shops.add(a_shop(SITE))
            verify_host(service.app, OWN_HOST)
            port = stack.enter_context(request.param(short_folder, urlsplit(service.address).port))
            return Fronted(service, f"http://127.0.0.1:{port}")

        yield start


@pytest.fixture
def fronted(start_proxied: Callable[..., Fronted]) -> Fronted:
    """A service that trusts the proxy in front of it."""
    return start_proxied(trusted_proxies="127.0.0.1", orders_per_minute=0)


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


def reports_with_spoofed_headers(connection: http.client.HTTPConnection, count: int) -> list[Answer]:
    """Report orders of a browser, each time with other hops before the one that the proxy adds."""
    return [
        report_from_snippet(connection, a_snippet(f"c{n}@example.com"), X_Forwarded_For=f"198.51.100.{n}, 10.0.0.{n}")
        for n in range(count)
    ]


def reports_with_spoofed_trailers(connection: http.client.HTTPConnection, count: int) -> list[Answer]:
    """Report orders of a browser whose body is followed by a trailer with another address each time."""
    answers = []
    for n in range(count):
        body = a_snippet(f"t{n}@example.com")
        connection.putrequest("POST", "/v1/orders/snippet")
        headers = {"Origin": OWN_PAGE, "Content-Type": "application/json", "Transfer-Encoding": "chunked"}
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(b"%x\r\n%s\r\n0\r\nX-Forwarded-For: 198.51.100.%d\r\n\r\n" % (len(body), body, n))
        response = connection.getresponse()
        answers.append(Answer(response.status, response.headers, response.read()))
    return answers


# --- the limit of a customer's address ------------------------------------------------------------------------------


@pytest.mark.parametrize("spoofed", [in_full(20), in_soak(1000)])
def test_each_customer_has_the_limit_of_its_own_address_whatever_it_pretends(fronted: Fronted, spoofed: int) -> None:
    with closing(fronted.connection()) as connection:
        assert statuses(reports_with_spoofed_headers(connection, SNIPPETS_PER_MINUTE)) == {202: SNIPPETS_PER_MINUTE}
        assert statuses(reports_with_spoofed_headers(connection, spoofed)) == {429: spoofed}
        assert statuses(reports_with_spoofed_trailers(connection, spoofed)) == {429: spoofed}
    with closing(fronted.connection(ANOTHER_CUSTOMER)) as another:
        assert report_from_snippet(another, a_snippet("another@example.com")).status == 202


@pytest.mark.full
def test_behind_a_proxy_that_is_not_named_all_customers_count_as_one(start_proxied: Callable[..., Fronted]) -> None:
    fronted = start_proxied()
    with closing(fronted.connection()) as connection:
        assert statuses(reports_with_spoofed_headers(connection, SNIPPETS_PER_MINUTE)) == {202: SNIPPETS_PER_MINUTE}
    with closing(fronted.connection(ANOTHER_CUSTOMER)) as another:
        assert report_from_snippet(another, a_snippet("another@example.com")).status == 429


# --- rude clients -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clients", [in_full(100), in_soak(400)])
def test_slow_clients_do_not_keep_others_waiting(fronted: Fronted, clients: int) -> None:
    key = fronted.service.a_key()
    slow = request_bytes(key, an_order(orderNumber="slow"))
    with ExitStack() as held:
        for number in range(clients):
            connection = held.enter_context(open_socket(fronted.address))
            connection.sendall(slow[: -1 if number % 2 else 30])  # all but the body's last byte, or a part of the head
        assert report(fronted.address, key, an_order(orderNumber="fast")).status == 201
        assert http_request(fronted.address, "GET", "/readyz").status == 200
    assert order_numbers(fronted.service) == {"fast": 1}


def order_numbers(service: Service) -> Counter[str]:
    records = accepted(service.app.invitations.list(OPERATOR, InvitationQuery(limit=1_000_000))).invitations
    return Counter(str(record.invitation.order_number) for record in records)


@pytest.mark.parametrize(("size", "status"), [in_full(LARGEST_HEAD - 1000, 200), in_full(LARGEST_HEAD + 1000, 431)])
def test_a_large_head_is_refused_as_it_is_without_a_proxy(fronted: Fronted, size: int, status: int) -> None:
    with closing(fronted.connection()) as connection:
        connection.putrequest("GET", "/healthz")
        for number in range(16):  # proxies bound one field as well
            connection.putheader(f"X-Padding-{number}", "x" * (size // 16 - 20))
        connection.endheaders()
        assert connection.getresponse().status == status
    assert http_request(fronted.address, "GET", "/healthz").status == 200


@pytest.mark.parametrize("orders", [in_full(10), in_soak(200)])
def test_an_order_whose_client_half_closes_is_there_once_when_it_is_repeated(fronted: Fronted, orders: int) -> None:
    key = fronted.service.a_key()
    for number in range(orders):
        order = an_order(orderNumber=str(number))
        with open_socket(fronted.address) as connection:
            connection.sendall(request_bytes(key, order))
            connection.shutdown(socket.SHUT_WR)
            assert read_until_closed(connection)[:12] in {b"HTTP/1.1 201", b""}  # nginx takes it for gone
        assert report(fronted.address, key, order).status in {200, 201}
    assert order_numbers(fronted.service) == {str(number): 1 for number in range(orders)}


@pytest.mark.parametrize("connections", [in_full(2), in_soak(50)])
def test_pipelined_orders_are_all_answered_in_turn(fronted: Fronted, connections: int) -> None:
    key = fronted.service.a_key()
    for number in range(connections):
        orders = [an_order(orderNumber=f"{number}-{n // 2}") for n in range(20)]
        last = request_bytes(key, orders[-1], "Connection: close")
        with open_socket(fronted.address) as connection:
            connection.sendall(b"".join(request_bytes(key, order) for order in orders[:-1]) + last)
            answers = read_until_closed(connection).split(b"HTTP/1.1 ")[1:]
        assert [int(answer[:3]) for answer in answers] == [201, 200] * 10
        ids = [answer.partition(b'"inviteId":"')[2][:36] for answer in answers]
        assert ids[::2] == ids[1::2]
    assert order_numbers(fronted.service) == {f"{number}-{n}": 1 for number in range(connections) for n in range(10)}

"""`POST /v1/orders/snippet` over HTTP: which requests are accepted, and what a page receives. Spec: §4.2, §7, §8.

The service stands behind a proxy that it trusts, so that each test can be a client of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.http.service import (
    OWN_HOST,
    SITE,
    Answer,
    Service,
    a_snippet,
    connect,
    open_socket,
    read_response,
    report_from_snippet,
    verify_host,
)
from tests.http.serving import serving
from tests.logs import captured_logs
from tests.snippet_signature import signed_with

from reviewinvite_core import OPERATOR, InvitationQuery, ShopChanges, accepted
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import InvitationRecord

ACKNOWLEDGED = b'{"ok":true}'
PATH = "/v1/orders/snippet"

VARYING = {"date", "x-request-id"}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A server that takes this machine, and a network, for its proxies; the shop has two hosts."""
    with serving(trusted_proxies="127.0.0.1, 10.0.0.0/8") as service:
        service.app.shops.add(a_shop(SITE))
        for host in (OWN_HOST, "bücher.example.nl"):
            verify_host(service.app, host)
        yield service


@pytest.fixture(autouse=True)
def a_new_day(service: Service) -> None:
    """The tests of a file share a service; each finds all limits with all their room."""
    service.clock.advance(timedelta(days=1))


def invitations(service: Service) -> dict[str, InvitationRecord]:
    """Return those reported since the test began, by order number."""
    found = accepted(service.app.invitations.list(OPERATOR, InvitationQuery(limit=10_000))).invitations
    since = service.clock.now() - timedelta(hours=23)
    return {str(each.invitation.order_number): each for each in found if each.invitation.reported_at > since}


def is_acknowledged(answer: Answer) -> bool:
    return (answer.status, answer.body) == (202, ACKNOWLEDGED)


def raw(service: Service, *lines: str, body: bytes | None = None) -> Answer:
    """A report with exactly these header lines."""
    body = a_snippet() if body is None else body
    head = [
        f"POST {PATH} HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    with open_socket(service.address) as connection:
        connection.sendall("\r\n".join([*head, *lines, "", ""]).encode("latin-1") + body)
        return read_response(connection)


@pytest.mark.parametrize(("mode", "code"), [("off", "snippet_off"), ("signed", "signature_refused")])
def test_what_a_shop_does_not_take_is_a_readable_403(service: Service, mode: str, code: str) -> None:
    shop = accepted(service.app.shops.show(SITE))
    service.app.shops.update(SITE, ShopChanges(snippet="open"))
    secret = accepted(service.app.shops.snippet_secret(SITE)).text
    signature = signed_with(secret, SITE, "dora@example.com", "signed-1")
    signed = a_snippet("dora@example.com", orderNumber="signed-1", signature=signature)
    assert is_acknowledged(report_from_snippet(service.address, signed))
    service.app.shops.update(SITE, ShopChanges(snippet=mode))
    answer = report_from_snippet(service.address, a_snippet("eva@example.com", signature="0" * 64))
    assert (answer.status, answer.code) == (403, code)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    service.app.shops.update(SITE, ShopChanges(snippet=shop.snippet))


# What is accepted is answered alike, byte for byte.


def test_a_new_order_a_repeat_an_opt_out_and_one_over_the_cap_get_the_same_answer(service: Service) -> None:
    service.app.privacy.suppress("gone@example.com", None)
    connection = connect(service.address)
    answers = [
        report_from_snippet(connection, a_snippet("anna@example.com", orderNumber="same-1")),
        report_from_snippet(connection, a_snippet("anna@example.com", orderNumber="same-1")),
        report_from_snippet(connection, a_snippet("gone@example.com", orderNumber="same-2")),
        *(
            report_from_snippet(connection, a_snippet("bert@example.com", orderNumber=f"same-b{number}"))
            for number in range(5)
        ),
    ]
    connection.close()
    seen = {(each.status, each.body, tuple(each.headers.items())) for each in answers}
    without_date = {
        (status, body, tuple(field for field in headers if field[0] not in VARYING)) for status, body, headers in seen
    }
    assert len(without_date) == 1
    assert all(is_acknowledged(answer) for answer in answers)
    assert sorted(invitations(service)) == ["same-1", "same-2", "same-b0", "same-b1", "same-b2"]


# The origin.


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["Origin: null"],
        ["Origin:"],
        ["Origin: https://evil-shop.nl"],
        ["Origin: https://shop.nl, https://shop.nl"],
        ["Origin: https://\u017fhop.nl".encode().decode("latin-1")],
        ["Origin: https://shop.nl", "Origin: https://shop.nl"],
        ["Origin: https://shop.nl", "Origin: https://evil.nl"],
        ["Origin: https://evil.nl", "origin: https://shop.nl"],
        ["Origin: https://shop.nl", "Origin: null"],
        ["Referer: https://shop.nl/thanks"],
    ],
    ids=" and ".join,
)
def test_any_other_origin_is_refused(service: Service, lines: list[str]) -> None:
    answer = raw(service, *lines)
    assert (answer.status, answer.code) == (403, "origin_refused")
    assert invitations(service) == {}


# The limit of an IP address.


def test_clients_behind_the_proxy_have_limits_of_their_own_and_one_ipv6_site_is_one_client(service: Service) -> None:
    connection = connect(service.address)
    for last in range(35):
        assert report_from_snippet(connection, X_Forwarded_For=f"198.51.100.{last}").status == 202
    of_a_site = [
        report_from_snippet(connection, X_Forwarded_For=f"2001:db8:7:8::{last:x}").status for last in range(35)
    ]
    assert Counter(of_a_site) == {202: 30, 429: 5}
    connection.close()


def test_without_a_trusted_proxy_the_header_is_of_no_account() -> None:
    with serving(snippets_per_minute=2) as service:
        service.app.shops.add(a_shop(SITE))
        verify_host(service.app, OWN_HOST)
        addresses = [f"198.51.100.{last}" for last in range(4)]
        statuses = [report_from_snippet(service.address, X_Forwarded_For=each).status for each in addresses]
    assert statuses == [202, 202, 429, 429]


def test_a_request_refused_for_its_size_or_type_takes_nothing_and_one_refused_later_does(service: Service) -> None:
    connection = connect(service.address)
    for _ in range(40):
        assert report_from_snippet(connection, Content_Type="text/plain").status == 415
    connection.close()
    for _ in range(3):
        assert report_from_snippet(service.address, b" " * 16_385).status == 413
    connection = connect(service.address)
    for _ in range(15):
        assert report_from_snippet(connection, b"{}").status == 422
        assert report_from_snippet(connection, Origin=None).status == 403
    assert report_from_snippet(connection).status == 429
    assert report_from_snippet(connection, b"{}").status == 429
    assert report_from_snippet(connection, Origin=None).status == 429
    connection.close()


# The daily ceiling.


def test_shares_of_the_ceiling_are_logged_as_they_are_crossed() -> None:
    with serving(snippets_per_day=2) as service, captured_logs() as logs:
        service.app.shops.add(a_shop(SITE))
        verify_host(service.app, OWN_HOST)
        answers = [report_from_snippet(service.address, a_snippet(orderNumber=number)) for number in "11223"]
    assert [answer.status for answer in answers] == [202, 202, 202, 429, 429]
    assert {answer.body for answer in answers[:3]} == {b'{"ok":true}'}
    told = {"event": "share of daily snippet orders reached", "log_level": "info", "siteId": SITE, "limit": 2}
    assert logs == [{**told, "percent": 50}, {**told, "percent": 90}]


def test_no_answer_tells_what_is_left_of_ceiling_or_share() -> None:
    """Each header is the same for a new order, a repeat and a forgotten one; and of all refusals, but for their id."""
    with serving(snippets_per_minute=0, snippets_per_client_day=30, trusted_proxies="127.0.0.1") as service:
        service.app.shops.add(a_shop(SITE))
        verify_host(service.app, OWN_HOST)

        def report_order(number: int, client: str = "203.0.113.9") -> tuple[int, list[tuple[str, str]], bytes]:
            answer = report_from_snippet(service.address, a_snippet(orderNumber=str(number)), X_Forwarded_For=client)
            fields = [(name, value) for name, value in answer.headers.items() if name.lower() not in VARYING]
            return answer.status, fields, answer.body.partition(b"requestId")[0]

        assert len({str(report_order(number)) for number in (1, 1, 2, 3, 4, 5) * 5}) == 1
        refused = {str(report_order(number)) for number in (1, 2, 6, 7)}
        assert len(refused) == 1
        (status,) = {report_order(number)[0] for number in (1, 6)}
        assert status == 429
        assert report_order(6, "203.0.113.10")[0] == 202


# The request.

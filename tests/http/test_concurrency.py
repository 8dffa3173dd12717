"""Simultaneous requests to one process and to two: one order stays one, a limit stays exact. Spec: §2, §8."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import count

import pytest
from tests.http.merchant import BODY, GETS, POSTS, an_invitation, request_as
from tests.http.service import Answer, Deployment, Service, an_order, busiest_minute, connect, report, report_to_one_of
from tests.waiting import run_concurrently

from reviewinvite_core import OPERATOR, InvitationQuery, accepted
from reviewinvite_core.domain.invitation_states import Reason
from reviewinvite_core.testing.builders import a_shop

AT_ONCE = 64

_numbers = count(1)


def one_order_stays_one(addresses: Sequence[str], key: Callable[[], str]) -> None:
    """64 clients report one order at the same moment, eight times; `key` gives the key for each time."""
    for pair in range(8):
        body, used = an_order(f"customer{pair}@example.com", orderNumber=f"order-{pair}", delayDays=pair), key()
        answers = run_concurrently(AT_ONCE, partial(report_to_one_of, addresses, used, body))
        assert Counter(answer.status for answer in answers) == {201: 1, 200: AT_ONCE - 1}
        assert len({(answer.json["inviteId"], answer.json["scheduledFor"]) for answer in answers}) == 1


@pytest.fixture
def site(service: Service) -> str:
    """A shop of this test's own."""
    site = f"shop-{next(_numbers)}"
    service.app.shops.add(a_shop(site))
    return site


def test_64_concurrent_reports_of_one_order_give_one_201_and_63_times_200_with_one_id(
    service: Service, site: str
) -> None:
    one_order_stays_one([service.address], lambda: service.a_key(site))
    records = accepted(service.app.invitations.list(OPERATOR, InvitationQuery(site_id=site))).invitations
    assert sorted(str(each.invitation.order_number) for each in records) == [f"order-{pair}" for pair in range(8)]


def test_64_concurrent_reports_of_one_order_to_two_processes_give_one_201(deployment: Deployment) -> None:
    one_order_stays_one([deployment.serve("--no-worker").address for _ in range(2)], lambda: deployment.key)
    assert sorted(str(record.invitation.order_number) for record in deployment.records()) == [
        f"order-{pair}" for pair in range(8)
    ]


def test_reads_share_one_exact_limit_for_each_key(service: Service, site: str) -> None:
    key, other = service.a_key(site), service.a_key(site)
    paths = [*GETS, "/v1/reviews?limit=0"]  # what is wrong takes from the limit too

    def read(number: int) -> int:
        return request_as(service.address, key, "HEAD" if number % 5 == 0 else "GET", paths[number % len(paths)]).status

    assert sum(status == 429 for status in run_concurrently(AT_ONCE, read)) == 0
    assert sum(status == 429 for status in run_concurrently(AT_ONCE, read)) == 8
    refused = request_as(service.address, key, "GET", "/v1/reviews")
    assert (refused.status, refused.code, refused.headers["Retry-After"]) == (429, "limit_reached", "60")
    assert request_as(service.address, other, "GET", "/v1/reviews").status == 200
    assert request_as(service.address, key, "POST", POSTS[1]).status == 404  # changes have a tally of their own
    service.clock.advance(timedelta(seconds=60))
    assert request_as(service.address, key, "GET", "/v1/reviews").status == 200


def test_replies_and_cancellations_share_one_exact_limit_beside_that_of_orders(service: Service, site: str) -> None:
    key = service.a_key(site)

    def change(number: int) -> int:
        path = POSTS[number % len(POSTS)]
        return request_as(service.address, key, "POST", path, BODY[path] if number % 3 else b"x").status

    assert sum(status == 429 for status in run_concurrently(AT_ONCE, change)) == 0
    assert sum(status == 429 for status in run_concurrently(AT_ONCE, change)) == 8
    order = request_as(service.address, key, "POST", "/v1/orders", {"email": "anna@example.com", "orderNumber": "1"})
    assert order.status == 201
    assert request_as(service.address, key, "GET", "/v1/reviews").status == 200


def test_cancelling_while_a_worker_sends_never_does_both(service: Service, site: str) -> None:
    """Each invitation ends as sent or as cancelled, and the shop was answered accordingly."""
    invitations = [an_invitation(service.app, site, str(n), delay_days=0) for n in range(24)]
    key = service.a_key(site)

    def act(number: int) -> int:
        if number == 0:
            service.app.delivery.once()
            return 0
        return request_as(service.address, key, "POST", f"/v1/invitations/{invitations[number - 1]}/cancel").status

    statuses = run_concurrently(len(invitations) + 1, act)[1:]
    service.app.delivery.once()
    for invite_id, status in zip(invitations, statuses, strict=True):
        record = accepted(service.app.invitations.show(OPERATOR, invite_id))
        reasons = [change.reason for change in record.history]
        was_sent, was_cancelled = Reason.ACCEPTED in reasons, Reason.CANCELLED in reasons
        assert (status == 200, status == 409) == (was_cancelled, was_sent)
        assert was_sent != was_cancelled


def test_concurrent_reports_of_many_orders_from_two_processes_mix_up_nothing(deployment_under_load: Deployment) -> None:
    deployment = deployment_under_load
    addresses = [deployment.serve("--no-worker").address for _ in range(2)]

    def shop(thread: int) -> list[tuple[int, int, str]]:
        connection = connect(addresses[thread % 2])
        told = []
        for number in range(40):
            answer = report(connection, deployment.key, an_order(f"customer{number}@example.com", orderNumber="1"))
            told.append((number, answer.status, answer.json["inviteId"]))
        connection.close()
        return told

    told = [each for thread in run_concurrently(16, shop) for each in thread]
    for number in range(40):
        of_this = [(status, invite_id) for which, status, invite_id in told if which == number]
        assert Counter(status for status, _ in of_this) == {201: 1, 200: 15}
        assert len({invite_id for _, invite_id in of_this}) == 1
    assert len({invite_id for _, _, invite_id in told}) == len(deployment.records()) == 40


def test_two_processes_under_load_admit_exactly_120_a_minute_for_one_key(deployment: Deployment) -> None:
    deployment.command.variables["REVIEWINVITE_ORDERS_PER_MINUTE"] = "120"
    addresses = [deployment.serve("--no-worker").address for _ in range(2)]
    begun = time.monotonic()

    def shop(thread: int) -> list[Answer]:
        connection = connect(addresses[thread % 2])
        answers = [
            report(connection, deployment.key, an_order(orderNumber=f"{thread}-{number}")) for number in range(20)
        ]
        connection.close()
        return answers

    answers = [answer for thread in run_concurrently(16, shop) for answer in thread]
    took = time.monotonic() - begun
    due = [datetime.fromisoformat(answer.json["scheduledFor"]) for answer in answers if answer.status == 201]
    assert busiest_minute(due) == 120
    assert Counter(answer.status for answer in answers) == {201: len(due), 429: 320 - len(due)}
    waits = {int(answer.headers["Retry-After"]) for answer in answers if answer.status == 429}
    assert 60 - took - 1 <= min(waits) <= max(waits) <= 60
    assert len(deployment.records()) == len(due)

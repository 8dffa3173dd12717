"""Many at once, in one process and in two: one order stays one order, and a limit stays exact. Spec: §2, §8.

In one process on every storage; two share a database.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from tests.http.service import (
    SITE,
    Answer,
    Deployment,
    Service,
    an_order,
    at_once,
    busiest_minute,
    connect,
    report,
)

from reviewinvite_core import InvitationQuery, NewKey

AT_ONCE = 64


def one_order_stays_one(addresses: Sequence[str], key: Callable[[], str]) -> None:
    """64 clients report one order at the same moment, eight times; `key` gives the key for each time."""
    for pair in range(8):
        body, used = an_order(f"customer{pair}@example.com", orderNumber=f"order-{pair}", delayDays=pair), key()
        answers: list[Answer] = at_once(
            AT_ONCE, lambda n, body=body, used=used: report(addresses[n % len(addresses)], used, body)
        )
        assert Counter(answer.status for answer in answers) == {201: 1, 200: AT_ONCE - 1}
        assert len({(answer.json["inviteId"], answer.json["scheduledFor"]) for answer in answers}) == 1


def test_64_concurrent_reports_of_one_order_give_one_201_and_63_times_200_with_one_id(service: Service) -> None:
    one_order_stays_one([service.address], service.a_key)
    numbers = [record.invitation.order_number for record in service.app.list_invitations(InvitationQuery())]
    assert sorted(numbers) == [f"order-{pair}" for pair in range(8)]


def test_64_concurrent_reports_of_one_order_to_two_processes_give_one_201(deployment: Deployment) -> None:
    one_order_stays_one([deployment.serve("--no-worker").address for _ in range(2)], lambda: deployment.key)
    assert sorted(str(record.invitation.order_number) for record in deployment.records()) == [
        f"order-{pair}" for pair in range(8)
    ]


def test_many_at_once_are_admitted_120_times_a_minute_for_one_key(service: Service) -> None:
    key, body = service.a_key(), an_order("limited@example.com")
    for _ in range(2):
        answers = [
            answer
            for several in at_once(16, lambda _: [report(service.address, key, body) for _ in range(10)])
            for answer in several
        ]
        assert Counter(answer.status == 429 for answer in answers) == {False: 120, True: 40}
        assert {answer.headers["Retry-After"] for answer in answers if answer.status == 429} == {"60"}
        service.clock.advance(timedelta(minutes=1))


def test_a_key_made_or_revoked_in_one_process_is_so_in_another_at_once(deployment: Deployment) -> None:
    address = deployment.serve("--no-worker").address
    with deployment.library() as other:
        made = other.create_key(SITE, "elsewhere")
        assert isinstance(made, NewKey)
        assert report(address, made.secret.text).status == 201
        other.revoke_key(made.api_key.key_id)
        assert report(address, made.secret.text).status == 401


def test_concurrent_reports_of_many_orders_from_two_processes_mix_up_nothing(deployment: Deployment) -> None:
    addresses = [deployment.serve("--no-worker").address for _ in range(2)]

    def shop(thread: int) -> list[tuple[int, int, str]]:
        connection = connect(addresses[thread % 2])
        told = []
        for number in range(40):
            answer = report(connection, deployment.key, an_order(f"customer{number}@example.com", orderNumber="1"))
            told.append((number, answer.status, answer.json["inviteId"]))
        connection.close()
        return told

    told = [each for thread in at_once(16, shop) for each in thread]
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

    answers = [answer for thread in at_once(16, shop) for answer in thread]
    took = time.monotonic() - begun
    due = [datetime.fromisoformat(answer.json["scheduledFor"]) for answer in answers if answer.status == 201]
    assert busiest_minute(due) == 120
    assert Counter(answer.status for answer in answers) == {201: len(due), 429: 320 - len(due)}
    waits = {int(answer.headers["Retry-After"]) for answer in answers if answer.status == 429}
    assert 60 - took - 1 <= min(waits) <= max(waits) <= 60
    assert len(deployment.records()) == len(due)

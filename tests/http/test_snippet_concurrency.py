"""Simultaneous reports of browsers, to one process and to two: each limit stays exact. Spec: §8."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from tests.http.service import (
    OWN_HOST,
    Answer,
    Deployment,
    a_snippet,
    an_order,
    busiest_minute,
    connect,
    report,
    report_from_snippet,
    verify_host,
)
from tests.waiting import run_concurrently

AT_ONCE = 64
CEILING = 40


@pytest.fixture
def behind_proxy(deployment_under_load: Deployment) -> Deployment:
    """A database for processes behind a proxy, whose shop has a host and a low ceiling."""
    deployment = deployment_under_load
    deployment.command.variables |= {
        "REVIEWINVITE_TRUSTED_PROXIES": "127.0.0.1",
        "REVIEWINVITE_SNIPPETS_PER_DAY": str(CEILING),
    }
    with deployment.library() as app:
        verify_host(app, OWN_HOST)
    return deployment


def client(number: int) -> str:
    return f"198.51.{number // 250}.{number % 250}"


def one_order_stays_one(addresses: Sequence[str], key: Callable[[], str]) -> None:
    """32 browsers and 32 times the shop's server report one order at the same moment, four times over."""
    for pair in range(4):
        email, number, used = f"customer{pair}@example.com", f"order-{pair}", key()

        def report_once(n: int, email: str = email, number: str = number, used: str = used) -> Answer:
            address = addresses[n // 2 % len(addresses)]
            if n % 2:
                return report(address, used, an_order(email, orderNumber=number))
            return report_from_snippet(address, a_snippet(email, orderNumber=number), X_Forwarded_For=client(n))

        answers = run_concurrently(AT_ONCE, report_once)
        statuses = Counter(answer.status for answer in answers)
        assert statuses[202] == AT_ONCE // 2
        assert statuses[200] + statuses[201] == AT_ONCE // 2
        assert statuses[201] <= 1
        assert len({answer.json["inviteId"] for answer in answers if answer.status != 202}) == 1


def test_browsers_and_the_shops_server_that_race_at_two_processes_make_one_invitation(behind_proxy: Deployment) -> None:
    addresses = [behind_proxy.serve("--no-worker").address for _ in range(2)]
    one_order_stays_one(addresses, lambda: behind_proxy.key)
    assert sorted(str(each.invitation.order_number) for each in behind_proxy.records()) == [
        f"order-{n}" for n in range(4)
    ]


@pytest.mark.usefixtures("one_day")
def test_two_processes_keep_all_three_limits_exactly(behind_proxy: Deployment) -> None:
    """One client, one victim and then all that the shop's day has left, each from both processes at once."""
    addresses = [behind_proxy.serve("--no-worker").address for _ in range(2)]

    def from_many(count: int, request: Callable[[int], tuple[bytes, str]]) -> Counter[int]:
        def browser(thread: int) -> list[int]:
            connection = connect(addresses[thread % 2])
            statuses = []
            for number in range(thread, count, 16):
                body, address = request(number)
                statuses.append(report_from_snippet(connection, body, X_Forwarded_For=address).status)
            connection.close()
            return statuses

        return Counter(status for statuses in run_concurrently(16, browser) for status in statuses)

    victim = from_many(64, lambda n: (a_snippet("victim@example.com", orderNumber=f"v{n}"), client(n)))
    assert victim == {202: 64}
    assert len(behind_proxy.records()) == 3

    one_client = from_many(96, lambda n: (a_snippet(f"c{n}@example.com"), "192.0.2.1"))
    admitted = sorted(record.invitation.reported_at for record in behind_proxy.records())[3:]
    assert busiest_minute(admitted) == 30
    assert one_client == {202: len(admitted), 429: 96 - len(admitted)}

    of_the_day = from_many(96, lambda n: (a_snippet(f"d{n}@example.com"), client(200 + n)))
    left = CEILING - 3 - len(admitted)
    assert of_the_day == {202: left, 429: 96 - left}
    assert len(behind_proxy.records()) == CEILING

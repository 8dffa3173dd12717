"""Several real `serve` processes on one PostgreSQL: exact together, and alive through what happens to any of them."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import psycopg
import pytest
from tests import postgres
from tests.budgets import in_full, in_soak
from tests.http.deliveries import each_invitation_is_delivered_at_most_once, every_acknowledged_order_is_there_once
from tests.http.load import Acknowledgement, RetryingLoad
from tests.http.service import (
    Answer,
    Deployment,
    Process,
    an_order,
    busiest_minute,
    connect,
    http_request,
    report,
    report_to_one_of,
)
from tests.postgres_proxy import Break, wire_to
from tests.waiting import run_concurrently, wait_until

PROCESSES = 4
RACERS = 64
RECOVERY_SECONDS = 5.0
ANOTHER_CLOCK = Path(__file__).with_name("another_clock.py")


@pytest.fixture
def deployment(tmp_path: Path, postgres_url: str) -> Iterator[Deployment]:
    made = Deployment(tmp_path, postgres_url, orders_per_minute=0)
    yield made
    made.stop()


def started(deployment: Deployment, count: int) -> list[Process]:
    return [deployment.serve("--no-worker") for _ in range(count)]


# --- exact together ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pairs", [in_full(4), in_full(20), in_soak(100)])
def test_of_64_racers_over_four_processes_exactly_one_gets_201(deployment: Deployment, pairs: int) -> None:
    addresses = [process.address for process in started(deployment, PROCESSES)]
    for pair in range(pairs):
        body = an_order(f"customer{pair}@example.com", orderNumber=f"order-{pair}", delayDays=pair % 60)
        answers: list[Answer] = run_concurrently(RACERS, partial(report_to_one_of, addresses, deployment.key, body))
        assert Counter(answer.status for answer in answers) == {201: 1, 200: RACERS - 1}
        assert len({(answer.json["inviteId"], answer.json["scheduledFor"]) for answer in answers}) == 1
    numbers = sorted(str(record.invitation.order_number) for record in deployment.records())
    assert numbers == sorted(f"order-{pair}" for pair in range(pairs))


def test_four_processes_admit_exactly_120_a_minute_for_one_key(deployment_under_load: Deployment) -> None:
    deployment = deployment_under_load
    deployment.command.variables["REVIEWINVITE_ORDERS_PER_MINUTE"] = "120"
    addresses = [process.address for process in started(deployment, PROCESSES)]
    begun = time.monotonic()

    def shop(thread: int) -> list[Answer]:
        connection = connect(addresses[thread % PROCESSES])
        answers = [report(connection, deployment.key, an_order(orderNumber=f"{thread}-{n}")) for n in range(20)]
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


def test_the_clock_of_the_database_decides_whatever_the_machines_show(deployment: Deployment) -> None:
    deployment.command.variables["REVIEWINVITE_ORDERS_PER_MINUTE"] = "10"
    apart = [
        deployment.serve("--no-worker", program=(str(ANOTHER_CLOCK), seconds)).address for seconds in ("-2.5", "2.5")
    ]

    def database_time() -> datetime:
        with psycopg.connect(deployment.settings.database_url) as connection:
            row = connection.execute("SELECT clock_timestamp()").fetchone()
        assert row
        instant: datetime = row[0]
        return instant.astimezone(UTC)

    begun = time.monotonic()
    for number in range(10):
        before = database_time()
        answer = report(apart[number % 2], deployment.key, an_order(orderNumber=str(number), delayDays=1))
        due = datetime.fromisoformat(answer.json["scheduledFor"])
        assert before - timedelta(milliseconds=1) <= due - timedelta(days=1) <= database_time()
    refused = [report(address, deployment.key, an_order(orderNumber="one more")) for address in (*apart, *apart)]
    took = time.monotonic() - begun
    assert [answer.status for answer in refused] == [429] * 4
    waits = [int(answer.headers["Retry-After"]) for answer in refused]
    assert 60 - took <= min(waits) <= max(waits) <= 60


# --- an answer that is lost ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("moment", "then"), [(Break.BEFORE_COMMIT, 201), (Break.AFTER_COMMIT, 200)])
def test_a_commit_whose_answer_is_lost_is_503_and_the_retry_gets_the_right_answer(
    deployment_under_faults: Deployment, moment: Break, then: int
) -> None:
    deployment = deployment_under_faults
    with wire_to(deployment.settings.database_url) as wire:
        deployment.command.variables["REVIEWINVITE_DATABASE_URL"] = wire.url
        process = deployment.serve("--no-worker")
        assert report(process.address, deployment.key, an_order(orderNumber="before")).status == 201
        wire.break_at(moment)
        lost = report(process.address, deployment.key, an_order(orderNumber="1001"))
        assert (lost.status, lost.code) == (503, "storage_unavailable")
        assert int(lost.headers["Retry-After"]) > 0
        again = report(process.address, deployment.key, an_order(orderNumber="1001"))
        assert again.status == then
        assert process.terminate() == 0
    ids = [each.invitation.invite_id for each in deployment.records() if each.invitation.order_number == "1001"]
    assert ids == [again.json["inviteId"]]


# --- a process that dies ----------------------------------------------------------------------------------------


def test_when_one_of_two_processes_is_killed_the_other_serves_on(killed_deployment: Deployment) -> None:
    deployment = killed_deployment
    dying, living = deployment.serve(), deployment.serve()
    with (
        RetryingLoad(living.address, deployment.key, "living") as on_living,
        RetryingLoad(dying.address, deployment.key, "dying") as on_dying,
    ):
        wait_until(lambda: len(on_dying.acknowledged) > 50 and len(on_living.acknowledged) > 50)
        dying.kill()
        wait_until(on_living.has_acknowledged(len(on_living.acknowledged) + 100))
    assert (on_living.contradictions, on_living.refused, on_living.torn) == ([], [], [])
    assert on_dying.contradictions == []
    acknowledged = on_living.acknowledged | on_dying.acknowledged
    assert every_acknowledged_order_is_there_once(deployment, acknowledged)
    for number, first in list(on_dying.acknowledged.items())[-10:]:
        again = report(living.address, deployment.key, an_order(orderNumber=number))
        assert (again.status, Acknowledgement(again.json["inviteId"], again.json["scheduledFor"])) == (200, first)
    wait_until((deployment.outbox / "new").is_dir)  # the load may be over before the first look for what is due
    assert living.terminate() == 0
    assert each_invitation_is_delivered_at_most_once(deployment)


# --- a database that dies ---------------------------------------------------------------------------------------


def is_ready(process: Process) -> bool:
    return http_request(process.address, "GET", "/readyz").status == 200


def is_away(process: Process) -> bool:
    """Whether it tells that the database is away, and that itself it is well."""
    ready = http_request(process.address, "GET", "/readyz")
    if ready.status == 200:
        return False
    assert ready.status == 503
    assert int(ready.headers["Retry-After"]) > 0
    assert http_request(process.address, "GET", "/healthz").status == 200
    return True


@pytest.mark.parametrize("kills", [3, in_soak(20)])
def test_a_database_that_is_killed_and_comes_back_loses_no_acknowledged_order_and_doubles_none(
    tmp_path: Path, own_postgres_server: postgres.OwnServer, kills: int
) -> None:
    chance = random.Random(1)  # noqa: S311 - it chooses moments
    acknowledged: dict[str, Acknowledgement] = {}
    took: list[float] = []
    with ExitStack() as stack:
        server = own_postgres_server
        url = stack.enter_context(postgres.database(server.url))
        deployment = Deployment(tmp_path, url, orders_per_minute=0)
        stack.callback(deployment.stop)
        processes = [deployment.serve(), deployment.serve()]
        for kill in range(kills):
            loads = [RetryingLoad(each.address, deployment.key, f"{kill}-{n}") for n, each in enumerate(processes)]
            with loads[0], loads[1]:
                for _ in range(2):
                    for load in loads:
                        wait_until(load.has_acknowledged(len(load.acknowledged) + chance.randrange(10, 40)))
                    postgres.terminate_backends(url)
                for load in loads:
                    wait_until(load.has_acknowledged(len(load.acknowledged) + chance.randrange(10, 40)))
                refused = [len(load.refused) for load in loads]
                server.kill()
                run_concurrently(2, lambda n: wait_until(lambda: is_away(processes[n])))
                for load, before in zip(loads, refused, strict=True):
                    wait_until(load.has_been_refused(before + 1))
                known = [len(load.acknowledged) for load in loads]
                server.start()
                back = time.monotonic()
                for process, load, before in zip(processes, loads, known, strict=True):
                    wait_until(load.has_acknowledged(before + 10))
                    wait_until(partial(is_ready, process))
                took.append(time.monotonic() - back)
            for load in loads:
                assert (load.contradictions, load.torn) == ([], [])
                assert set(load.refused) == {503}
                assert all(wait is not None and int(wait) > 0 for wait in load.waits)
                acknowledged |= load.acknowledged
        assert min(took) < RECOVERY_SECONDS  # at one kill or another the machine may be busy with something else
        assert every_acknowledged_order_is_there_once(deployment, acknowledged)
        for number, first in list(acknowledged.items())[:: max(1, len(acknowledged) // 100)]:
            again = report(processes[0].address, deployment.key, an_order(orderNumber=number))
            assert (again.status, Acknowledgement(again.json["inviteId"], again.json["scheduledFor"])) == (200, first)
        for process in processes:
            assert process.terminate() == 0
            assert "Traceback" not in process.log
        assert each_invitation_is_delivered_at_most_once(deployment)

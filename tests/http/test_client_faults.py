"""The client when the service or the network fails: what it repeats, when it gives up, and that nothing is doubled."""

from __future__ import annotations

import asyncio
import itertools
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.http import faulty_proxy as faults
from tests.http.clients import KINDS, SteppedClock, a_client, with_shop
from tests.http.faulty_proxy import Fault, FaultyProxy, Handler, faulty_proxy
from tests.http.service import Deployment, Service
from tests.http.serving import serving
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_http.client import (
    ApiError,
    AsyncClient,
    GaveUp,
    LimitReached,
    NoAnswer,
    Retries,
    ServiceFault,
    TimedOut,
)

EACH_KIND = pytest.mark.parametrize("kind", KINDS)
QUICK_SECONDS = 0.3  # after which a test gives up what never comes
NUMBERS = itertools.count()
NO_REPEATS = Retries(attempts=1)
UNAVAILABLE = faults.answer(503, b'{"error": "Vol.", "code": "storage_unavailable"}', Retry_After="7")


@pytest.fixture
def proxy(service: Service) -> Iterator[FaultyProxy]:
    with faulty_proxy(service.address) as proxy:
        yield proxy


# --- the network ----------------------------------------------------------------------------------------------------


@EACH_KIND
@pytest.mark.parametrize(
    ("fault", "took_effect"),
    [
        (faults.lose_request, False),
        (faults.lose_answer, True),
        (faults.cut_answer, True),
        (faults.speak_no_http, False),
        (faults.answer(500, b"{}"), False),
        (faults.answer(502, b"<html>Bad Gateway</html>"), False),
        (faults.answer(503, b""), False),
        (faults.answer(504, b"\xff"), False),
        (faults.answer(408, b"{}"), False),
    ],
)
def test_a_request_that_fails_twice_leads_to_one_invitation(
    proxy: FaultyProxy, key: str, kind: str, fault: Fault, *, took_effect: bool
) -> None:
    clock = SteppedClock()
    order = f"order {next(NUMBERS)}"
    with a_client(kind, proxy.address, key, clock=clock) as client:
        proxy.faults = [fault, fault]
        first = client.report_order("anna@example.com", order_number=order)
        assert first.duplicate is took_effect
        assert len(proxy.received) == 3
        assert clock.slept == [0.375, 0.75]
        again = client.report_order("anna@example.com", order_number=order)
        assert again.invite_id == first.invite_id
        assert [one.invite_id for one in client.list_invitations(order_number=order).invitations] == [first.invite_id]


@EACH_KIND
def test_all_calls_are_repeated_and_none_takes_effect_twice(proxy: FaultyProxy, key: str, kind: str) -> None:
    with a_client(kind, proxy.address, key, clock=SteppedClock()) as client:
        invite_id = client.report_order("anna@example.com", order_number=f"cancelled {kind}").invite_id
        proxy.faults = [faults.lose_answer, faults.cut_answer]
        cancelled = client.cancel_invitation(invite_id)
        assert [change.state for change in cancelled.history] == ["scheduled", "cancelled"]
        for call in (client.list_reviews, client.review_pages, client.list_invitations, client.get_public_keys):
            proxy.faults = [faults.lose_request, faults.cut_answer]
            assert call()


@EACH_KIND
def test_a_slow_answer_is_read_to_its_end(proxy: FaultyProxy, key: str, kind: str) -> None:
    proxy.faults = [faults.in_pieces]
    with a_client(kind, proxy.address, key) as client:
        assert client.report_order("anna@example.com", order_number=f"slow {kind}")


@EACH_KIND
@pytest.mark.parametrize("fault", [faults.stall, faults.drip])
def test_an_answer_that_never_ends_is_timed_out(proxy: FaultyProxy, key: str, kind: str, fault: Fault) -> None:
    proxy.faults = [fault]
    with (
        a_client(kind, proxy.address, key, timeout=QUICK_SECONDS, retries=NO_REPEATS) as client,
        pytest.raises(TimedOut) as raised,
    ):
        client.report_order("anna@example.com")
    assert (raised.value.attempts, raised.value.gave_up) == (1, GaveUp.ATTEMPTS)


@EACH_KIND
def test_what_timed_out_is_repeated(proxy: FaultyProxy, key: str, kind: str) -> None:
    """However slow the machine: an attempt that is too slow as well is one more."""
    proxy.faults = [faults.stall, faults.stall]
    patient = Retries(attempts=10_000, seconds=1e6)
    with a_client(kind, proxy.address, key, timeout=QUICK_SECONDS, retries=patient, clock=SteppedClock()) as client:
        assert client.report_order("anna@example.com", order_number=f"timed out {kind}").invite_id
    assert len(proxy.received) >= 3


@EACH_KIND
def test_a_service_that_cannot_be_reached_is_given_up_after_all_attempts(kind: str) -> None:
    clock = SteppedClock()
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with a_client(kind, address, "key", clock=clock) as client, pytest.raises(NoAnswer) as raised:
            client.report_order("anna@example.com")
    assert (raised.value.attempts, raised.value.gave_up) == (6, GaveUp.ATTEMPTS)
    assert not isinstance(raised.value, TimedOut)
    assert "anna" not in f"{raised.value} {raised.value.__cause__}"
    assert clock.slept == [0.375, 0.75, 1.5, 3.0, 6.0]


@EACH_KIND
def test_no_attempt_begins_after_the_time_for_a_call(proxy: FaultyProxy, key: str, kind: str) -> None:
    clock = SteppedClock()
    retries = Retries(attempts=100, seconds=10, first_pause=2, longest_pause=4)
    proxy.faults = [faults.lose_request] * 100
    with a_client(kind, proxy.address, key, clock=clock, retries=retries) as client, pytest.raises(NoAnswer) as raised:
        client.report_order("anna@example.com")
    assert (raised.value.gave_up, clock.slept) == (GaveUp.TIME, [1.5, 3.0, 3.0])


@EACH_KIND
def test_no_attempt_follows_a_pause_that_took_too_long(proxy: FaultyProxy, key: str, kind: str) -> None:
    """As when the machine was suspended meanwhile."""
    clock = SteppedClock(on_sleep=lambda _: clock.slept.append(3600))
    proxy.faults = [faults.lose_request] * 2
    with (
        a_client(kind, proxy.address, key, clock=clock, retries=Retries()) as client,
        pytest.raises(NoAnswer) as raised,
    ):
        client.report_order("anna@example.com")
    assert (raised.value.gave_up, len(proxy.received)) == (GaveUp.TIME, 1)


@EACH_KIND
@pytest.mark.parametrize("status", [301, 400, 404, 413, 415, 501])
def test_what_a_repeat_does_not_help_is_not_repeated(proxy: FaultyProxy, key: str, kind: str, status: int) -> None:
    proxy.faults = [faults.answer(status, b"no", Location="/elsewhere")]
    with a_client(kind, proxy.address, key, clock=SteppedClock()) as client, pytest.raises(ApiError) as raised:
        client.list_reviews()
    assert (raised.value.status, raised.value.code, raised.value.gave_up) == (status, None, None)
    assert len(proxy.received) == 1


# --- the service ----------------------------------------------------------------------------------------------------


@EACH_KIND
def test_a_limit_is_waited_for_as_long_as_the_service_says(kind: str) -> None:
    with serving(orders_per_minute=1) as service:
        key = with_shop(service)
        clock = SteppedClock(on_sleep=lambda seconds: service.clock.advance(timedelta(seconds=seconds)))
        with a_client(kind, service.address, key, clock=clock) as client:
            client.report_order("anna@example.com", order_number="1")
            service.clock.advance(timedelta(seconds=20))
            assert not client.report_order("anna@example.com", order_number="2").duplicate
    assert clock.slept == [40.25]  # the 40 seconds of `Retry-After`, and a little by chance


@EACH_KIND
def test_a_limit_that_lasts_longer_than_the_call_may_is_given_up_at_once(kind: str) -> None:
    clock = SteppedClock()
    with serving(orders_per_minute=1) as service:
        key = with_shop(service)
        with a_client(kind, service.address, key, clock=clock, retries=Retries(seconds=59)) as client:
            client.report_order("anna@example.com")
            with pytest.raises(LimitReached) as raised:
                client.report_order("anna@example.com")
    error = raised.value
    assert (error.code, error.retry_after, error.gave_up) == ("limit_reached", 60, GaveUp.RETRY_AFTER)
    assert (error.attempts, clock.slept) == (1, [])


@EACH_KIND
def test_a_locked_database_is_waited_for(sqlite_file: Path, kind: str) -> None:
    with serving(
        database_url=f"sqlite:///{sqlite_file}", secret=None, storage=SqliteStorage(sqlite_file, busy_seconds=0.05)
    ) as service:
        key = with_shop(service)
        with closing(sqlite3.connect(sqlite_file, isolation_level=None, check_same_thread=False)) as holder:
            holder.execute("BEGIN EXCLUSIVE")
            clock = SteppedClock()
            clock.on_sleep = lambda _: holder.execute("ROLLBACK") if len(clock.slept) == 2 else None
            with a_client(kind, service.address, key, clock=clock) as client:
                assert not client.report_order("anna@example.com").duplicate
    assert len(clock.slept) == 2
    assert min(clock.slept) >= 1  # each as long as the service said


@EACH_KIND
def test_without_repeats_a_service_that_is_unavailable_is_told_at_once(proxy: FaultyProxy, kind: str) -> None:
    proxy.faults = [UNAVAILABLE]
    with a_client(kind, proxy.address, "key", retries=NO_REPEATS) as client, pytest.raises(ServiceFault) as raised:
        client.list_reviews()
    assert (raised.value.code, raised.value.retry_after) == ("storage_unavailable", 7)


@pytest.mark.parametrize(
    "value", ["Fri, 46 Mar 2026 12:00:00 GMT", "-1", "1.5", "\u0661".encode().decode("latin1"), "9" * 99]
)
def test_a_malformed_retry_after_is_ignored(proxy: FaultyProxy, key: str, value: str) -> None:
    clock = SteppedClock()
    proxy.faults = [faults.answer(503, b"", Retry_After=value)]
    with a_client("sync", proxy.address, key, clock=clock) as client:
        assert client.list_reviews()
    assert clock.slept == [0.375]


@pytest.mark.parametrize(
    ("date", "pause"), [("Fri, 06 Mar 2026 09:15:45 GMT", 15.25), ("Fri, 06 Mar 2020 00:00:00 GMT", 0.375)]
)
def test_a_retry_after_may_be_a_date(proxy: FaultyProxy, key: str, date: str, pause: float) -> None:
    clock = SteppedClock(at=datetime(2026, 3, 6, 9, 15, 30, tzinfo=UTC))
    proxy.faults = [faults.answer(429, b"", Retry_After=date)]
    with a_client("sync", proxy.address, key, clock=clock) as client:
        assert client.list_reviews()
    assert clock.slept == [pause]


def test_a_redirect_names_where_it_leads(proxy: FaultyProxy, key: str) -> None:
    proxy.faults = [faults.answer(301, b"", Location="https://reviews.example.nl/v1/reviews")]
    with a_client("sync", proxy.address, key) as client, pytest.raises(ApiError) as raised:
        client.list_reviews()
    assert str(raised.value) == (
        "HTTP 301: redirected to https://reviews.example.nl/v1/reviews; use the service's own address as base_url"
    )
    assert len(proxy.received) == 1


@EACH_KIND
def test_a_service_that_is_not_there_is_named(kind: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with a_client(kind, address, "key", retries=NO_REPEATS) as client, pytest.raises(NoAnswer) as raised:
            client.cancel_invitation("0198c0de-0000-7000-8000-000000000001")
    assert str(raised.value).startswith(f"no answer from {address} (ConnectError: ")
    assert "0198c0de" not in str(raised.value)


@EACH_KIND
def test_a_service_that_is_killed_before_it_answers_and_starts_again_knows_the_order(
    killed_deployment: Deployment, kind: str
) -> None:
    deployment = killed_deployment
    process = deployment.serve("--no-worker")
    port = process.address.rpartition(":")[2]

    def kill_before_answering(handler: Handler) -> None:
        handler.forward()
        process.kill()
        handler.hang_up()

    clock = SteppedClock(on_sleep=lambda _: deployment.serve("--no-worker", "--port", port))
    with faulty_proxy(process.address) as proxy:
        proxy.faults = [kill_before_answering]
        with a_client(kind, proxy.address, deployment.key, clock=clock) as client:
            reported = client.report_order("anna@example.com", order_number="1")
            assert reported.duplicate
            assert len(client.list_invitations().invitations) == 1
    assert [record.invitation.invite_id for record in deployment.records()] == [reported.invite_id]


@EACH_KIND
def test_a_client_goes_on_after_its_connection_was_lost_with_the_service(
    killed_deployment: Deployment, kind: str
) -> None:
    deployment = killed_deployment
    process = deployment.serve("--no-worker")
    port = process.address.rpartition(":")[2]
    clock = SteppedClock(on_sleep=lambda _: deployment.serve("--no-worker", "--port", port))
    with a_client(kind, process.address, deployment.key, clock=clock) as client:
        first = client.report_order("anna@example.com", order_number="1")
        process.kill()
        assert client.report_order("anna@example.com", order_number="1").invite_id == first.invite_id
    assert len(clock.slept) == 1


# --- cancellation ---------------------------------------------------------------------------------------------------


class NeverWakes(SteppedClock):
    """A clock whose pauses have no end; `sleeping` is set in the first."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeping = asyncio.Event()

    async def sleep_async(self, seconds: float) -> None:  # noqa: ARG002 - as `Clock` has it
        self.sleeping.set()
        await asyncio.Event().wait()


def test_a_call_that_is_cancelled_while_it_waits_for_an_answer_ends_and_is_not_repeated(
    proxy: FaultyProxy, key: str
) -> None:
    async def story() -> None:
        async with AsyncClient(proxy.address, key, timeout=TIMEOUT_SECONDS) as client:
            proxy.faults = [faults.stall]
            call = asyncio.create_task(client.report_order("anna@example.com", order_number="cancelled call"))
            await asyncio.to_thread(proxy.stalled.wait, TIMEOUT_SECONDS)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert len(proxy.received) == 1
            assert not (await client.report_order("anna@example.com", order_number="cancelled call")).duplicate

    asyncio.run(story())


def test_a_call_that_is_cancelled_while_it_pauses_ends(proxy: FaultyProxy, key: str) -> None:
    async def story() -> None:
        clock = NeverWakes()
        async with AsyncClient(proxy.address, key, clock=clock) as client:
            proxy.faults = [faults.lose_request]
            call = asyncio.create_task(client.report_order("anna@example.com"))
            await clock.sleeping.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        assert len(proxy.received) == 1

    asyncio.run(story())


def test_a_deadline_of_the_caller_s_own_ends_a_call(proxy: FaultyProxy, key: str) -> None:
    async def story() -> None:
        async with AsyncClient(proxy.address, key, timeout=TIMEOUT_SECONDS) as client:
            proxy.faults = [faults.stall]
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(QUICK_SECONDS):
                    await client.report_order("anna@example.com")

    asyncio.run(story())


def test_many_calls_at_once_share_a_client_and_each_order_is_one(proxy: FaultyProxy, service: Service) -> None:
    key = service.a_key()

    async def story() -> set[tuple[str, str]]:
        async with AsyncClient(proxy.address, key, timeout=TIMEOUT_SECONDS, clock=SteppedClock()) as client:
            proxy.faults = [faults.lose_answer, faults.lose_request, faults.cut_answer] * 5

            async def report(number: int) -> tuple[str, str]:
                order = f"many {number % 10}"
                return order, (await client.report_order("anna@example.com", order_number=order)).invite_id

            return set(await asyncio.gather(*map(report, range(40))))

    assert len(asyncio.run(story())) == 10

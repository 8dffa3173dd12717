"""What the clients tell of the key's limits: what the service said last, and nothing that it did not say."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st
from tests.http.clients import KINDS, SteppedClock, with_shop
from tests.http.service import SITE, Service
from tests.http.serving import serving

from reviewinvite_http.client import AsyncClient, Client, LimitReached, RateLimit, Retries
from reviewinvite_http.client.rate_limits import read_rate_limit

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
POLICY, LEFT = '"orders";q=120;w=60', '"orders";r=119;t=45'


@pytest.fixture
def limited() -> Iterator[Service]:
    with serving(orders_per_minute=2, reads_per_minute=30) as service:
        yield service


def after_orders(kind: str, service: Service, orders: int) -> tuple[Client | AsyncClient, LimitReached | None]:
    """Return a client that has reported orders and read the shop, and the refusal of the last order, if any."""
    key, clock, once = with_shop(service, SITE), SteppedClock(at=NOW), Retries(attempts=1)
    refused: LimitReached | None = None

    async def report() -> AsyncClient:
        nonlocal refused
        async with AsyncClient(service.address, key, clock=clock, retries=once) as client:
            assert client.rate_limits == {}
            await client.get_shop()
            try:
                for number in range(orders):
                    await client.report_order(f"c{number}@example.com")
            except LimitReached as error:
                refused = error
            return client

    if kind == "async":
        return asyncio.run(report()), refused
    with Client(service.address, key, clock=clock, retries=once) as client:
        assert client.rate_limits == {}
        client.get_shop()
        try:
            for number in range(orders):
                client.report_order(f"c{number}@example.com")
        except LimitReached as error:
            refused = error
        return client, refused


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_has_what_is_left_of_each_limit_that_it_was_charged_to(kind: str, limited: Service) -> None:
    client, _ = after_orders(kind, limited, 1)
    a_minute = NOW + timedelta(seconds=60)
    assert client.rate_limits == {
        "reads": RateLimit(name="reads", quota=30, window_seconds=60, remaining=29, reset_at=a_minute),
        "orders": RateLimit(name="orders", quota=2, window_seconds=60, remaining=1, reset_at=a_minute),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_has_the_figures_of_its_answer(kind: str, limited: Service) -> None:
    client, refused = after_orders(kind, limited, 3)
    assert refused is not None
    assert refused.rate_limit is not None
    assert (refused.rate_limit.remaining, refused.rate_limit.reset_at) == (0, NOW + timedelta(seconds=60))
    assert refused.retry_after == 60
    assert client.rate_limits["orders"] == refused.rate_limit
    again = pickle.loads(pickle.dumps(refused))  # noqa: S301 - our own
    assert again.rate_limit == refused.rate_limit


@pytest.mark.parametrize("kind", KINDS)
def test_a_limit_that_is_switched_off_is_missing(kind: str) -> None:
    with serving(orders_per_minute=0) as service:
        client, _ = after_orders(kind, service, 1)
    assert list(client.rate_limits) == ["reads"]


def test_parameters_that_a_later_service_adds_are_ignored() -> None:
    headers = {"RateLimit-Policy": '"orders"; qu="requests"; q=120; w=60', "RateLimit": '"orders";pk=:YQ==:;r=119;t=45'}
    expected = RateLimit(
        name="orders", quota=120, window_seconds=60, remaining=119, reset_at=NOW + timedelta(seconds=45)
    )
    assert read_rate_limit(headers, NOW) == expected


@pytest.mark.parametrize(
    ("policy", "left"),
    [
        ("", ""),
        (POLICY, ""),
        (POLICY, '"reads";r=1;t=1'),
        (POLICY, '"orders";r=1'),
        (POLICY, '"orders";r=-1;t=1'),
        (POLICY, '"orders";r=1.5;t=1'),
        (POLICY, f'"orders";r=1;t={"9" * 5000}'),
        (POLICY, f"{LEFT}, {LEFT}"),
        ("120", "119"),
    ],
)
def test_what_is_malformed_says_nothing(policy: str, left: str) -> None:
    assert read_rate_limit({"RateLimit-Policy": policy, "RateLimit": left}, NOW) is None


@given(st.text(max_size=40), st.text(alphabet='"orders;rt=0123456789 ,.-', max_size=40))
def test_no_header_breaks_a_call(policy: str, left: str) -> None:
    for headers in ({"RateLimit-Policy": policy, "RateLimit": LEFT}, {"RateLimit-Policy": POLICY, "RateLimit": left}):
        read = read_rate_limit(headers, NOW)
        assert read is None or read.name == "orders"

"""The metrics that a monitoring program reads."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from features.drivers.http import HttpDriver
from pytest_bdd import given, parsers, then, when
from tests.http.service import Answer, http_request
from tests.ports import free_port


@pytest.fixture
def scrapes() -> list[Answer]:
    """The answers to a monitoring program."""
    return []


@given(parsers.parse('the operator has set the token "{token}" for metrics'))
def set_token(driver: HttpDriver, token: str) -> None:
    driver.configure(metrics_token=token)


@given("the operator has set a port for metrics")
def set_port(driver: HttpDriver) -> None:
    driver.configure(metrics_port=free_port())


@when(parsers.parse('a monitoring program asks for the metrics with the token "{token}"'))
def ask_with_token(driver: HttpDriver, scrapes: list[Answer], token: str) -> None:
    address = f"http://{driver.address}"
    scrapes.append(http_request(address, "GET", "/metrics", authorization=f"Bearer {token}"))


@when("a monitoring program asks that port for the metrics")
def ask_port(driver: HttpDriver, scrapes: list[Answer]) -> None:
    host = urlsplit(f"//{driver.address}").hostname
    scrapes.append(http_request(f"http://{host}:{driver.settings.metrics_port}", "GET", "/metrics"))


@then(parsers.parse("it gets the status {status:d}"))
def gets_status(scrapes: list[Answer], status: int) -> None:
    assert scrapes[-1].status == status


@then(parsers.parse("the metrics count {created:d} order as created and {duplicates:d} as duplicate"))
def counts_orders(scrapes: list[Answer], created: int, duplicates: int) -> None:
    lines = scrapes[-1].body.decode().splitlines()
    for result, count in (("created", created), ("duplicate", duplicates)):
        assert f'reviewinvite_orders_total{{result="{result}",source="api"}} {count:.1f}' in lines


@then(parsers.parse("no metric names {shop} or {address}"))
def names_nobody(scrapes: list[Answer], shop: str, address: str) -> None:
    text = scrapes[-1].body.decode()
    assert shop not in text
    assert address not in text

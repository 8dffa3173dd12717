"""What is asked for often is answered directly; Litestar answers the same for what is odd about it."""

from __future__ import annotations

from typing import Any, cast

import pytest
from litestar import HttpMethod
from litestar.types import ASGIApp, HTTPScope, Receive
from tests.http.service import Service, an_order, http_request, report

from reviewinvite_http.endpoints import DirectWays, Endpoint


async def at_path(scope: HTTPScope, receive: Receive) -> ASGIApp:
    raise NotImplementedError


async def below_path(scope: HTTPScope, receive: Receive) -> ASGIApp:
    raise NotImplementedError


WAYS = DirectWays(
    [
        Endpoint("/v1/orders", [HttpMethod.POST], at_path),
        Endpoint("/v1/verify/", [HttpMethod.GET, HttpMethod.HEAD], below_path),
    ]
)


def asked(method: str, path: str) -> object:
    return WAYS.answering(cast("Any", {"method": method, "path": path}))


@pytest.mark.parametrize(
    ("method", "path", "endpoint"),
    [
        ("POST", "/v1/orders", at_path),
        ("GET", "/v1/verify/bakery", below_path),
        ("HEAD", "/v1/verify/a%20b", below_path),
    ],
)
def test_what_is_just_as_it_should_be_is_answered_directly(method: str, path: str, endpoint: object) -> None:
    assert asked(method, path) is endpoint


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/orders"),
        ("OPTIONS", "/v1/verify/bakery"),
        ("POST", "/v1/verify/bakery"),
        ("POST", "/v1/orders/"),
        ("POST", "//v1/orders"),
        ("POST", "/v1/orders/1"),
        ("GET", "/v1/verify"),
        ("GET", "/v1/verify/"),
        ("GET", "/v1/verify/bakery/"),
        ("GET", "/v1/verify//bakery"),
        ("GET", "/v1/verify/bakery/more"),
        ("GET", ""),
    ],
)
def test_what_is_odd_is_for_litestar(method: str, path: str) -> None:
    assert asked(method, path) is None


def test_a_slash_too_many_changes_nothing(service: Service, key: str) -> None:
    direct = report(service.address, key, an_order(orderNumber="1"))
    headers = {"Authorization": f"Bearer {key}", "Content_Type": "application/json"}
    odd = http_request(service.address, "POST", "/v1//orders/", an_order(orderNumber="1"), **headers)
    assert (direct.status, odd.status) == (201, 200)
    assert odd.json["inviteId"] == direct.json["inviteId"]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/orders", {"POST", "OPTIONS"}),
        ("/v1/orders/snippet", {"POST", "OPTIONS"}),
        ("/v1/verify/bakery", {"GET", "HEAD", "OPTIONS"}),
        ("/w/bakery.js", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_a_method_that_is_not_allowed_is_told_those_that_are(service: Service, path: str, allowed: set[str]) -> None:
    answer = http_request(service.address, "DELETE", path)
    assert answer.status == 405
    assert {each.strip() for each in answer.headers["Allow"].split(",")} == allowed

"""A dashboard on a host of its own: that host answers the dashboard and nothing else, on every method. Spec: §10.4."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from tests.http.service import Service, connect, http_request, send_request
from tests.http.serving import serving

from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http.app import HANDLERS

BASE, DASHBOARD = "reviews.example.com", "dashboard.example.com"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND")


@pytest.fixture(scope="module")
def apart() -> Iterator[Service]:
    """A service whose dashboard has a host of its own."""
    with serving(base_url=f"https://{BASE}", dashboard_url=f"https://{DASHBOARD}") as service:
        service.app.shops.add(a_shop("shop-1"))
        yield service


def paths() -> list[str]:
    """Return an address of every handler that is not the dashboard's."""
    handlers: list[Any] = list(HANDLERS)
    groups = [each.paths if hasattr(each, "paths") else [route.path for route in each.routes] for each in handlers]
    found = {path for group in groups for path in group}
    return sorted(each.replace("{site_id:str}", "shop-1") for each in found if not each.startswith("/dashboard"))


def test_every_other_address_is_known_here() -> None:
    assert {"/v1/docs", "/v1/errors", "/v1/orders", "/healthz", "/readyz", "/u/{token:str}"} < set(paths())


@pytest.mark.parametrize("method", METHODS)
def test_the_dashboards_host_answers_nothing_else(apart: Service, method: str) -> None:
    with closing(connect(apart.address)) as connection:
        for path in [*paths(), "/v1/unknown", "/", "//v1/docs", "/w/shop-1.js", "/w/reviewinvite.js", "/dashboards"]:
            for host in (DASHBOARD, DASHBOARD.upper(), f"{DASHBOARD}:443", f"{DASHBOARD}.", f"{DASHBOARD}.:443"):
                answer = send_request(connection, method, path, Host=host, Sec_Fetch_Site="same-origin")
                assert answer.status == 404, (method, path, host)
                assert "Allow" not in answer.headers
                assert "Access-Control-Allow-Origin" not in answer.headers


def test_each_host_answers_its_own(apart: Service) -> None:
    def status(host: str, path: str) -> int:
        return http_request(apart.address, "GET", path, Host=host).status

    assert [status(DASHBOARD, each) for each in ("/dashboard/sign-in", "//dashboard//sign-in")] == [200, 200]
    for host in (BASE, "127.0.0.1:8000", "elsewhere.example"):
        assert [status(host, each) for each in ("/dashboard", "/dashboard/sign-in")] == [404, 404]
        assert [status(host, each) for each in ("/v1/docs", "/healthz", "/readyz", "/shops/shop-1")] == [200] * 4
